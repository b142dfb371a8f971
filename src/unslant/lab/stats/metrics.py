"""Classification and calibration metrics, each with its definition.

A metric is a formula over sums: every item brings a row of counts, the rows are added up, and the formula turns the
sums into a value. So the value itself and its value on any resample of the items come from one place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unslant.core.encoding import Encoded

if TYPE_CHECKING:
    from unslant.core.types import Span

Numbers: TypeAlias = NDArray[np.float64]


BINS = 10
"""The number of bins of equal width for the calibration error."""


@dataclass(frozen=True, slots=True)
class Metric:
    """The counts of each item, and the formula over their sums. An undefined value is NaN, never 0."""

    counts: Numbers
    """(items, columns)"""
    formula: Callable[[Numbers], Numbers]
    """From (…, columns) to (…)."""

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.counts)

    def __call__(self, weights: Numbers, /) -> Numbers:
        """Return the value for each row of item weights, (rows, items)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.formula(weights @ self.counts)

    @property
    def value(self) -> float | None:
        """The value over all items; None where it is undefined."""
        found = float(self(np.ones((1, self.items)))[0])
        return found if math.isfinite(found) else None

    def group_items(self, groups: Sequence[Hashable]) -> Metric:
        """Return the same metric over groups of items, so that items of one group are resampled together."""
        places = {name: at for at, name in enumerate(dict.fromkeys(groups))}
        summed = np.zeros((len(places), self.counts.shape[1]))
        np.add.at(summed, [places[name] for name in groups], self.counts)
        return Metric(summed, self.formula)


def mean(values: Sequence[float]) -> Metric:
    """The mean of one number per item, Σ x / n. Undefined without items."""
    counts = np.array([[value, 1.0] for value in values], dtype=float).reshape(len(values), 2)
    return Metric(counts, lambda sums: sums[..., 0] / sums[..., 1])


def average_metrics(metrics: Sequence[Metric], *, same_items: bool = False) -> Metric:
    """The unweighted mean of metrics, over different items such as folds, or over the same ones such as runs."""
    borders = np.concatenate([[0], np.cumsum([metric.counts.shape[1] for metric in metrics])])
    if same_items:
        counts = np.concatenate([metric.counts for metric in metrics], axis=1)
    else:
        counts = np.zeros((sum(metric.items for metric in metrics), int(borders[-1])))
        row = 0
        for at, metric in enumerate(metrics):
            counts[row : row + metric.items, borders[at] : borders[at + 1]] = metric.counts
            row += metric.items

    def formula(sums: Numbers) -> Numbers:
        parts = zip(metrics, pairwise(borders), strict=True)
        values = [metric.formula(sums[..., low:high]) for metric, (low, high) in parts]
        return np.asarray(np.mean(values, axis=0))

    return Metric(counts, formula)


def ratios(
    rows: Iterable[Sequence[float]],
    columns: Mapping[str, tuple[int, int]],
    groups: Sequence[Hashable] | None = None,
) -> dict[str, Metric]:
    """Return metrics over counts, a row per item: by name the column above and the one below the line."""
    given = list(rows)
    width = len(given[0]) if given else 1 + max(max(pair) for pair in columns.values())
    counts = np.array(given, dtype=float).reshape(len(given), width)

    def ratio(above: int, below: int) -> Metric:
        found = Metric(counts, lambda sums: sums[..., above] / sums[..., below])
        return found if groups is None else found.group_items(groups)

    return {name: ratio(*pair) for name, pair in columns.items()}


