"""Intervals, comparison and the error over folds."""

from __future__ import annotations

import math

import pytest

from unslant.lab.evaluation.metrics import accuracy, mean
from unslant.lab.evaluation.significance import Resampling, interval, intervals, paired, standard_error

THOUSAND = Resampling(1000, seed=3)


def test_the_interval_of_a_share_is_that_of_the_binomial() -> None:
    found = interval(mean([1.0] * 80 + [0.0] * 20), THOUSAND)
    spread = 1.96 * math.sqrt(0.8 * 0.2 / 100)
    assert found.value == pytest.approx(0.8)
    assert found.low == pytest.approx(0.8 - spread, abs=0.02)
    assert found.high == pytest.approx(0.8 + spread, abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_none_is_asked_for_none() -> None:
    measure = mean([1.0, 0.0, 1.0, 1.0])
    assert interval(measure, THOUSAND) == interval(measure, THOUSAND)
    bare = interval(measure, Resampling(0))
    assert (bare.value, bare.low, bare.high) == (0.75, None, None)


def test_figures_over_different_items_keep_their_order() -> None:
    found = intervals({"b": mean([1.0]), "a": mean([0.0, 1.0]), "c": mean([0.0])}, Resampling(10))
    assert [(name, one.value) for name, one in found.items()] == [("b", 1.0), ("a", 0.5), ("c", 0.0)]


def test_a_system_that_is_always_better_is_surely_better() -> None:
    gold = ["x"] * 50
    good, bad = accuracy(gold, gold), accuracy(gold, ["x"] * 25 + ["y"] * 25)
    found = paired(good, bad, THOUSAND)
    assert found.value == pytest.approx(0.5)
    assert found.low > 0.3
    assert found.chance == 0.0
    assert paired(bad, good, THOUSAND).value == pytest.approx(-0.5)


def test_equal_systems_differ_by_chance_only() -> None:
    gold = ["x"] * 40
    left, right = accuracy(gold, ["x"] * 20 + ["y"] * 20), accuracy(gold, ["y"] * 20 + ["x"] * 20)
    found = paired(left, right, THOUSAND)
    assert found.value == 0.0
    assert found.low < 0 < found.high
    assert paired(left, left, THOUSAND).chance == 1.0


def test_systems_are_compared_on_the_same_items() -> None:
    with pytest.raises(ValueError, match="on 1 and on 2 items"):
        paired(mean([1.0]), mean([1.0, 0.0]), THOUSAND)


def test_the_standard_error_is_the_deviation_over_the_root() -> None:
    # deviations -2, 0, 2: variance 8 / 2 = 4; error 2 / root of 3
    assert standard_error([1.0, 3.0, 5.0]) == pytest.approx(2 / math.sqrt(3))
    assert standard_error([0.5]) is None
