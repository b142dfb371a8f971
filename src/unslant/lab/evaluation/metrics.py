"""Figures over labelled sentences, each with its definition.

A figure is a formula over sums: every sentence brings a row of counts, the rows are added up, and the formula turns the
sums into the figure. So the figure itself and its value on any resample of the sentences come from one place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = [
    "BINS",
    "Classes",
    "Measure",
    "accuracy",
    "area",
    "averaged",
    "brier",
    "calibration_error",
    "f1_of",
    "mean",
]

BINS = 10
"""Of equal width, for the calibration error."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure: what each item counts, and what the sums mean. Undefined is not a number, never 0."""

    counts: Numbers
    """(items, columns)"""
    formula: Callable[[Numbers], Numbers]
    """From (…, columns) to (…)."""

    @property
    def items(self) -> int:
        """How many there are."""
        return len(self.counts)

    def __call__(self, weights: Numbers, /) -> Numbers:
        """Return the figure for each row of item weights, (rows, items)."""
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore"):
            return self.formula(weights @ self.counts)

    @property
    def value(self) -> float | None:
        """The figure; None where it is undefined."""
        import math

        import numpy as np

        found = float(self(np.ones((1, self.items)))[0])
        return found if math.isfinite(found) else None

    def grouped(self, groups: Sequence[Hashable]) -> Measure:
        """Return the same figure over groups of items, so that what belongs together is drawn together."""
        import numpy as np

        places = {name: at for at, name in enumerate(dict.fromkeys(groups))}
        summed = np.zeros((len(places), self.counts.shape[1]))
        np.add.at(summed, [places[name] for name in groups], self.counts)
        return Measure(summed, self.formula)


def mean(values: Sequence[float]) -> Measure:
    """The mean of a number per item."""
    import numpy as np

    counts = np.array([[value, 1.0] for value in values], dtype=float).reshape(len(values), 2)
    return Measure(counts, lambda sums: sums[..., 0] / sums[..., 1])


def averaged(measures: Sequence[Measure]) -> Measure:
    """The mean of figures over different items, such as the parts of a cross-validation; each counts the same."""
    import numpy as np

    widths = [one.counts.shape[1] for one in measures]
    borders = np.concatenate([[0], np.cumsum(widths)])
    counts = np.zeros((sum(one.items for one in measures), int(borders[-1])))
    row = 0
    for at, one in enumerate(measures):
        counts[row : row + one.items, borders[at] : borders[at + 1]] = one.counts
        row += one.items

    def formula(sums: Numbers) -> Numbers:
        parts = [one.formula(sums[..., borders[at] : borders[at + 1]]) for at, one in enumerate(measures)]
        return np.asarray(np.mean(parts, axis=0))

    return Measure(counts, formula)


