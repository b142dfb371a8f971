"""Figures of spans, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.lab.stats.spans import (
    SpanPrediction,
    exact_f1,
    overlap_f1,
    overlap_precision,
    overlap_recall,
    right_end_f1,
    token_f1,
    token_f1_mean,
    trim_as_published,
)

TEXT = "one two three four five"
ONE, TWO, THREE, FOUR, FIVE = (Span(0, 3), Span(4, 7), Span(8, 13), Span(14, 18), Span(19, 23))


def marked(gold: list[Span], predicted: list[Span], text: str = TEXT) -> SpanPrediction:
    return SpanPrediction(text, tuple(gold), tuple(predicted))


def test_exact_wants_the_same_start_and_end() -> None:
    texts = [marked([ONE, Span(8, 18)], [ONE, THREE]), marked([FIVE], [])]
    # one hit, two predicted, three gold
    assert exact_f1(texts).value == pytest.approx(2 * 1 / (2 + 3))


def test_a_right_end_is_enough_to_be_partly_right() -> None:
    texts = [marked([Span(0, 7), FIVE], [TWO, THREE])]
    # "two" ends where "one two" does; two predicted, two gold
    assert right_end_f1(texts).value == pytest.approx(2 * 1 / (2 + 2))
    assert exact_f1(texts).value == 0


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("the great man", "great man"),
        ("and, a great", "great"),
        ("great, and the", "great"),
        ("Another day", "Another day"),
        ("theory", "theory"),
        ("great sea", "great sea"),
        ("the", None),
    ],
)
def test_articles_and_commas_are_trimmed_as_in_the_publication(words: str, left: str | None) -> None:
    text = f"He saw {words} ."
    whole = Span(7, 7 + len(words))
    (trimmed,) = trim_as_published([marked([whole], [whole], text), marked([], [whole], text)])
    assert [text[span.start : span.end] for span in trimmed.predicted] == ([left] if left else [])
    assert trimmed.gold == trimmed.predicted


def test_overlap_counts_predicted_spans_for_precision_and_gold_spans_for_recall() -> None:
    # one long prediction meets two gold spans; another meets none
    texts = [marked([ONE, THREE], [Span(0, 13), FIVE])]
    assert overlap_precision(texts).value == 0.5
    assert overlap_recall(texts).value == 1.0
    assert overlap_f1(texts).value == pytest.approx(2 * 0.5 * 1 / 1.5)


def test_spans_that_share_only_a_space_share_no_word() -> None:
    assert overlap_f1([marked([Span(0, 4)], [Span(3, 7)])]).value == 0.0
    assert overlap_f1([marked([Span(0, 5)], [Span(4, 7)])]).value == 1.0


def test_tokens_are_compared_by_their_place() -> None:
    # gold: two three four; predicted: three four five: two of three both ways
    texts = [marked([Span(4, 18)], [Span(8, 23)])]
    assert token_f1(texts).value == pytest.approx(2 / 3)
    same_words = SpanPrediction("bad day bad", (Span(0, 3),), (Span(8, 11),))
    assert token_f1([same_words]).value == 0.0


def test_the_mean_of_texts_counts_each_text_alike() -> None:
    texts = [marked([ONE], [ONE]), marked([Span(0, 23)], [ONE])]
    assert token_f1_mean(texts).value == pytest.approx((1 + 2 * 1 / (1 + 5)) / 2)
    assert token_f1(texts).value == pytest.approx(2 * 2 / (2 + 6))
    assert token_f1_mean([marked([], [])]).value == 1.0


def test_nothing_marked_and_nothing_found_is_undefined() -> None:
    assert exact_f1([marked([], [])]).value is None
    assert overlap_f1([marked([], [])]).value is None
    assert overlap_f1([marked([ONE], [])]).value == 0.0
    assert overlap_f1([marked([], [ONE])]).value == 0.0


words = st.lists(st.sampled_from([ONE, TWO, THREE, FOUR, FIVE]), unique=True, max_size=4)


@given(words, words)
@settings(max_examples=60)
def test_single_words_overlap_just_where_they_are_equal(gold: list[Span], predicted: list[Span]) -> None:
    texts = [marked(gold, predicted)]
    values = [item(texts).value for item in (exact_f1, overlap_f1, token_f1)]
    assert values[0] == pytest.approx(values[1])
    assert values[0] == pytest.approx(values[2])


spans = st.tuples(st.integers(0, 22), st.integers(1, 23)).filter(lambda pair: pair[0] < pair[1])


@given(st.lists(spans, max_size=3), st.lists(spans, max_size=3))
@settings(max_examples=80)
def test_overlap_is_never_below_exact_and_symmetric(
    gold: list[tuple[int, int]], predicted: list[tuple[int, int]]
) -> None:
    first, other = [Span(*pair) for pair in set(gold)], [Span(*pair) for pair in set(predicted)]
    solid = [span for span in first + other if not TEXT[span.start : span.end].strip()]
    exact, overlap = exact_f1([marked(first, other)]).value, overlap_f1([marked(first, other)]).value
    if exact is not None and overlap is not None and not solid:
        assert overlap >= exact - 1e-9
    assert overlap == pytest.approx(overlap_f1([marked(other, first)]).value)
