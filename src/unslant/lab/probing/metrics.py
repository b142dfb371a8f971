"""Metrics over a grid of answers, in percent; each is a formula over sums of counts.

Counts have the axes (wordings, seeds, texts, columns). The metric of one run is the formula over its texts; a summary
holds the mean and standard deviation over wordings and seeds, and a bootstrap interval over texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.lab.probing.descriptions import ProbeAnswer
from unslant.lab.probing.items import ProbeItem
from unslant.lab.stats.bootstrap import Resampling, estimate
from unslant.lab.stats.metrics import brier_score, calibration_error, f1_score, reliability_bins
from unslant.lab.stats.metrics import mean as average
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bag_f1, bleu_counts, bleu_from_counts, meteor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = [
    "MAIN_METRIC",
    "METRICS",
    "Formula",
    "MetricSummary",
    "ProbeMetric",
    "count_answer",
    "decompose_variance",
    "measure_calibration",
    "summarize",
]

Formula: TypeAlias = "Callable[[Numbers], Numbers]"


@dataclass(frozen=True, slots=True)
class ProbeMetric:
    """A metric with its title and its formula, from (…, columns) to (…)."""

    name: str
    title: str
    formula: Formula


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """A metric over several runs."""

    mean: float | None
    """The mean over wordings and seeds; None if undefined."""
    deviation: float | None
    """The population standard deviation over wordings and seeds."""
    low: float | None = None
    high: float | None = None
    """The ends of the 95 % bootstrap interval over texts."""

    def to_dict(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return {"mean": self.mean, "sd": self.deviation, "low": self.low, "high": self.high}


def _share(column: int) -> Formula:
    return lambda sums: 100 * sums[..., column] / sums[..., 0]


def _f1(hits: int, predicted: int, gold: int) -> Formula:
    """F1 from three columns; 0 if there is something to find and none of it was found."""
    return lambda sums: 100 * f1_score(sums[..., hits], sums[..., predicted], sums[..., gold])


def _macro(sums: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(np.mean([_f1(2, 3, 4)(sums), _f1(5, 6, 7)(sums)], axis=0))


_OVERLAP = (
    ProbeMetric("f1", "F1-token", _share(1)),
    ProbeMetric("bleu", "BLEU-4", lambda sums: 100 * bleu_from_counts(sums[..., 3:])),
    ProbeMetric("meteor", "METEOR", _share(2)),
)
METRICS: Mapping[str, Sequence[ProbeMetric]] = {
    "diagnosis": (
        ProbeMetric("accuracy", "Accuracy", _share(1)),
        ProbeMetric("f1", "F1 (yes)", _f1(2, 3, 4)),
        ProbeMetric("macro", "F1 (macro)", _macro),
    ),
    "identification": (ProbeMetric("exact", "Exact match", _share(1)),),
    "extraction": _OVERLAP,
    "rephrasing": _OVERLAP,
}
MAIN_METRIC = {task: metrics[0] for task, metrics in METRICS.items()}
"""The metric by which wordings are compared."""


def count_answer(task: str, item: ProbeItem, answer: ProbeAnswer, threshold: float = 0.5) -> list[float]:
    """Return the counts of one answer; all are 0 for an invalid answer."""
    if not answer.valid:
        return [0.0] * {"diagnosis": 8, "identification": 2}.get(task, 3 + BLEU_COLUMNS)
    if task == "diagnosis":
        gold = item.answers[0] == "yes"
        yes = answer.text == "yes" if answer.probability is None else answer.probability > threshold
        sides = (gold and yes, yes, gold, not gold and not yes, not yes, not gold)
        return [1.0, float(gold == yes), *map(float, sides)]
    if task == "identification":
        return [1.0, float(answer.text == item.answers[0])]
    overlap = [1.0, bag_f1(answer.text, item.answers), meteor(answer.text, item.answers)]
    return [*overlap, *bleu_counts(answer.text, item.answers)]


def summarize(counts: Numbers, formula: Formula, resamples: int = 1000, seed: int = 0) -> MetricSummary:
    """Return the mean and standard deviation over runs, and a bootstrap interval over texts."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(counts.sum(axis=2))  # (wordings, seeds)
        known = values[np.isfinite(values)]
        if not known.size:
            return MetricSummary(None, None)
        mean, deviation = float(known.mean()), float(known.std())
    items = counts.shape[2]
    if items < 2:
        return MetricSummary(mean, deviation)
    flat = np.moveaxis(counts, 2, 0).reshape(items, -1)

    def mean_over_runs(weights: Numbers) -> Numbers:
        sums = (weights @ flat).reshape(len(weights), *counts.shape[:2], counts.shape[3])
        return np.asarray(np.nanmean(formula(sums).reshape(len(weights), -1), axis=1))

    interval = estimate(mean_over_runs, items, Resampling(resamples, seed))
    return MetricSummary(mean, deviation, interval.low, interval.high)


def decompose_variance(scores: Numbers) -> dict[str, float] | None:
    """Return the share of each factor in the variance of the scores, an array of (wordings, seeds, texts).

    Each share is the sum of squares between the means of a factor divided by the total; ``rest`` is the remainder, that
    is, all interactions. None if all scores are equal.
    """
    import numpy as np

    total = float(((scores - scores.mean()) ** 2).sum())
    if not total:
        return None
    found: dict[str, float] = {}
    for axis, name in enumerate(("wording", "seed", "text")):
        others = tuple(at for at in range(3) if at != axis)
        means = scores.mean(axis=others)
        repeats = scores.size / means.size
        found[name] = float(repeats * ((means - scores.mean()) ** 2).sum() / total)
    found["rest"] = float(np.clip(1 - sum(found.values()), 0, 1))
    return found


def measure_calibration(probabilities: Sequence[float], gold: Sequence[bool]) -> dict[str, Any]:
    """Measure the calibration of the probability of yes.

    ``ece`` is the expected calibration error: the mean distance between probability and share of yes over bins of equal
    width, weighted by their size. ``brier`` is the mean squared distance between probability and label. 0 is best for
    both; a constant probability of one half has a Brier score of 0.25.
    """
    return {
        "ece": calibration_error(probabilities, gold).value,
        "brier": brier_score(probabilities, gold).value,
        "mean": average(probabilities).value,
        "bins": [group.to_dict() for group in reliability_bins(probabilities, gold) if group.count],
    }
