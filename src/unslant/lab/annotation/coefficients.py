"""Agreement coefficients (percent agreement, Cohen's and Fleiss' kappa, Krippendorff's alpha) of ratings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import InputError, UnknownName
from unslant.lab.corpora.dataset import Annotation
from unslant.lab.stats.bootstrap import Estimate, Resampling, Statistic, estimate
from unslant.lab.stats.metrics import Numbers

Level = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, slots=True)
class RatingScale:
    """The level of measurement of the labels."""

    level: Level = "nominal"
    """``nominal``: equal or not; ``ordinal``: ranked; ``interval``: numbers, or equally spaced steps."""
    order: tuple[str, ...] = ()
    """The labels from lowest to highest; empty: the labels are numbers, or their order does not matter."""

    def values(self, labels: Sequence[str]) -> list[float]:
        """Return the position of each label on the scale; raise an error that names a label without one."""
        if self.order:
            for label in labels:
                if label not in self.order:
                    raise InputError(
                        f"the label {label!r} is not on the scale; the scale has {', '.join(self.order)}"
                    )
            return [float(self.order.index(label)) for label in labels]
        if self.level == "nominal":
            return [float(index) for index in range(len(labels))]
        try:
            return [float(label) for label in labels]
        except ValueError:
            raise InputError(
                f"an {self.level} scale needs numbers or an order, and the labels are {', '.join(labels)}; "
                "give the order with --order low,…,high"
            ) from None


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels by item and annotator; any of them may be missing."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: NDArray[np.int64]
    """For each rating, the place of its item in ``items``; likewise the two below."""
    annotator: NDArray[np.int64]
    label: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.item)

    @classmethod
    def of(cls, annotations: Iterable[Annotation]) -> Ratings:
        """Gather ratings; an annotator may rate an item once."""
        return cls.from_triples(
            (annotation.item, annotation.annotator, annotation.label) for annotation in annotations
        )

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[str, str, str]]) -> Ratings:
        """Gather ratings given as item, annotator, label."""
        items: dict[str, int] = {}
        annotators: dict[str, int] = {}
        labels: dict[str, int] = {}
        seen: set[tuple[int, int]] = set()
        rows: list[tuple[int, int, int]] = []
        for item, annotator, label in triples:
            place = items.setdefault(item, len(items))
            who = annotators.setdefault(annotator, len(annotators))
            if (place, who) in seen:
                raise InputError(f"annotator {annotator} rated the item {item} twice; keep one of the two")
            seen.add((place, who))
            rows.append((place, who, labels.setdefault(label, len(labels))))
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return cls(tuple(items), tuple(annotators), tuple(labels), table[:, 0], table[:, 1], table[:, 2])

    def counts(self) -> Numbers:
        """Return how often each item (row) was given each label (column)."""
        cells = self.item * len(self.labels) + self.label
        flat = np.bincount(cells, minlength=len(self.items) * len(self.labels))
        return flat.reshape(len(self.items), len(self.labels)).astype(np.float64)

    def one_against_rest(self, label: str) -> Ratings:
        """Return the same ratings with two labels: this one, and any other."""
        chosen = (self.label == self.labels.index(label)).astype(np.int64)
        return Ratings(self.items, self.annotators, ("", label), self.item, self.annotator, chosen)


_NOMINAL = RatingScale()


def alpha(ratings: Ratings, scale: RatingScale = _NOMINAL, resampling: Resampling | None = None) -> Estimate:
    """Return Krippendorff's alpha: agreement beyond chance, any number of annotators, gaps allowed.

    Definition: 1 minus the disagreement seen within items over the disagreement between any two ratings whatever
    their items, ``alpha = 1 - D_o / D_e``. With ``n_ic`` ratings of item ``i`` with label ``c``, ``m_i`` ratings of
    the item (items with one are left out) and ``n`` in all,
    ``D_o = 1/n * sum_i sum_{c,k} n_ic n_ik d(c,k) / (m_i - 1)`` and
    ``D_e = 1/(n(n-1)) * sum_{c,k} n_c n_k d(c,k)``. The distance ``d`` is 0 or 1 (nominal), the squared difference
    (interval), or the squared difference of mid-ranks (ordinal).

    1: perfect agreement. 0: as much as by chance. Below 0: systematic disagreement. Higher is better. Undefined
    (None) where no item has two ratings, or only one label was ever used.

    The cost is linear in the ratings: sums of squared differences are had from sums and sums of squares, never from
    pairs of ratings.
    """
    return estimate(alpha_statistic(ratings, scale), len(ratings.items), resampling or Resampling(0))


def alpha_statistic(ratings: Ratings, scale: RatingScale) -> Statistic:
    """Return alpha as a function of item weights."""
    if scale.level == "nominal":
        return _nominal_alpha(ratings)
    if scale.level == "interval":
        return _interval_alpha(ratings, scale)
    return _ordinal_alpha(ratings, scale)


def _nominal_alpha(ratings: Ratings) -> Statistic:
    counts, sizes = _pairable(ratings.counts())
    within = (counts * (sizes[:, None] - counts)).sum(axis=1) / np.maximum(sizes - 1, 1)

    def statistic(weights: Numbers) -> Numbers:
        totals = weights @ counts
        n = totals.sum(axis=1)
        observed = weights @ within / n
        expected = (n**2 - (totals**2).sum(axis=1)) / (n * (n - 1))
        return _one_minus(observed, expected)

    return statistic


def _interval_alpha(ratings: Ratings, scale: RatingScale) -> Statistic:
    values = np.array(scale.values(ratings.labels), dtype=np.float64)
    # centred: exact for large numbers
    value = values[ratings.label] - (values.mean() if len(values) else 0.0)
    items = len(ratings.items)
    sizes = np.bincount(ratings.item, minlength=items).astype(np.float64)
    sums = np.bincount(ratings.item, weights=value, minlength=items)
    squares = np.bincount(ratings.item, weights=value**2, minlength=items)
    sizes, sums, squares = (np.where(sizes >= 2, column, 0.0) for column in (sizes, sums, squares))
    within = 2 * (sizes * squares - sums**2) / np.maximum(sizes - 1, 1)

    def statistic(weights: Numbers) -> Numbers:
        n = weights @ sizes
        observed = weights @ within / n
        expected = 2 * (n * (weights @ squares) - (weights @ sums) ** 2) / (n * (n - 1))
        return _one_minus(observed, expected)

    return statistic


def _ordinal_alpha(ratings: Ratings, scale: RatingScale) -> Statistic:
    order = np.argsort(np.array(scale.values(ratings.labels)), kind="stable")
    counts, sizes = _pairable(ratings.counts()[:, order])

    def value(weights: Numbers) -> np.float64:
        totals = weights @ counts
        # The ordinal distance is the squared difference of mid-ranks, and ranks change with the resample.
        ranks = np.cumsum(totals) - totals / 2
        ranks -= ranks.mean()
        sums, squares = counts @ ranks, counts @ ranks**2
        within = 2 * (sizes * squares - sums**2) / np.maximum(sizes - 1, 1)
        n = totals.sum()
        expected = 2 * (n * (totals @ ranks**2) - (totals @ ranks) ** 2) / (n * (n - 1))
        return np.float64(_one_minus(weights @ within / n, expected))

    return lambda weights: np.array([value(row) for row in weights])


def _pairable(
    counts: Numbers,
) -> tuple[Numbers, Numbers]:
    """Drop items with a single rating: there is nothing to compare it with."""
    sizes = counts.sum(axis=1)
    counts = np.where(sizes[:, None] >= 2, counts, 0.0)
    return counts, counts.sum(axis=1)


def _one_minus(observed: Numbers, expected: Numbers) -> Numbers:
    """Return 1 - observed / expected; rounding may leave a trace of spread where all labels are equal."""
    return np.where(expected > 1e-12, 1 - observed / np.where(expected > 1e-12, expected, 1.0), np.nan)


def percent_agreement(ratings: Ratings, resampling: Resampling | None = None) -> Estimate:
    """Return the share of pairs of ratings of the same item that are equal, averaged over items.

    Formula: the mean over items of ``sum_c n_ic (n_ic - 1) / (m_i (m_i - 1))``; items with one rating are left out.
    1: all agree; 0: no two ratings of an item are equal. Higher is better, but chance is not taken off.
    """
    return estimate(percent_statistic(ratings), len(ratings.items), resampling or Resampling(0))


def fleiss_kappa(ratings: Ratings, resampling: Resampling | None = None) -> Estimate:
    """Return Fleiss' kappa: agreement beyond chance of many annotators.

    Formula: ``(P - P_e) / (1 - P_e)``, where ``P`` is the percent agreement and ``P_e = sum_c p_c^2`` with ``p_c``
    the share of label ``c`` among all ratings. With the same number of ratings for every item this is Fleiss' own
    statistic; items with more or fewer count with their own number of pairs.

    1: perfect. 0: as much as by chance. Higher is better. Undefined where only one label was ever used.
    """
    return estimate(fleiss_statistic(ratings), len(ratings.items), resampling or Resampling(0))


def cohen_kappa(ratings: Ratings, first: str, second: str, resampling: Resampling | None = None) -> Estimate:
    """Return Cohen's kappa: agreement beyond chance of two annotators on the items that both rated.

    Formula: ``(p_o - p_e) / (1 - p_e)``, where ``p_o`` is the share of items with equal labels and
    ``p_e = sum_c p_1c p_2c`` comes from the two annotators' own label shares.

    1: perfect. 0: as much as by chance. Below 0: less. Higher is better. Undefined where they share no item, or both
    used one and the same label throughout.
    """
    for name in (first, second):
        if name not in ratings.annotators:
            raise UnknownName("annotator", name, ratings.annotators)
    pair = (ratings.annotators.index(first), ratings.annotators.index(second))
    return estimate(cohen_statistic(ratings, *pair), len(ratings.items), resampling or Resampling(0))


def _agreement_shares(
    ratings: Ratings,
) -> tuple[Numbers, Numbers, Numbers]:
    """Return counts, the share of agreeing pairs by item, and 1 for the items that have a pair."""
    counts = ratings.counts()
    sizes = counts.sum(axis=1)
    paired = (sizes >= 2).astype(np.float64)
    pairs = np.maximum(sizes * (sizes - 1), 1)
    return counts * paired[:, None], (counts * (counts - 1)).sum(axis=1) / pairs * paired, paired


def percent_statistic(ratings: Ratings) -> Statistic:
    """Return percent agreement as a function of item weights."""
    _, agreed, paired = _agreement_shares(ratings)
    return lambda weights: (weights @ agreed) / (weights @ paired)


def fleiss_statistic(ratings: Ratings) -> Statistic:
    """Return Fleiss' kappa as a function of item weights."""
    counts, agreed, paired = _agreement_shares(ratings)

    def statistic(weights: Numbers) -> Numbers:
        totals = weights @ counts
        shares = totals / totals.sum(axis=1, keepdims=True)
        return _kappa((weights @ agreed) / (weights @ paired), (shares**2).sum(axis=1))

    return statistic


