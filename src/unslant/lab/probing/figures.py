"""Figures over a grid of answers, each a formula over sums of counts, in percent.

Counts have the axes (wordings, seeds, texts, columns). A figure of one run is the formula over its texts; shown are the
mean and the standard deviation over wordings and seeds, and an interval for other texts of the same sort.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.lab.probing.items import Item
from unslant.lab.probing.prompts import Answer
from unslant.lab.stats.bootstrap import Resampling, estimate
from unslant.lab.stats.metrics import brier_score, calibration_error, f1_score, reliability_bins
from unslant.lab.stats.metrics import mean as average
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bag_f1, bleu_counts, bleu_from_counts, meteor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = [
    "FIGURES",
    "MAIN",
    "Figure",
    "Formula",
    "Spread",
    "calibration",
    "counts_of",
    "spread",
    "variance_shares",
]

Formula: TypeAlias = "Callable[[Numbers], Numbers]"


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its title and its formula, from (…, columns) to (…)."""

    name: str
    title: str
    formula: Formula


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over several runs."""

    mean: float | None
    """Over wordings and seeds; None where it is undefined."""
    deviation: float | None
    """The standard deviation over wordings and seeds, of all of them and not of a sample."""
    low: float | None = None
    high: float | None = None
    """The interval in which the mean lies for 95 % of the resampled sets of texts."""

    def to_dict(self) -> dict[str, float | None]:
        """Return the wire form."""
        return {"mean": self.mean, "sd": self.deviation, "low": self.low, "high": self.high}


def _share(column: int) -> Formula:
    return lambda sums: 100 * sums[..., column] / sums[..., 0]


def _f1(hits: int, said: int, right: int) -> Formula:
    """Twice the hits by all that is said and all that is right; 0 where there was something to find and nothing was."""
    return lambda sums: 100 * f1_score(sums[..., hits], sums[..., said], sums[..., right])


def _macro(sums: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(np.mean([_f1(2, 3, 4)(sums), _f1(5, 6, 7)(sums)], axis=0))


_OVERLAP = (
    Figure("f1", "F1-token", _share(1)),
    Figure("bleu", "BLEU-4", lambda sums: 100 * bleu_from_counts(sums[..., 3:])),
    Figure("meteor", "METEOR", _share(2)),
)
FIGURES: Mapping[str, Sequence[Figure]] = {
    "diagnosis": (
        Figure("accuracy", "Accuracy", _share(1)),
        Figure("f1", "F1 (yes)", _f1(2, 3, 4)),
        Figure("macro", "F1 (macro)", _macro),
    ),
    "identification": (Figure("exact", "Exact match", _share(1)),),
    "extraction": _OVERLAP,
    "rephrasing": _OVERLAP,
}
MAIN = {task: some[0].name for task, some in FIGURES.items()}
"""The figure by which wordings are compared."""


def counts_of(task: str, item: Item, answer: Answer, threshold: float = 0.5) -> list[float]:
    """Return what one answer counts; nothing at all where it was set aside."""
    if not answer.judged:
        return [0.0] * {"diagnosis": 8, "identification": 2}.get(task, 3 + BLEU_COLUMNS)
    if task == "diagnosis":
        gold = item.answers[0] == "yes"
        said = answer.text == "yes" if answer.probability is None else answer.probability > threshold
        sides = [float(one) for one in (gold and said, said, gold, not gold and not said, not said, not gold)]
        return [1.0, float(gold == said), *sides]
    if task == "identification":
        return [1.0, float(answer.text == item.answers[0])]
    overlap = [1.0, bag_f1(answer.text, item.answers), meteor(answer.text, item.answers)]
    return [*overlap, *bleu_counts(answer.text, item.answers)]


def spread(counts: Numbers, formula: Formula, resamples: int = 1000, seed: int = 0) -> Spread:
    """Return mean and deviation over the runs, and a bootstrap interval over the texts."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(counts.sum(axis=2))  # (wordings, seeds)
        known = values[np.isfinite(values)]
        if not known.size:
            return Spread(None, None)
        mean, deviation = float(known.mean()), float(known.std())
    items = counts.shape[2]
    if items < 2:
        return Spread(mean, deviation)
    flat = np.moveaxis(counts, 2, 0).reshape(items, -1)

    def mean_over_runs(weights: Numbers) -> Numbers:
        sums = (weights @ flat).reshape(len(weights), *counts.shape[:2], counts.shape[3])
        return np.asarray(np.nanmean(formula(sums).reshape(len(weights), -1), axis=1))

    found = estimate(mean_over_runs, items, Resampling(resamples, seed))
    return Spread(mean, deviation, found.low, found.high)


def variance_shares(scores: Numbers) -> dict[str, float] | None:
    """Return how much of the variance of the scores is due to what, for (wordings, seeds, texts).

    Each share is the sum of squares between the means of that part by the total; ``rest`` is what is left, so all that
    the parts do only together. None where all scores are the same.
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


def calibration(chances: Sequence[float], gold: Sequence[bool]) -> dict[str, Any]:
    """Return how far the probability of yes can be trusted.

    ``ece``: the mean distance, over bins of equal width and weighted by their size, of probability and share of yes;
    ``brier``: the mean squared distance of probability and answer. 0 is best for both; always saying one half gives
    a Brier score of 0.25.
    """
    return {
        "ece": calibration_error(chances, gold).value,
        "brier": brier_score(chances, gold).value,
        "mean": average(chances).value,
        "bins": [group.to_dict() for group in reliability_bins(chances, gold) if group.count],
    }
