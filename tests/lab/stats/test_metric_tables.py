"""Metrics on small tables, each value worked out by hand, and the laws that every metric obeys."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.stats.metrics import (
    ClassMetrics,
    Metric,
    accuracy,
    average_metrics,
    brier_score,
    calibration_error,
    f1_score,
    mean,
    reliability_bins,
    roc_auc,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("gold", "guess", "expected"),
    [
        ("aabb", "aabb", 1.0),
        ("aabb", "bbaa", 0.0),
        ("aabb", "aaaa", 0.5),
        ("abc", "abb", 2 / 3),
        ("a", "a", 1.0),
    ],
)
def test_accuracy(gold: str, guess: str, expected: float) -> None:
    assert accuracy(list(gold), list(guess)).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hits", "predicted", "gold", "expected"),
    [(0, 1, 1, 0.0), (1, 1, 1, 1.0), (2, 4, 2, 2 / 3), (3, 4, 6, 0.6), (1, 10, 10, 0.1), (5, 5, 15, 0.5)],
)
def test_f1_is_the_harmonic_mean(hits: int, predicted: int, gold: int, expected: float) -> None:
    assert f1_score(hits, predicted, gold) == pytest.approx(expected)
    if hits:
        precision, recall = hits / predicted, hits / gold
        assert f1_score(hits, predicted, gold) == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize(
    ("gold", "guess", "macro", "weighted"),
    [
        # a: 2 hits of 2 and 3: 4/5; b: 1 hit of 1 and 2: 2/3
        ("aabb", "aaab", (4 / 5 + 2 / 3) / 2, (2 * 4 / 5 + 2 * 2 / 3) / 4),
        # a: 3 of 3 gold, 4 predicted: 6/7; b never predicted: 0
        ("aaab", "aaaa", (6 / 7 + 0) / 2, (3 * 6 / 7 + 0) / 4),
        # all wrong
        ("ab", "ba", 0.0, 0.0),
        # all right
        ("abc", "abc", 1.0, 1.0),
        # a: 1 hit, 1 predicted, 2 gold: 2/3; b: 1, 2, 1: 2/3
        ("aab", "abb", 2 / 3, 2 / 3),
    ],
)
def test_macro_and_weighted_f1(gold: str, guess: str, macro: float, weighted: float) -> None:
    classes = ClassMetrics.exclusive(list(gold), list(guess))
    assert classes.macro().value == pytest.approx(macro)
    assert classes.weighted().value == pytest.approx(weighted)


@pytest.mark.parametrize(
    ("gold", "guess", "name", "precision", "recall"),
    [
        ("aabb", "aaab", "a", 2 / 3, 1.0),
        ("aabb", "aaab", "b", 1.0, 1 / 2),
        ("aaab", "aaaa", "b", None, 0.0),
        ("abcc", "accc", "c", 2 / 3, 1.0),
        ("abcc", "accc", "b", None, 0.0),
    ],
)
def test_precision_and_recall(
    gold: str, guess: str, name: str, precision: float | None, recall: float | None
) -> None:
    classes = ClassMetrics.exclusive(list(gold), list(guess))
    assert classes.precision(name).value == (pytest.approx(precision) if precision is not None else None)
    assert classes.recall(name).value == pytest.approx(recall)


@pytest.mark.parametrize(
    ("chances", "labels", "brier"),
    [
        ([1.0, 0.0], [True, False], 0.0),
        ([0.0, 1.0], [True, False], 1.0),
        ([0.5, 0.5], [True, False], 0.25),
        ([0.8, 0.4], [True, True], (0.04 + 0.36) / 2),
        ([0.1, 0.2, 0.9], [False, True, True], (0.01 + 0.64 + 0.01) / 3),
    ],
)
def test_brier_score(chances: list[float], labels: list[bool], brier: float) -> None:
    assert brier_score(chances, labels).value == pytest.approx(brier)


@pytest.mark.parametrize(
    ("chances", "labels", "bins", "error"),
    [
        ([0.5, 0.5], [True, False], 10, 0.0),
        ([1.0, 1.0], [False, False], 10, 1.0),
        ([0.0, 0.0], [True, True], 10, 1.0),
        # two bins: 0.1 and 0.3 against 1 of 2; 0.6 and 0.8 against 2 of 2
        ([0.1, 0.3, 0.6, 0.8], [False, True, True, True], 2, 0.5 * 0.3 + 0.5 * 0.3),
        # one bin: mean 0.45 against 3 of 4
        ([0.1, 0.3, 0.6, 0.8], [False, True, True, True], 1, 0.3),
    ],
)
def test_calibration_error(chances: list[float], labels: list[bool], bins: int, error: float) -> None:
    assert calibration_error(chances, labels, bins).value == pytest.approx(error)


def test_reliability_bins_hold_every_item_once() -> None:
    bins = reliability_bins([0.05, 0.1, 0.19, 0.95, 1.0], [False, True, False, True, True])
    assert [each.count for each in bins] == [1, 2, 0, 0, 0, 0, 0, 0, 0, 2]
    assert bins[0].confidence == pytest.approx(0.05)
    assert bins[1].confidence == pytest.approx(0.145)
    assert bins[1].share == pytest.approx(0.5)
    assert bins[9].share == 1.0
    assert bins[2].confidence is None
    assert bins[2].share is None
    assert bins[1].to_dict() == {
        "low": 0.1,
        "high": 0.2,
        "count": 2,
        "confidence": pytest.approx(0.145),
        "share": 0.5,
    }


@pytest.mark.parametrize(
    ("scores", "labels", "area"),
    [
        ([0.9, 0.1], [True, False], 1.0),
        ([0.1, 0.9], [True, False], 0.0),
        ([0.5, 0.5], [True, False], 0.5),
        # positives 0.8 and 0.3 against negatives 0.5 and 0.1: 2 + 1 of 4
        ([0.8, 0.3, 0.5, 0.1], [True, True, False, False], 3 / 4),
        # one positive above two of three negatives
        ([0.5, 0.9, 0.4, 0.1], [True, False, False, False], 2 / 3),
    ],
)
def test_area_under_the_curve(scores: list[float], labels: list[bool], area: float) -> None:
    assert roc_auc(scores, labels) == pytest.approx(area)


@pytest.mark.parametrize("labels", [[True, True], [False, False], []])
def test_the_area_needs_both_labels(labels: list[bool]) -> None:
    assert roc_auc([0.5] * len(labels), labels) is None


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [
        # published values of Wilson's interval at z = 1.96
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (50, 100, 0.4038, 0.5962),
        (98, 100, 0.9300, 0.9945),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_interval(hits: int, total: int, low: float, high: float) -> None:
    found = wilson_interval(hits, total)
    assert found == pytest.approx((low, high), abs=5e-4)


@given(st.integers(0, 200), st.integers(0, 200))
def test_wilson_interval_contains_the_share(hits: int, misses: int) -> None:
    low, high = wilson_interval(hits, hits + misses)
    assert 0 <= low <= high <= 1
    if hits + misses:
        assert low - 1e-12 <= hits / (hits + misses) <= high + 1e-12


@given(st.integers(1, 50), st.integers(2, 10))
def test_wilson_interval_narrows_with_more_items(hits: int, times: int) -> None:
    low, high = wilson_interval(hits, 2 * hits)
    more_low, more_high = wilson_interval(times * hits, 2 * times * hits)
    assert more_high - more_low < high - low


def test_the_mean_of_numbers() -> None:
    assert mean([1.0, 2.0, 6.0]).value == pytest.approx(3.0)
    assert mean([-1.0, 1.0]).value == 0.0
    assert mean([]).value is None


def test_a_weighted_mean_is_the_mean_of_a_resample() -> None:
    metric = mean([1.0, 2.0, 6.0])
    # the first item drawn twice, the last one once
    assert metric(np.array([[2.0, 0.0, 1.0]]))[0] == pytest.approx((1 + 1 + 6) / 3)


def test_the_average_of_metrics_is_not_the_pooled_value() -> None:
    small, large = mean([0.0]), mean([1.0, 1.0, 1.0])
    assert average_metrics([small, large]).value == pytest.approx(0.5)
    assert mean([0.0, 1.0, 1.0, 1.0]).value == pytest.approx(0.75)


def test_the_average_resamples_each_fold_by_its_own_items() -> None:
    average = average_metrics([mean([0.0, 1.0]), mean([1.0, 3.0])])
    # fold one: only its second item, twice; fold two: only its first, twice
    assert average(np.array([[0.0, 2.0, 2.0, 0.0]]))[0] == pytest.approx((1 + 1) / 2)


def test_grouped_items_are_drawn_together() -> None:
    metric = mean([1.0, 0.0, 0.0, 0.0]).group_items(["x", "x", "y", "y"])
    assert metric.items == 2
    assert metric.value == pytest.approx(0.25)
    assert metric(np.array([[2.0, 0.0]]))[0] == pytest.approx(0.5)
    assert metric(np.array([[0.0, 2.0]]))[0] == pytest.approx(0.0)


def test_an_undefined_value_is_none_and_never_nothing() -> None:
    undefined = Metric(np.zeros((3, 2)), lambda sums: sums[..., 0] / sums[..., 1])
    assert undefined.value is None


labels = st.lists(st.tuples(st.sampled_from("lrc"), st.sampled_from("lrc")), min_size=1, max_size=20)


@given(labels, st.permutations(list("lrc")))
@settings(max_examples=50)
def test_renaming_the_classes_changes_no_average(pairs: list[tuple[str, str]], names: list[str]) -> None:
    renamed = dict(zip("lrc", names, strict=True))
    gold, guess = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    before = ClassMetrics.exclusive(gold, guess)
    after = ClassMetrics.exclusive([renamed[name] for name in gold], [renamed[name] for name in guess])
    assert before.macro().value == pytest.approx(after.macro().value)
    assert before.weighted().value == pytest.approx(after.weighted().value)


@given(labels, st.randoms())
@settings(max_examples=50)
def test_the_order_of_items_changes_nothing(pairs: list[tuple[str, str]], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for one, other in ((pairs, shuffled),):
        first = ClassMetrics.exclusive([pair[0] for pair in one], [pair[1] for pair in one]).macro().value
        second = (
            ClassMetrics.exclusive([pair[0] for pair in other], [pair[1] for pair in other]).macro().value
        )
        assert first == pytest.approx(second)


scored = st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=2, max_size=25)


@given(scored)
def test_the_area_counts_pairs(pairs: list[tuple[int, bool]]) -> None:
    positives = [score for score, label in pairs if label]
    negatives = [score for score, label in pairs if not label]
    found = roc_auc([float(score) for score, _ in pairs], [label for _, label in pairs])
    if not positives or not negatives:
        assert found is None
        return
    won = sum((p > n) + 0.5 * (p == n) for p in positives for n in negatives)
    assert found == pytest.approx(won / (len(positives) * len(negatives)))


@given(scored)
def test_turning_all_scores_round_turns_the_area_round(pairs: list[tuple[int, bool]]) -> None:
    labels_of = [label for _, label in pairs]
    one = roc_auc([float(score) for score, _ in pairs], labels_of)
    other = roc_auc([-float(score) for score, _ in pairs], labels_of)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one + other == pytest.approx(1)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=25))
def test_the_brier_score_lies_between_nothing_and_one(pairs: list[tuple[float, bool]]) -> None:
    value = brier_score([chance for chance, _ in pairs], [label for _, label in pairs]).value
    assert value is not None
    assert 0 <= value <= 1
    assert math.isfinite(value)