def cohen_statistic(ratings: Ratings, first: int, second: int) -> Statistic:
    """Return Cohen's kappa of two annotators, by their places, as a function of item weights."""
    mine, other = _labels_of(ratings, first), _labels_of(ratings, second)
    both = np.flatnonzero((mine >= 0) & (other >= 0))
    eye = np.eye(max(len(ratings.labels), 1))
    rows, columns = eye[mine[both]], eye[other[both]]
    agreed = (mine[both] == other[both]).astype(np.float64)

    def statistic(weights: Numbers) -> Numbers:
        weights = weights[:, both]
        n = weights.sum(axis=1)
        expected = ((weights @ rows) * (weights @ columns)).sum(axis=1) / n**2
        return _kappa(weights @ agreed / n, expected)

    return statistic


def mean_cohen_statistic(ratings: Ratings) -> Statistic:
    """Return the mean of Cohen's kappa over all pairs of annotators (Light's kappa) by item weights.

    Pairs that share no item, or for which kappa is undefined, are left out of the mean.
    """
    pairs = [cohen_statistic(ratings, *pair) for pair in combinations(range(len(ratings.annotators)), 2)]

    def statistic(weights: Numbers) -> Numbers:
        if not pairs:
            return np.full(len(weights), np.nan)
        values = np.array([pair(weights) for pair in pairs])
        known = np.isfinite(values)
        return np.asarray(np.where(known, values, 0).sum(axis=0) / known.sum(axis=0))

    return statistic


