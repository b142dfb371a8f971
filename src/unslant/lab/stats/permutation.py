"""Permutation tests: how often chance alone gives a statistic as large as the observed one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.intp]

__all__ = ["draw_swaps", "p_value", "permute_within"]

_TOLERANCE = 1e-12  # sums in another order differ in the last digit


def p_value(observed: float, draws: Numbers) -> float:
    """Return how probable a value at least as large as the observed one is under the null hypothesis.

    Formula: (1 + number of draws ≥ observed) / (1 + number of draws), so that it is never 0. Near 0: chance hardly
    explains the value; 1: every draw reaches it. For a two-sided test pass absolute values.
    """
    reached = int((draws >= observed - _TOLERANCE).sum())
    return (1 + reached) / (1 + len(draws))


def permute_within(groups: Sequence[Places], count: int, seed: int) -> Places:
    """Permute the items of each group: (count, items), for groups of positions that cover all items once."""
    import numpy as np

    generator = np.random.default_rng(seed)
    permuted = np.empty((count, sum(map(len, groups))), dtype=np.intp)
    for places in groups:
        permuted[:, places] = generator.permuted(np.tile(places, (count, 1)), axis=1)
    return permuted


def draw_swaps(sizes: Sequence[int], count: int, seed: int) -> list[NDArray[np.bool_]]:
    """Return, for each block of pairs, which pairs exchange their two values in each draw: (count, size) each."""
    import numpy as np

    generator = np.random.default_rng(seed)
    return [generator.random((count, size)) < 0.5 for size in sizes]
