"""Figures, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.stats.metrics import (
    ClassMetrics,
    accuracy,
    average_metrics,
    brier_score,
    calibration_error,
    mean,
    roc_auc,
)

# a: 3 gold, 2 predicted, 2 hits; b: 2 gold, 2 predicted, 1 hit; c: 1 gold, 2 predicted, 1 hit
GOLD = list("aaabbc")
GUESS = list("aabbcc")
labels = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=30)


def test_every_class_has_precision_recall_and_f1() -> None:
    classes = ClassMetrics.exclusive(GOLD, GUESS)
    assert classes.names == ("a", "b", "c")
    assert [classes.precision(name).value for name in "abc"] == [1.0, 0.5, 0.5]
    assert [classes.recall(name).value for name in "abc"] == pytest.approx([2 / 3, 1 / 2, 1])
    assert [classes.f1(name).value for name in "abc"] == pytest.approx([4 / 5, 1 / 2, 2 / 3])


def test_macro_counts_classes_alike_and_weighted_by_their_size() -> None:
    classes = ClassMetrics.exclusive(GOLD, GUESS)
    assert classes.macro().value == pytest.approx((4 / 5 + 1 / 2 + 2 / 3) / 3)
    assert classes.weighted().value == pytest.approx((3 * 4 / 5 + 2 * 1 / 2 + 1 * 2 / 3) / 6)
    assert accuracy(GOLD, GUESS).value == pytest.approx(4 / 6)


def test_a_class_that_is_only_predicted_is_no_part_of_the_mean() -> None:
    # a: 2 gold, 1 predicted, 1 hit: 2/3; b: 1, 1, 1: 1. The wrong "c" already costs a its recall.
    assert ClassMetrics.exclusive(list("aab"), list("acb")).macro().value == pytest.approx((2 / 3 + 1) / 2)


def test_a_text_may_have_several_kinds_or_none() -> None:
    gold = [frozenset("ab"), frozenset("a"), frozenset[str](), frozenset("b")]
    guess = [frozenset("a"), frozenset("ab"), frozenset[str](), frozenset("b")]
    classes = ClassMetrics(gold, guess, ["a", "b", "c"])
    assert classes.f1("a").value == 1.0
    assert classes.f1("b").value == pytest.approx(2 * 1 / (2 + 2))
    assert classes.f1("c").value is None  # neither there nor predicted: undefined, not 0
    assert classes.macro().value == pytest.approx(0.75)


def test_calibration_error_is_the_weighted_distance_of_confidence_and_share() -> None:
    # bin 0.2: two at 0.2 and 0.3, none positive: gap 0.25; bin 0.8: two, both 0.9, one positive: gap 0.4
    chances, positive = [0.2, 0.3, 0.9, 0.9], [False, False, True, False]
    assert calibration_error(chances, positive, bins=2).value == pytest.approx(0.5 * 0.25 + 0.5 * 0.4)
    assert brier_score(chances, positive).value == pytest.approx((0.04 + 0.09 + 0.01 + 0.81) / 4)


def test_a_probability_of_one_falls_into_the_last_bin() -> None:
    assert calibration_error([1.0, 0.95], [True, True]).value == pytest.approx(0.025)


def test_the_mean_over_folds_counts_each_fold_alike() -> None:
    few, many = accuracy(["a"], ["b"]), accuracy(["a"] * 3, ["a"] * 3)
    assert average_metrics([few, many]).value == pytest.approx(0.5)
    assert average_metrics([few, many]).items == 4


def test_grouping_changes_what_is_drawn_and_not_the_figure() -> None:
    measure = ClassMetrics.exclusive(GOLD, GUESS).macro()
    grouped = measure.group_items([0, 0, 1, 1, 2, 2])
    assert (grouped.items, measure.items) == (3, 6)
    assert grouped.value == pytest.approx(measure.value)
    # drawing the first group twice is drawing both of its items twice
    twice = grouped(np.array([[2.0, 1.0, 0.0]]))[0]
    assert twice == pytest.approx(measure(np.array([[2.0, 2.0, 1.0, 1.0, 0.0, 0.0]]))[0])


def test_the_area_is_the_share_of_pairs_in_the_right_order() -> None:
    # pairs of a positive and a negative: 0.9 above both; 0.4 above 0.1 and level with 0.4
    assert roc_auc([0.9, 0.4, 0.4, 0.1], [True, True, False, False]) == pytest.approx((1 + 1 + 1 + 0.5) / 4)
    assert roc_auc([0.5], [True]) is None


def test_nothing_to_measure_is_undefined() -> None:
    assert mean([]).value is None
    assert accuracy([], []).value is None
    assert ClassMetrics.exclusive([], []).macro().value is None


@given(labels)
@settings(max_examples=60)
def test_figures_lie_between_none_and_all(pairs: list[tuple[str, str]]) -> None:
    gold, guess = [a for a, _ in pairs], [b for _, b in pairs]
    classes = ClassMetrics.exclusive(gold, guess)
    for measure in (classes.macro(), classes.weighted(), accuracy(gold, guess)):
        assert measure.value is not None
        assert -1e-9 <= measure.value <= 1 + 1e-9
    assert ClassMetrics.exclusive(gold, gold).macro().value == pytest.approx(1)


@given(labels, st.integers(2, 4))
@settings(max_examples=40)
def test_saying_everything_several_times_changes_nothing(pairs: list[tuple[str, str]], times: int) -> None:
    gold, guess = [a for a, _ in pairs], [b for _, b in pairs]
    once, often = ClassMetrics.exclusive(gold, guess), ClassMetrics.exclusive(gold * times, guess * times)
    assert once.macro().value == pytest.approx(often.macro().value)
    weights = np.full((1, len(pairs)), float(times))
    assert once.weighted()(weights)[0] == pytest.approx(once.weighted().value)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=60)
def test_calibration_error_is_the_textbook_sum(cases: list[tuple[float, bool]]) -> None:
    chances, positive = [a for a, _ in cases], [b for _, b in cases]
    expected = 0.0
    for at in range(10):
        own = [(a, b) for a, b in cases if min(math.floor(a * 10), 9) == at]
        if own:
            confidence, share = sum(a for a, _ in own) / len(own), sum(b for _, b in own) / len(own)
            expected += len(own) / len(cases) * abs(confidence - share)
    assert calibration_error(chances, positive).value == pytest.approx(expected, abs=1e-9)