def accuracy(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Measure:
    """The share of items whose answer is right; 0 none, 1 all."""
    return mean([float(a == b) for a, b in zip(gold, predicted, strict=True)])


def f1_of(hits: Any, predicted: Any, gold: Any) -> Any:
    """The harmonic mean of precision and recall, 2 · hits / (predicted + gold); undefined where both are 0."""
    return 2 * hits / (predicted + gold)


class Classes:
    """Precision, recall and F1 of each class; an item may belong to none, one or several.

    ``macro`` is the mean of the classes' F1, ``weighted`` the mean weighted by how often each class is right. Classes
    that never occur in the gold labels are left out of both. 0: nothing found, 1: everything and nothing else.
    """

    def __init__(
        self,
        gold: Sequence[frozenset[Any]],
        predicted: Sequence[frozenset[Any]],
        names: Sequence[Any] | None = None,
    ) -> None:
        import numpy as np

        found = set().union(*gold)
        self.names = tuple(names) if names is not None else tuple(sorted(found, key=str))
        truth = np.array([[name in one for name in self.names] for one in gold], dtype=float)
        guess = np.array([[name in one for name in self.names] for one in predicted], dtype=float)
        shape = (len(gold), len(self.names))
        truth, guess = truth.reshape(shape), guess.reshape(shape)
        self._counts = np.concatenate([truth * guess, guess, truth], axis=1)
        self._occur = np.array([name in found for name in self.names], dtype=bool)

    @classmethod
    def exclusive(cls, gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Classes:
        """Return the classes of items that belong to exactly one."""
        return cls([frozenset({one}) for one in gold], [frozenset({one}) for one in predicted])

    def _columns(self, sums: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        many = len(self.names)
        return sums[..., :many], sums[..., many : 2 * many], sums[..., 2 * many :]

    def macro(self) -> Measure:
        """The mean F1 of the classes that occur."""
        import numpy as np

        def formula(sums: Numbers) -> Numbers:
            scores = f1_of(*self._columns(sums))[..., self._occur]
            known = np.isfinite(scores)  # in a resample, a class may not occur at all
            return np.asarray(np.where(known, scores, 0).sum(axis=-1) / known.sum(axis=-1))

        return Measure(self._counts, formula)

    def weighted(self) -> Measure:
        """The mean F1 of the classes, each weighted by its share of the gold labels."""
        import numpy as np

        def formula(sums: Numbers) -> Numbers:
            gold = self._columns(sums)[2]
            scores = np.nan_to_num(f1_of(*self._columns(sums)))
            return np.asarray((scores * gold).sum(axis=-1) / gold.sum(axis=-1))

        return Measure(self._counts, formula)

    def f1(self, name: Any) -> Measure:
        """The F1 of one class."""
        at = self.names.index(name)
        return Measure(self._counts, lambda sums: f1_of(*(one[..., at] for one in self._columns(sums))))

    def precision(self, name: Any) -> Measure:
        """The share of the items called so that are so."""
        at = self.names.index(name)

        def formula(sums: Numbers) -> Numbers:
            hits, predicted, _ = self._columns(sums)
            return hits[..., at] / predicted[..., at]

        return Measure(self._counts, formula)

    def recall(self, name: Any) -> Measure:
        """The share of the items that are so that are called so."""
        at = self.names.index(name)

        def formula(sums: Numbers) -> Numbers:
            hits, _, gold = self._columns(sums)
            return hits[..., at] / gold[..., at]

        return Measure(self._counts, formula)


def brier(probabilities: Sequence[float], labels: Sequence[bool]) -> Measure:
    """The mean squared distance of probability and outcome; 0 is best, always saying one half gives 0.25."""
    return mean([(chance - label) ** 2 for chance, label in zip(probabilities, labels, strict=True)])


def calibration_error(probabilities: Sequence[float], labels: Sequence[bool], bins: int = BINS) -> Measure:
    """Expected calibration error: how far, on average, a probability is from the share of cases in which it holds.

    Probabilities are sorted into bins of equal width, the last one closed; in each bin the mean probability is
    compared with the share of positives: Σ n_b / n · | mean probability - share |. 0 is best, 1 worst.
    """
    import numpy as np

    chances = np.asarray(probabilities, dtype=float)
    rows = np.arange(len(chances))
    places = np.minimum((chances * bins).astype(int), bins - 1)
    gaps, total = np.zeros((len(chances), bins)), np.ones((len(chances), 1))
    gaps[rows, places] = chances - np.asarray(labels, dtype=float)
    counts = np.concatenate([gaps, total], axis=1)
    return Measure(counts, lambda sums: np.abs(sums[..., :-1]).sum(axis=-1) / sums[..., -1])


def area(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """The area under the ROC curve: how often a positive scores above a negative, a tie counting half.

    0.5 is chance; None where there are no positives or no negatives.
    """
    import numpy as np

    ours, theirs = _split(scores, labels)
    if not len(ours) or not len(theirs):
        return None
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, side="left")
    up_to = np.searchsorted(ordered, ours, side="right")
    return float((below + up_to).sum() / (2 * len(ours) * len(theirs)))


def _split(scores: Sequence[float], labels: Sequence[bool]) -> tuple[Numbers, Numbers]:
    import numpy as np

    values, positive = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    return values[positive], values[~positive]
