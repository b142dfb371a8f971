"""The figures by which training chooses epochs and thresholds, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.lab.stats.metrics import ClassMetrics, best_threshold, f1, macro_f1, span_f1


@pytest.mark.parametrize(
    ("hits", "predicted", "gold", "expected"),
    [(0, 0, 0, 0.0), (0, 3, 2, 0.0), (2, 2, 2, 1.0), (1, 3, 2, 0.4)],
)
def test_f1(hits: int, predicted: int, gold: int, expected: float) -> None:
    assert f1(hits, predicted, gold) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gold", "guess", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),
        ([0, 0, 1, 1], [0, 0, 0, 1], (4 / 5 + 2 / 3) / 2),
        ([0, 0, 0], [1, 1, 1], 0.0),
        ([], [], 0.0),
        ([1], [1], 1.0),
    ],
)
def test_macro_f1(gold: list[int], guess: list[int], expected: float) -> None:
    assert macro_f1(gold, guess) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_macro_f1_is_that_of_the_published_figures(pairs: list[tuple[int, int]]) -> None:
    gold, guess = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert macro_f1(gold, guess) == pytest.approx(ClassMetrics.exclusive(gold, guess).macro().value)


@pytest.mark.parametrize(
    ("gold", "guess", "exact", "overlap"),
    [
        ([[Span(0, 5)]], [[Span(0, 5)]], 1.0, 1.0),
        ([[Span(0, 5)]], [[Span(0, 4)]], 0.0, 1.0),
        ([[Span(0, 5)]], [[Span(5, 8)]], 0.0, 0.0),
        ([[Span(0, 5)]], [[]], 0.0, 0.0),
        ([[]], [[Span(0, 5)]], 0.0, 0.0),
        ([[]], [[]], 0.0, 0.0),
        # two gold, three predicted: one exact, and two of each overlap; precision 2/3, recall 1
        (
            [[Span(0, 5), Span(10, 15)]],
            [[Span(0, 5), Span(12, 14), Span(20, 22)]],
            2 / 5,
            2 * (2 / 3) / (5 / 3),
        ),
        # pooled over texts
        ([[Span(0, 5)], [Span(0, 5)]], [[Span(0, 5)], []], 2 / 3, 2 * 1 * 0.5 / 1.5),
    ],
)
def test_span_f1(gold: list[list[Span]], guess: list[list[Span]], exact: float, overlap: float) -> None:
    assert span_f1(gold, guess) == pytest.approx((exact, overlap))


@pytest.mark.parametrize(
    ("gold", "chances", "threshold"),
    [
        # the best cut lies between 0.8 and 0.4
        ([True, True, False, False], [0.9, 0.8, 0.4, 0.1], 0.6),
        # between 0.9 and 0.5: one hit of one, F1 2/3; all four: hits 2 of 4, F1 2/3; the first counts
        ([True, False, False, True], [0.9, 0.5, 0.4, 0.1], 0.7),
        # everything is positive
        ([True, True], [0.9, 0.3], 0.15),
        # nothing is positive
        ([False, False], [0.9, 0.3], 0.5),
        ([], [], 0.5),
        # equal scores cannot be cut apart
        ([True, False], [0.5, 0.5], 0.25),
    ],
)
def test_the_best_threshold(gold: list[bool], chances: list[float], threshold: float) -> None:
    assert best_threshold(gold, chances) == pytest.approx(threshold)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=1, max_size=15))
def test_no_other_threshold_is_better(pairs: list[tuple[bool, int]]) -> None:
    gold, chances = [pair[0] for pair in pairs], [pair[1] / 10 for pair in pairs]

    def value(threshold: float) -> float:
        marked = [chance >= threshold for chance in chances]
        hits = sum(a and b for a, b in zip(gold, marked, strict=True))
        return f1(hits, sum(marked), sum(gold))

    if any(gold):
        best = value(best_threshold(gold, chances))
        assert all(value(step / 20) <= best + 1e-9 for step in range(21))
