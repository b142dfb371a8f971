"""Intervals, comparison and the error over folds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unslant.lab.stats.bootstrap import (
    Resampling,
    basic_interval,
    compare_paired,
    draw_swaps,
    draw_within,
    estimate_metric,
    estimate_metrics,
    p_value,
    percentile_interval,
    permute_within,
    standard_error,
)
from unslant.lab.stats.metrics import accuracy, mean

THOUSAND = Resampling(1000, seed=3)


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    found = estimate_metric(mean([1.0] * 80 + [0.0] * 20), THOUSAND)
    spread = 1.96 * math.sqrt(0.8 * 0.2 / 100)
    assert found.value == pytest.approx(0.8)
    assert found.low == pytest.approx(0.8 - spread, abs=0.02)
    assert found.high == pytest.approx(0.8 + spread, abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_none_is_asked_for_none() -> None:
    measure = mean([1.0, 0.0, 1.0, 1.0])
    assert estimate_metric(measure, THOUSAND) == estimate_metric(measure, THOUSAND)
    bare = estimate_metric(measure, Resampling(0))
    assert (bare.value, bare.low, bare.high) == (0.75, None, None)


def test_figures_over_different_items_keep_their_order() -> None:
    found = estimate_metrics({"b": mean([1.0]), "a": mean([0.0, 1.0]), "c": mean([0.0])}, Resampling(10))
    assert [(name, item.value) for name, item in found.items()] == [("b", 1.0), ("a", 0.5), ("c", 0.0)]


def test_a_system_that_is_always_better_is_surely_better() -> None:
    gold = ["x"] * 50
    good, bad = accuracy(gold, gold), accuracy(gold, ["x"] * 25 + ["y"] * 25)
    found = compare_paired(good, bad, THOUSAND)
    assert found.value == pytest.approx(0.5)
    assert found.low > 0.3
    assert found.p == 0.0
    assert compare_paired(bad, good, THOUSAND).value == pytest.approx(-0.5)


def test_equal_systems_differ_by_chance_only() -> None:
    gold = ["x"] * 40
    left, right = accuracy(gold, ["x"] * 20 + ["y"] * 20), accuracy(gold, ["y"] * 20 + ["x"] * 20)
    found = compare_paired(left, right, THOUSAND)
    assert found.value == 0.0
    assert found.low < 0 < found.high
    assert compare_paired(left, left, THOUSAND).p == 1.0


def test_systems_are_compared_on_the_same_items() -> None:
    with pytest.raises(ValueError, match="on 1 and on 2 items"):
        compare_paired(mean([1.0]), mean([1.0, 0.0]), THOUSAND)


def test_the_standard_error_is_the_deviation_over_the_root() -> None:
    # deviations -2, 0, 2: variance 8 / 2 = 4; error 2 / root of 3
    assert standard_error([1.0, 3.0, 5.0]) == pytest.approx(2 / math.sqrt(3))
    assert standard_error([0.5]) is None


def test_the_basic_interval_contains_the_value_and_subtracts_what_resampling_added() -> None:
    low, high = basic_interval(0.1, np.array([0.3, 0.31, 0.32]), 0.95)
    assert low < 0
    assert high == 0.1
    assert basic_interval(0.3, np.linspace(0.25, 0.35, 1001), 0.95) == pytest.approx((0.2525, 0.3475))


def test_a_stratified_resample_draws_every_item_from_its_own_stratum() -> None:
    strata = [np.array([0, 3]), np.array([1, 2, 4])]
    drawn = draw_within(strata, 200, seed=1)
    assert drawn.shape == (200, 5)
    assert set(drawn[:, [0, 3]].ravel()) == {0, 3}
    assert set(drawn[:, [1, 2, 4]].ravel()) == {1, 2, 4}
    assert (drawn == draw_within(strata, 200, seed=1)).all()


def test_percentiles_are_taken_column_by_column() -> None:
    draws = np.stack([np.linspace(0, 1, 101), np.linspace(10, 20, 101)], axis=1)
    low, high = percentile_interval(draws, 0.9)
    assert low == pytest.approx([0.05, 10.5])
    assert high == pytest.approx([0.95, 19.5])


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
