"""Permutation tests: the p-value, and what is exchanged."""

from __future__ import annotations

import numpy as np
import pytest

from unslant.lab.stats.permutation import draw_swaps, p_value, permute_within


def test_the_p_value_counts_draws_that_reach_the_observed_value_and_is_never_0() -> None:
    draws = np.array([0.1, 0.2, 0.3, 0.4])
    assert p_value(0.3, draws) == pytest.approx(3 / 5)
    assert p_value(9.0, draws) == pytest.approx(1 / 5)
    assert p_value(0.0, draws) == 1.0


def test_a_rounding_error_does_not_hide_an_equal_draw() -> None:
    assert p_value(0.1 + 0.2, np.array([0.3])) == 1.0


def test_items_are_permuted_within_their_group_only() -> None:
    groups = [np.array([0, 2]), np.array([1, 3, 4])]
    permuted = permute_within(groups, 50, seed=0)
    for row in permuted:
        assert sorted(row[[0, 2]]) == [0, 2]
        assert sorted(row[[1, 3, 4]]) == [1, 3, 4]
    assert (permuted == permute_within(groups, 50, seed=0)).all()
    assert len({tuple(row) for row in permuted}) > 5


def test_about_half_of_all_pairs_are_swapped() -> None:
    first, second = draw_swaps([40, 10], 100, seed=0)
    assert first.shape == (100, 40)
    assert second.shape == (100, 10)
    assert first.mean() == pytest.approx(0.5, abs=0.03)
