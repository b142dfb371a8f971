"""Span and text overlap on sentences whose figures can be counted on the page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_spans
from unslant.core.types import Span
from unslant.lab.stats.spans import (
    SpanPrediction,
    exact_f1,
    overlap_f1,
    overlap_precision,
    overlap_recall,
    token_f1,
    token_f1_mean,
)
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bag_f1, bleu_counts, bleu_from_counts, meteor, tokens


def prediction(gold: str, guess: str) -> SpanPrediction:
    """A sentence written twice, with the gold spans and with the predicted ones in double brackets."""
    text, golden = parse_spans(gold)
    same, guessed = parse_spans(guess)
    assert text == same
    return SpanPrediction(text, tuple(golden), tuple(guessed))


SAME = prediction("A [[radical]] plan.", "A [[radical]] plan.")
LONGER = prediction("A [[radical]] plan.", "A [[radical plan]].")
MISSED = prediction("A [[radical]] plan.", "A radical plan.")
FALSE_ALARM = prediction("A radical plan.", "A [[radical]] plan.")
NOTHING = prediction("A radical plan.", "A radical plan.")
TWO = prediction("The [[cruel]] and [[vile]] law.", "The [[cruel]] and vile [[law]].")


@pytest.mark.parametrize(
    ("texts", "exact", "overlap", "token"),
    [
        ([SAME], 1.0, 1.0, 1.0),
        ([LONGER], 0.0, 1.0, 2 * 1 / (2 + 1)),
        ([MISSED], 0.0, 0.0, 0.0),
        ([FALSE_ALARM], 0.0, 0.0, 0.0),
        ([NOTHING], None, None, None),
        ([TWO], 0.5, 0.5, 0.5),
        # pooled: hits 1, predicted 2, gold 2
        ([SAME, MISSED, FALSE_ALARM], 2 * 1 / 4, 0.5, 0.5),
        # pooled over all: exact hits 1 of 2 and 2; overlap 2 of 2
        ([SAME, LONGER], 0.5, 1.0, 2 * 2 / (3 + 2)),
        ([SAME, NOTHING], 1.0, 1.0, 1.0),
    ],
)
def test_pooled_figures(
    texts: list[SpanPrediction], exact: float | None, overlap: float | None, token: float | None
) -> None:
    for metric, expected in ((exact_f1, exact), (overlap_f1, overlap), (token_f1, token)):
        value = metric(texts).value
        assert value == (None if expected is None else pytest.approx(expected)), metric.__name__


@pytest.mark.parametrize(
    ("texts", "precision", "recall"),
    [
        ([SAME], 1.0, 1.0),
        ([SAME, FALSE_ALARM], 0.5, 1.0),
        ([SAME, MISSED], 1.0, 0.5),
        ([TWO], 0.5, 0.5),
        ([FALSE_ALARM], 0.0, None),
        ([MISSED], None, 0.0),
    ],
)
def test_overlap_precision_and_recall(
    texts: list[SpanPrediction], precision: float | None, recall: float | None
) -> None:
    assert overlap_precision(texts).value == precision
    assert overlap_recall(texts).value == recall


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([NOTHING], 1.0),
        ([SAME, NOTHING], 1.0),
        ([SAME, MISSED], 0.5),
        ([LONGER, MISSED, NOTHING], (2 / 3 + 0 + 1) / 3),
    ],
)
def test_the_mean_over_texts_counts_an_empty_text_as_right(
    texts: list[SpanPrediction], expected: float
) -> None:
    assert token_f1_mean(texts).value == pytest.approx(expected)


def test_a_shared_space_is_no_shared_word() -> None:
    text = "cruel law"
    only_space = SpanPrediction(text, (Span(0, 6),), (Span(5, 9),))
    assert overlap_f1([only_space]).value == 0.0


spans = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda pair: Span(pair[0], pair[0] + pair[1])),
    max_size=4,
    unique=True,
).map(tuple)


@given(spans, spans)
def test_gold_and_prediction_may_change_places(gold: tuple[Span, ...], guess: tuple[Span, ...]) -> None:
    text = "the old law of the town was bad"
    one, other = SpanPrediction(text, gold, guess), SpanPrediction(text, guess, gold)
    for metric in (exact_f1, overlap_f1, token_f1):
        first, second = metric([one]).value, metric([other]).value
        assert (first is None) == (second is None)
        if first is not None:
            assert first == pytest.approx(second)
    assert overlap_precision([one]).value == overlap_recall([other]).value


@given(spans)
def test_a_perfect_prediction_is_perfect(gold: tuple[Span, ...]) -> None:
    text = "the old law of the town was bad"
    perfect = [SpanPrediction(text, gold, gold)]
    if gold:
        assert exact_f1(perfect).value == 1
        assert token_f1_mean(perfect).value == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Mayor's plan!", ["the", "mayor", "'", "s", "plan", "!"]),
        ("far-right", ["far", "-", "right"]),
        ("", []),
    ],
)
def test_tokens_of_the_overlap(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("the old law", ["the old law"], 1.0),
        ("law old the", ["the old law"], 1.0),
        ("the old law", ["the new law"], 2 * 2 / 6),
        ("the law", ["the old law"], 2 * 2 / 5),
        ("the law", ["nothing", "the law"], 1.0),
        ("the law", [], 0.0),
        ("the law", [""], 0.0),
        ("the the law", ["the law law"], 2 * 2 / 6),
    ],
)
def test_bags_of_words(text: str, references: list[str], expected: float) -> None:
    assert bag_f1(text, references) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        # one chunk of four words: 1 - 0.5 * (1 / 4) ** 3
        ("the old law passed", "the old law passed", 1 - 0.5 / 64),
        # one word: 1 - 0.5 * 1
        ("law", "law", 0.5),
        ("law", "town", 0.0),
        # three of four words in two chunks; precision and recall 3 / 4
        ("the old law passed", "the new law passed", 0.75 * (1 - 0.5 * (2 / 3) ** 3)),
        # the same stem
        ("laws passed", "law passes", 1 - 0.5 / 8),
    ],
)
def test_meteor_by_hand(text: str, reference: str, expected: float) -> None:
    assert meteor(text, [reference]) == pytest.approx(expected)


def test_bleu_of_the_same_text_is_one_and_of_another_nothing() -> None:
    same = np.array(bleu_counts("the old law passed in the town", ["the old law passed in the town"]))
    assert len(same) == BLEU_COLUMNS
    assert float(bleu_from_counts(same)) == pytest.approx(1.0)
    other = np.array(bleu_counts("nothing here is shared at all", ["the old law passed in town"]))
    assert float(bleu_from_counts(other)) == 0.0


def test_bleu_by_hand() -> None:
    # 4 of 5 words, 2 of 4 pairs, 1 of 3 triples, no four in a row: 1 / (2 * 2); the lengths are equal
    sums = np.array([4.0, 2.0, 1.0, 0.0, 5.0, 4.0, 3.0, 2.0, 5.0, 5.0])
    expected = (4 / 5 * 2 / 4 * 1 / 3 * (1 / 2) / 2) ** 0.25
    assert float(bleu_from_counts(sums)) == pytest.approx(expected)
    # a text shorter than its reference is punished by exp(1 - 10 / 5)
    shorter = sums.copy()
    shorter[-1] = 10.0
    assert float(bleu_from_counts(shorter)) == pytest.approx(expected * np.exp(-1))
