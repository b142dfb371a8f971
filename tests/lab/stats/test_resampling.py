"""Resampling and permutation: what is drawn, what stays fixed, and numbers that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.stats.bootstrap import (
    Difference,
    Estimate,
    Resampling,
    basic_interval,
    compare_paired,
    draw_swaps,
    draw_weights,
    draw_within,
    estimate,
    estimates,
    p_value,
    percentile_interval,
    permute_within,
    standard_error,
)
from unslant.lab.stats.metrics import accuracy, mean


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 5))
@settings(max_examples=30)
def test_a_resample_draws_as_many_items_as_there_are(items: int, resamples: int, seed: int) -> None:
    blocks = list(draw_weights(items, Resampling(resamples, seed)))
    weights = np.concatenate(blocks)
    assert weights.shape == (resamples, items)
    assert (weights.sum(axis=1) == items).all()
    assert (weights >= 0).all()


def test_nothing_is_drawn_from_nothing() -> None:
    assert list(draw_weights(0, Resampling(10))) == []
    assert list(draw_weights(5, Resampling(0))) == []


def test_the_seed_decides() -> None:
    first, again = (np.concatenate(list(draw_weights(7, Resampling(20, 3)))) for _ in range(2))
    other = np.concatenate(list(draw_weights(7, Resampling(20, 4))))
    assert (first == again).all()
    assert not (first == other).all()


def test_a_constant_has_an_interval_of_no_width() -> None:
    found = estimate(mean([0.7] * 12), 12, Resampling(50))
    assert (found.value, found.low, found.high) == pytest.approx((0.7, 0.7, 0.7))


def test_an_undefined_statistic_has_no_interval() -> None:
    assert estimate(mean([]), 0, Resampling(10)) == Estimate(None)


def test_statistics_share_their_resamples() -> None:
    metric = mean([1.0, 2.0, 3.0, 4.0])
    found = estimates(
        {"once": metric, "double": lambda weights: 2 * metric(weights)}, 4, Resampling(100, seed=1)
    )
    assert found["double"].value == pytest.approx(2 * (found["once"].value or 0))
    assert found["double"].low == pytest.approx(2 * (found["once"].low or 0))
    assert found["double"].high == pytest.approx(2 * (found["once"].high or 0))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=15), st.sampled_from([0.5, 0.8, 0.95]))
@settings(max_examples=30)
def test_a_higher_level_gives_a_wider_interval(values: list[float], level: float) -> None:
    narrow = estimate(mean(values), len(values), Resampling(60, level=level))
    wide = estimate(mean(values), len(values), Resampling(60, level=0.99))
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low <= narrow.low + 1e-9
    assert (wide.high or 0) >= (narrow.high or 0) - 1e-9


@pytest.mark.parametrize(
    ("level", "low", "high"), [(0.5, 25.0, 75.0), (0.9, 5.0, 95.0), (0.95, 2.5, 97.5), (1.0, 0.0, 100.0)]
)
def test_percentiles_of_a_ladder(level: float, low: float, high: float) -> None:
    found = percentile_interval(np.arange(101.0), level)
    assert (float(found[0]), float(found[1])) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("value", "draws", "expected"),
    [
        # percentiles 0 and 100 around 50: the same, mirrored
        (50.0, np.arange(101.0), (0.0, 100.0)),
        # draws that lie above the value are folded below it
        (0.0, np.arange(101.0), (-100.0, 0.0)),
        (10.0, np.array([10.0, 10.0]), (10.0, 10.0)),
    ],
)
def test_the_basic_interval_mirrors_the_percentiles(
    value: float, draws: np.ndarray, expected: tuple[float, float]
) -> None:
    assert basic_interval(value, draws, 1.0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([1.0, 1.0, 1.0], 0.0),
        ([0.0, 2.0], 1.0),
        # deviations -3, -1, 1, 3: variance 20 / 3; over 4
        ([1.0, 3.0, 5.0, 7.0], (20 / 3 / 4) ** 0.5),
        ([5.0], None),
        ([], None),
    ],
)
def test_the_standard_error_of_folds(values: list[float], error: float | None) -> None:
    assert standard_error(values) == (None if error is None else pytest.approx(error))


def test_a_comparison_is_paired() -> None:
    gold = list("ab" * 20)
    first = accuracy(gold, gold)
    second = accuracy(gold, ["a", "a"] * 20)
    found = compare_paired(first, second, Resampling(200, seed=2))
    assert isinstance(found, Difference)
    assert found.value == pytest.approx(0.5)
    assert found.low <= found.value <= found.high
    turned = compare_paired(second, first, Resampling(200, seed=2))
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p == found.p


@pytest.mark.parametrize(
    ("observed", "draws", "expected"),
    [
        (1.0, [0.0, 0.5, 0.9], 1 / 4),
        (1.0, [1.0, 0.5, 0.9], 2 / 4),
        (0.0, [0.0, 0.5, 0.9], 1.0),
        (0.6, [0.1] * 99, 1 / 100),
        (0.3, [0.1 + 0.2] * 9, 1.0),
    ],
)
def test_a_p_value_counts_draws_that_reach_the_observed_one(
    observed: float, draws: list[float], expected: float
) -> None:
    assert p_value(observed, np.array(draws)) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_a_p_value_is_never_nothing_and_never_more_than_one(draws: list[float], observed: float) -> None:
    assert 0 < p_value(observed, np.array(draws)) <= 1


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 3))
@settings(max_examples=30)
def test_permuting_keeps_every_item_in_its_group(sizes: list[int], seed: int) -> None:
    places, groups = np.arange(sum(sizes)), []
    for size in sizes:
        groups.append(places[:size])
        places = places[size:]
    permuted = permute_within(groups, 15, seed)
    assert permuted.shape == (15, sum(sizes))
    for row in permuted:
        for group in groups:
            assert sorted(row[group]) == sorted(group)


def test_drawing_within_strata_keeps_their_sizes() -> None:
    strata = [np.array([0, 1]), np.array([2, 3, 4])]
    drawn = draw_within(strata, 50, seed=0)
    assert ((drawn[:, :2] < 2).all(), (drawn[:, 2:] >= 2).all()) == (True, True)
    assert len({tuple(row) for row in drawn}) > 10


def test_swaps_are_fair_coins() -> None:
    (few, many) = draw_swaps([2, 5], 4000, seed=0)
    assert few.shape == (4000, 2)
    assert many.shape == (4000, 5)
    assert 0.45 < float(many.mean()) < 0.55
    assert (draw_swaps([2], 10, seed=5)[0] == draw_swaps([2], 10, seed=5)[0]).all()


def test_an_estimate_in_its_wire_form() -> None:
    assert Estimate(0.5, 0.4, 0.6).to_dict() == {"value": 0.5, "low": 0.4, "high": 0.6}
    assert Estimate(None).to_dict() == {"value": None, "low": None, "high": None}
