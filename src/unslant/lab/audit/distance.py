"""How far two samples of judgements are apart.

The base rate of a set of texts is the distribution of the probabilities that a judge gives them. Two base rates are
compared by the second-order sliced Wasserstein distance: the root of the mean squared distance that probability has to
be moved, over directions. In one dimension there is one direction, and the distance is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["PROJECTIONS", "coupling", "sliced_wasserstein", "sorted_distance"]

PROJECTIONS = 128
"""Directions, where there is more than one dimension."""


def sliced_wasserstein(a: ArrayLike, b: ArrayLike, projections: int = PROJECTIONS, seed: int = 0) -> float:
    """Return the second-order sliced Wasserstein distance of two samples.

    Samples are rows of numbers, or single numbers; their sizes may differ. Formula: the root of the mean over
    directions θ of ∫ (F⁻¹(q) - G⁻¹(q))² dq, where F and G are the distributions of ``a·θ`` and ``b·θ``. 0 means the
    same distribution; for probabilities it is at most 1, reached when all of one are 0 and all of the other 1.
    """
    import numpy as np

    one, other = _rows(a), _rows(b)
    if one.shape[1] != other.shape[1]:
        raise ValueError(f"samples of {one.shape[1]} and of {other.shape[1]} dimensions")
    if one.shape[1] > 1:
        directions = np.random.default_rng(seed).normal(size=(one.shape[1], projections))
        directions /= np.linalg.norm(directions, axis=0, keepdims=True)
        one, other = one @ directions, other @ directions
    squared = sorted_distance(np.sort(one.T), np.sort(other.T)) ** 2
    return float(np.sqrt(squared.mean()))


def sorted_distance(one: Numbers, other: Numbers) -> Numbers:
    """Return the Wasserstein distance of order 2 of each row of one with the same row of the other, both sorted.

    (…, n) and (…, m) give (…).
    """
    import numpy as np

    left, right, weights = coupling(one.shape[-1], other.shape[-1])
    return np.asarray(np.sqrt((weights * (one[..., left] - other[..., right]) ** 2).sum(axis=-1)))


def coupling(n: int, m: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers]:
    """Return how n sorted points are carried onto m: which goes to which, with how much of the whole.

    It depends on nothing but the two sizes, so one coupling serves all resamples.
    """
    import numpy as np

    # in whole numbers of 1/(n·m), so that borders that should meet do meet
    borders = np.union1d(np.arange(n + 1, dtype=np.int64) * m, np.arange(m + 1, dtype=np.int64) * n)
    starts = borders[:-1]
    return starts // m, starts // n, np.diff(borders) / (n * m)


def _rows(sample: ArrayLike) -> Numbers:
    import numpy as np

    found = np.asarray(sample, dtype=np.float64)
    if not found.size:
        raise ValueError("an empty sample has no distribution")
    found = found.reshape(len(found), -1) if found.ndim else found.reshape(1, 1)
    if not np.isfinite(found).all():
        raise ValueError("a sample holds something that is not a number")
    return found