def against_others_statistic(ratings: Ratings, annotator: int) -> Statistic:
    """Return how well one annotator agrees with everyone else beyond chance, as a function of item weights.

    Formula: Cohen's kappa over all pairs of this annotator's rating and another's rating of the same item, pooled.
    1: perfect. 0: as much as by chance. Higher is better.
    """
    own = _labels_of(ratings, annotator)
    rated = np.flatnonzero(own >= 0)
    mine = np.eye(max(len(ratings.labels), 1))[own[rated]]
    others = ratings.counts()[rated] - mine
    sizes = others.sum(axis=1)
    agreed = (others * mine).sum(axis=1)

    def statistic(weights: Numbers) -> Numbers:
        weights = weights[:, rated]
        n = weights @ sizes
        expected = ((weights @ (mine * sizes[:, None])) * (weights @ others)).sum(axis=1) / n**2
        return _kappa(weights @ agreed / n, expected)

    return statistic


def _labels_of(ratings: Ratings, annotator: int) -> NDArray[np.int64]:
    """Return the label that an annotator gave to each item, -1 where none."""
    labels = np.full(len(ratings.items), -1, dtype=np.int64)
    own = ratings.annotator == annotator
    labels[ratings.item[own]] = ratings.label[own]
    return labels


def _kappa(observed: Numbers, expected: Numbers) -> Numbers:
    return _one_minus(1 - observed, 1 - expected)
