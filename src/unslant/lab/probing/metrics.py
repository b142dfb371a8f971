"""Metrics over a grid of answers, in percent; each is a formula over sums of counts.

Counts have the axes (wordings, seeds, texts, columns). The metric of one run is the formula over its texts; a summary
holds the mean and standard deviation over wordings and seeds, and a bootstrap interval over texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.errors import MissingExtra
from unslant.lab.probing.items import ProbeItem
from unslant.lab.probing.prompts import ProbeAnswer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = [
    "BLEU_COLUMNS",
    "MAIN_METRIC",
    "METRICS",
    "Formula",
    "MetricSummary",
    "ProbeMetric",
    "bleu",
    "bleu_counts",
    "count_answer",
    "decompose_variance",
    "measure_calibration",
    "meteor",
    "summarize",
    "token_f1",
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
    return lambda sums: 200 * sums[..., hits] / (sums[..., predicted] + sums[..., gold])


def _macro(sums: Numbers) -> Numbers:
    import numpy as np

    return np.asarray(np.mean([_f1(2, 3, 4)(sums), _f1(5, 6, 7)(sums)], axis=0))


def bleu(sums: Numbers) -> Numbers:
    """Compute corpus BLEU-4 from counts, as sacrebleu does (exponential smoothing)."""
    import numpy as np

    matched, total = sums[..., :4], sums[..., 4:8]
    predicted, reference = sums[..., 8], sums[..., 9]
    missed = np.cumsum((matched == 0) & (total > 0), axis=-1)
    precision = np.where(
        matched > 0, matched / np.maximum(total, 1), 1 / (2.0**missed * np.maximum(total, 1))
    )
    possible = (total > 0).all(axis=-1) & (matched.sum(axis=-1) > 0)
    brevity = np.where(predicted < reference, np.exp(1 - reference / np.maximum(predicted, 1)), 1.0)
    return np.asarray(np.where(possible, 100 * brevity * np.exp(np.log(precision).mean(axis=-1)), 0.0))


_OVERLAP = (
    ProbeMetric("f1", "F1-token", _share(1)),
    ProbeMetric("bleu", "BLEU-4", lambda sums: bleu(sums[..., 3:])),
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
    overlap = [1.0, token_f1(answer.text, item.answers), meteor(answer.text, item.answers)]
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
        if not resamples or items < 2:
            return MetricSummary(mean, deviation)
        rng = np.random.default_rng(seed)
        weights = rng.multinomial(items, [1 / items] * items, size=resamples).astype(float)
        flat = np.moveaxis(counts, 2, 0).reshape(items, -1)
        sums = (weights @ flat).reshape(resamples, *counts.shape[:2], counts.shape[3])
        means = np.nanmean(formula(sums).reshape(resamples, -1), axis=1)
        low, high = np.nanpercentile(means, [2.5, 97.5])
    return MetricSummary(mean, deviation, float(low), float(high))


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


def measure_calibration(
    probabilities: Sequence[float], gold: Sequence[bool], bins: int = 10
) -> dict[str, Any]:
    """Measure the calibration of the probability of yes.

    ``ece`` is the expected calibration error: the mean distance between probability and share of yes over bins of equal
    width, weighted by their size. ``brier`` is the mean squared distance between probability and label. 0 is best for
    both; a constant probability of one half has a Brier score of 0.25.
    """
    import numpy as np

    p, y = np.asarray(probabilities, dtype=float), np.asarray(gold, dtype=float)
    if not p.size:
        return {"ece": None, "brier": None, "mean": None, "bins": []}
    places = np.minimum((p * bins).astype(int), bins - 1)
    rows = [
        {
            "low": at / bins,
            "count": int(inside.sum()),
            "predicted": float(p[inside].mean()),
            "true": float(y[inside].mean()),
        }
        for at in range(bins)
        if (inside := places == at).any()
    ]
    ece = sum(row["count"] * abs(row["predicted"] - row["true"]) for row in rows) / p.size
    return {"ece": ece, "brier": float(((p - y) ** 2).mean()), "mean": float(p.mean()), "bins": rows}


_TOKEN = re.compile(r"\w+|[^\w\s]")
_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
BLEU_COLUMNS = 10
"""Matched and total n-grams of four lengths, the length of the answer and of the reference."""


def _tokenize(text: str) -> list[str]:
    """Return words and punctuation, case-folded."""
    return _TOKEN.findall(text.casefold())


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Compute F1 over bags of tokens, with the best reference.

    0 means no token in common; 1 means the same tokens in any order.
    """
    predicted = Counter(_tokenize(answer))
    best = 0.0
    for reference in references:
        gold = Counter(_tokenize(reference))
        total = predicted.total() + gold.total()
        best = max(best, 2 * (predicted & gold).total() / total if total else 0.0)
    return best


def meteor(answer: str, references: Sequence[str]) -> float:
    """Compute METEOR (Banerjee and Lavie 2005) with the exact and the stem matcher, with the best reference.

    ``P R / (0.9 P + 0.1 R) · (1 - 0.5 (chunks / matches)³)`` over words that are equal or have the same stem (Snowball,
    English). Without a matcher for synonyms or paraphrases, scores are lower than those of implementations with one. 0
    means no match; even a correct answer stays below 1, and a correct single word gets one half.
    """
    return max((_meteor(_tokenize(answer), _tokenize(reference)) for reference in references), default=0.0)


def _meteor(predicted: Sequence[str], gold: Sequence[str]) -> float:
    pairs = _align(predicted, gold)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(predicted), len(pairs) / len(gold)
    mean: float = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
    chunks = 1 + sum(
        (second[0] - first[0], second[1] - first[1]) != (1, 1) for first, second in pairwise(pairs)
    )
    return float(mean * (1 - _GAMMA * (chunks / len(pairs)) ** _BETA))


def _align(predicted: Sequence[str], gold: Sequence[str]) -> list[tuple[int, int]]:
    """Pair equal words first, then words with the same stem; prefer the position that continues a chunk."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    stem = _stemmer()
    for form in (lambda word: word, stem):
        places: dict[str, list[int]] = {}
        for at, word in enumerate(gold):
            if at not in taken:
                places.setdefault(form(word), []).append(at)
        for at, word in enumerate(predicted):
            free = [place for place in places.get(form(word), ()) if place not in taken]
            if at in pairs or not free:
                continue
            after = pairs.get(at - 1, -2) + 1
            pairs[at] = after if after in free else free[0]
            taken.add(pairs[at])
    return sorted(pairs.items())


@cache
def _stemmer() -> Any:
    try:
        import snowballstemmer
    except ModuleNotFoundError as error:
        raise MissingExtra("METEOR", "snowballstemmer", "lm") from error
    return snowballstemmer.stemmer("english").stemWord


@cache
def _bleu() -> Any:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError as error:
        raise MissingExtra("BLEU", "sacrebleu", "lm") from error
    return BLEU(effective_order=True)


def bleu_counts(answer: str, references: Sequence[str]) -> list[float]:
    """Return the counts that one answer adds to corpus BLEU, from sacrebleu (tokenizer 13a)."""
    score = _bleu().sentence_score(answer, list(references))
    return [*map(float, score.counts), *map(float, score.totals), float(score.sys_len), float(score.ref_len)]
