"""Krippendorff's alpha, in time linear in the ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unslant.lab.corpora.agreement.ratings import Ratings, Scale
from unslant.lab.stats.bootstrap import Estimate, Resampling, Statistic, estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["alpha", "alpha_statistic"]

_NOMINAL = Scale()


def alpha(ratings: Ratings, scale: Scale = _NOMINAL, resampling: Resampling | None = None) -> Estimate:
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


def alpha_statistic(ratings: Ratings, scale: Scale) -> Statistic:
    """Return alpha as a function of item weights."""
    if scale.level == "nominal":
        return _nominal(ratings)
    if scale.level == "interval":
        return _interval(ratings, scale)
    return _ordinal(ratings, scale)


def _nominal(ratings: Ratings) -> Statistic:
    import numpy as np

    counts, sizes = _pairable(ratings.counts())
    within = (counts * (sizes[:, None] - counts)).sum(axis=1) / np.maximum(sizes - 1, 1)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        totals = weights @ counts
        n = totals.sum(axis=1)
        observed = weights @ within / n
        expected = (n**2 - (totals**2).sum(axis=1)) / (n * (n - 1))
        return _one_minus(observed, expected)

    return statistic


def _interval(ratings: Ratings, scale: Scale) -> Statistic:
    import numpy as np

    values = np.array(scale.values(ratings.labels), dtype=np.float64)
    value = values[ratings.label] - (
        values.mean() if len(values) else 0.0
    )  # centred: exact for large numbers
    items = len(ratings.items)
    sizes = np.bincount(ratings.item, minlength=items).astype(np.float64)
    sums = np.bincount(ratings.item, weights=value, minlength=items)
    squares = np.bincount(ratings.item, weights=value**2, minlength=items)
    sizes, sums, squares = (np.where(sizes >= 2, column, 0.0) for column in (sizes, sums, squares))
    within = 2 * (sizes * squares - sums**2) / np.maximum(sizes - 1, 1)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        n = weights @ sizes
        observed = weights @ within / n
        expected = 2 * (n * (weights @ squares) - (weights @ sums) ** 2) / (n * (n - 1))
        return _one_minus(observed, expected)

    return statistic


def _ordinal(ratings: Ratings, scale: Scale) -> Statistic:
    import numpy as np

    order = np.argsort(np.array(scale.values(ratings.labels)), kind="stable")
    counts, sizes = _pairable(ratings.counts()[:, order])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([one(row) for row in weights])

    def one(weights: NDArray[np.float64]) -> np.float64:
        totals = weights @ counts
        # The ordinal distance is the squared difference of mid-ranks, and ranks change with the resample.
        ranks = np.cumsum(totals) - totals / 2
        ranks -= ranks.mean()
        sums, squares = counts @ ranks, counts @ ranks**2
        within = 2 * (sizes * squares - sums**2) / np.maximum(sizes - 1, 1)
        n = totals.sum()
        expected = 2 * (n * (totals @ ranks**2) - (totals @ ranks) ** 2) / (n * (n - 1))
        return np.float64(_one_minus(weights @ within / n, expected))

    return statistic


def _pairable(
    counts: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Blank the items that have a single rating: there is nothing to compare it with."""
    import numpy as np

    sizes = counts.sum(axis=1)
    counts = np.where(sizes[:, None] >= 2, counts, 0.0)
    return counts, counts.sum(axis=1)


def _one_minus(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    # Rounding may leave a trace of spread where all labels are equal.
    return np.where(expected > 1e-12, 1 - observed / np.where(expected > 1e-12, expected, 1.0), np.nan)