def accuracy(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Metric:
    """The share of items predicted correctly, correct / n. 0: none, 1: all; higher is better."""
    return mean([float(a == b) for a, b in zip(gold, predicted, strict=True)])


def f1_score(hits: Any, predicted: Any, gold: Any) -> Any:
    """The harmonic mean of precision and recall, 2 · hits / (predicted + gold).

    0: nothing correct, 1: everything found and nothing else; higher is better. Undefined where both counts are 0.
    Takes numbers or arrays.
    """
    return 2 * hits / (predicted + gold)


class ClassMetrics:
    """Precision, recall and F1 of each class; an item may belong to none, one or several.

    For all of them 0 means nothing correct and 1 everything; higher is better. Classes that never occur in the gold
    labels are left out of ``macro`` and ``weighted``.
    """

    def __init__(
        self,
        gold: Sequence[frozenset[Any]],
        predicted: Sequence[frozenset[Any]],
        names: Sequence[Any] | None = None,
    ) -> None:
        found = set().union(*gold)
        self.names = tuple(names) if names is not None else tuple(sorted(found, key=str))
        shape = (len(gold), len(self.names))
        truth, guess = (
            np.array([[name in labels for name in self.names] for labels in rows], dtype=float).reshape(shape)
            for rows in (gold, predicted)
        )
        self._counts = np.concatenate([truth * guess, guess, truth], axis=1)
        self._occur = np.array([name in found for name in self.names], dtype=bool)

    @classmethod
    def exclusive(cls, gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> ClassMetrics:
        """Return the metrics of items that belong to exactly one class."""
        return cls([frozenset({label}) for label in gold], [frozenset({label}) for label in predicted])

    def macro(self) -> Metric:
        """The unweighted mean of the classes' F1, Σ F1_c / classes, over the classes that occur."""

        def formula(sums: Numbers) -> Numbers:
            scores = f1_score(*self._columns(sums))[..., self._occur]
            known = np.isfinite(scores)  # in a resample, a class may not occur at all
            return np.asarray(np.where(known, scores, 0).sum(axis=-1) / known.sum(axis=-1))

        return Metric(self._counts, formula)

    def weighted(self) -> Metric:
        """The mean of the classes' F1 weighted by their share of the gold labels, Σ n_c · F1_c / Σ n_c."""

        def formula(sums: Numbers) -> Numbers:
            gold = self._columns(sums)[2]
            scores = np.nan_to_num(f1_score(*self._columns(sums)))
            return np.asarray((scores * gold).sum(axis=-1) / gold.sum(axis=-1))

        return Metric(self._counts, formula)

    def f1(self, name: Any) -> Metric:
        """The F1 of one class, 2 · hits / (predicted + gold)."""
        return self._of(name, f1_score)

    def precision(self, name: Any) -> Metric:
        """The share of items predicted as a class that belong to it, hits / predicted."""
        return self._of(name, lambda hits, predicted, _: hits / predicted)

    def recall(self, name: Any) -> Metric:
        """The share of items of a class that are predicted as it, hits / gold."""
        return self._of(name, lambda hits, _, gold: hits / gold)

    def _of(self, name: Any, formula: Callable[[Numbers, Numbers, Numbers], Numbers]) -> Metric:
        at = self.names.index(name)
        return Metric(
            self._counts, lambda sums: formula(*(column[..., at] for column in self._columns(sums)))
        )

    def _columns(self, sums: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        classes = len(self.names)
        return sums[..., :classes], sums[..., classes : 2 * classes], sums[..., 2 * classes :]


def brier_score(probabilities: Sequence[float], labels: Sequence[bool]) -> Metric:
    """The mean squared distance of probability and outcome, Σ (p - y)² / n.

    0: always certain and right, 1: always certain and wrong; lower is better. Always predicting 0.5 gives 0.25.
    """
    return mean([(chance - label) ** 2 for chance, label in zip(probabilities, labels, strict=True)])


def calibration_error(probabilities: Sequence[float], labels: Sequence[bool], bins: int = BINS) -> Metric:
    """Expected calibration error (ECE): how far probabilities are, on average, from observed frequencies.

    Formula: Σ_b n_b / n · |mean probability in b - share of positives in b|, over bins of equal width, the last one
    closed. 0: perfectly calibrated, 1: always certain and wrong; lower is better.
    """
    chances = np.asarray(probabilities, dtype=float)
    rows = np.arange(len(chances))
    places = np.minimum((chances * bins).astype(int), bins - 1)
    gaps, total = np.zeros((len(chances), bins)), np.ones((len(chances), 1))
    gaps[rows, places] = chances - np.asarray(labels, dtype=float)
    counts = np.concatenate([gaps, total], axis=1)
    return Metric(counts, lambda sums: np.abs(sums[..., :-1]).sum(axis=-1) / sums[..., -1])


@dataclass(frozen=True, slots=True)
class ReliabilityBin(Encoded):
    """The items whose probability lies between two borders: one bar of a reliability diagram."""

    low: float
    high: float
    count: int
    confidence: float | None
    """The mean probability; None where the bin is empty."""
    share: float | None
    """The share of positives; None where the bin is empty."""


def reliability_bins(
    probabilities: Sequence[float], labels: Sequence[bool], bins: int = BINS
) -> list[ReliabilityBin]:
    """Sort probabilities into bins of equal width, the last one closed."""
    groups: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for chance, label in zip(probabilities, labels, strict=True):
        groups[min(int(chance * bins), bins - 1)].append((chance, label))

    def average(values: Iterable[float], count: int) -> float | None:
        return sum(values) / count if count else None

    return [
        ReliabilityBin(
            at / bins,
            (at + 1) / bins,
            len(group),
            average((chance for chance, _ in group), len(group)),
            average((label for _, label in group), len(group)),
        )
        for at, group in enumerate(groups)
    ]


def roc_auc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """The area under the ROC curve: how often a positive scores above a negative, a tie counting half.

    Formula: (pairs in the right order + ties / 2) / pairs. 0: every pair is in the wrong order, 0.5: chance, 1: every
    pair is in the right order; higher is better. None where there are no positives or no negatives.
    """
    values, positive = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    above, below = values[positive], np.sort(values[~positive])
    if not len(above) or not len(below):
        return None
    lower = np.searchsorted(below, above, side="left")
    up_to = np.searchsorted(below, above, side="right")
    return float((lower + up_to).sum() / (2 * len(above) * len(below)))


def wilson_interval(hits: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's interval for a share, by default at 95 %; it stays within 0 and 1 and needs no resampling.

    With ``p = hits / total``, its centre is ``(p + z^2 / 2n) / (1 + z^2 / n)``. Without items it is (0, 1).
    """
    if total == 0:
        return 0.0, 1.0
    share, spread = hits / total, z * z / total
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    return max(0.0, (share + spread / 2 - half) / (1 + spread)), min(
        1.0, (share + spread / 2 + half) / (1 + spread)
    )


def f1(hits: float, predicted: float, gold: float) -> float:
    """Return the harmonic mean of precision and recall; 0 without hits."""
    return float(f1_score(hits, predicted, gold)) if predicted + gold else 0.0


def macro_f1(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the mean F1 of the classes that occur in the gold labels."""
    return ClassMetrics.exclusive(gold, predicted).macro().value or 0.0 if gold else 0.0


def span_f1(gold: Sequence[Iterable[Span]], predicted: Sequence[Iterable[Span]]) -> tuple[float, float]:
    """Return exact and overlap F1 of spans.

    Exact: same start and end. Overlap: precision is the share of predicted spans that overlap a gold span, recall the
    share of gold spans that overlap a predicted one.
    """
    exact = met = found = wanted = hit = 0
    for truth, guess in zip(map(list, gold), map(list, predicted), strict=True):
        exact += len(set(truth) & set(guess))
        met += sum(any(span.overlaps(other) for other in truth) for span in guess)
        hit += sum(any(span.overlaps(other) for other in guess) for span in truth)
        found += len(guess)
        wanted += len(truth)
    precision, recall = met / found if found else 0.0, hit / wanted if wanted else 0.0
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f1(exact, found, wanted), both


def best_threshold(gold: Sequence[bool], probabilities: Sequence[float]) -> float:
    """Return the threshold with the best F1 of the positive class, midway between two neighbouring scores."""
    ranked = sorted(zip(probabilities, gold, strict=True), reverse=True)
    total = sum(gold)
    best, threshold, hits = 0.0, 0.5, 0
    for index, (score, label) in enumerate(ranked):
        hits += label
        last = index + 1 == len(ranked)
        following = 0.0 if last else ranked[index + 1][0]
        if (last or following < score) and (value := f1(hits, index + 1, total)) > best:
            middle = (score + following) / 2
            best, threshold = value, middle if middle > following else score
    return threshold
