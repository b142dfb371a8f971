"""From tag probabilities to spans: thresholds, growth, peaks and gaps, worked out word by word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE
from unslant.neural.word_tags import decode_tags, mark_words

TEXT = "The cruel and vile law hurt poor farmers"
WORDS = [
    Span(0, 3),
    Span(4, 9),
    Span(10, 13),
    Span(14, 18),
    Span(19, 22),
    Span(23, 27),
    Span(28, 32),
    Span(33, 40),
]


def rows(*scores: float, begins: tuple[int, ...] = ()) -> list[list[float]]:
    """One row of three probabilities per word: the score is begin and inside together."""
    made = []
    for at, score in enumerate(scores):
        row = [0.0, 0.0, 0.0]
        row[OUTSIDE] = 1 - score
        row[BEGIN] = 0.9 * score if at in begins else 0.1 * score
        row[INSIDE] = score - row[BEGIN]
        made.append(row)
    return made


def texts(spans: list[Span]) -> list[str]:
    return [TEXT[span.start : span.end] for span in spans]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("OOOOOOOO", []),
        ("OBOOOOOO", ["cruel"]),
        ("OBIIOOOO", ["cruel and vile"]),
        ("OBOBOOOO", ["cruel", "vile"]),
        ("OBBOOOOO", ["cruel", "and"]),
        ("OIIOOOOO", ["cruel and"]),
        ("IOOOOOOI", ["The", "farmers"]),
        ("BIIIIIII", [TEXT]),
        ("OOOOOBIB", ["hurt poor", "farmers"]),
    ],
)
def test_tags_make_spans(tags: str, expected: list[str]) -> None:
    numbers = {"O": OUTSIDE, "B": BEGIN, "I": INSIDE}
    assert texts(decode_tags(zip(WORDS, (numbers[tag] for tag in tags), strict=True))) == expected


@pytest.mark.parametrize(
    ("scores", "decision", "expected"),
    [
        ((0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), {}, ["cruel"]),
        ((0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), {}, ["cruel"]),
        ((0.1, 0.49, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), {}, []),
        ((0.1, 0.49, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), {"threshold": 0.4}, ["cruel"]),
        ((0.1, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1, 0.1), {}, ["cruel and vile"]),
        ((0.1, 0.9, 0.3, 0.9, 0.1, 0.1, 0.1, 0.1), {}, ["cruel", "vile"]),
        # a word next to a marked one needs less
        ((0.1, 0.9, 0.3, 0.9, 0.1, 0.1, 0.1, 0.1), {"grow": 0.3}, ["cruel and vile"]),
        ((0.1, 0.9, 0.3, 0.3, 0.3, 0.1, 0.1, 0.1), {"grow": 0.3}, ["cruel and vile law"]),
        ((0.1, 0.3, 0.3, 0.9, 0.1, 0.1, 0.1, 0.1), {"grow": 0.3}, ["cruel and vile"]),
        # growing never needs more than the threshold
        ((0.1, 0.9, 0.6, 0.1, 0.1, 0.1, 0.1, 0.1), {"grow": 0.8}, ["cruel and"]),
        # only what comes near the peak of its run
        ((0.1, 0.9, 0.6, 0.5, 0.1, 0.1, 0.1, 0.1), {"peak": 0.6}, ["cruel and"]),
        ((0.1, 0.9, 0.6, 0.5, 0.1, 0.1, 0.1, 0.1), {"peak": 0.9}, ["cruel"]),
        # a run of its own has its own peak
        ((0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.6, 0.1), {"peak": 0.9}, ["The", "poor"]),
        # whole: one word between two marked words belongs to them
        ((0.1, 0.9, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1), {"whole": True}, ["cruel and vile"]),
        ((0.1, 0.9, 0.1, 0.1, 0.9, 0.1, 0.1, 0.1), {"whole": True}, ["cruel", "law"]),
        # whole: a span of function words alone is none
        ((0.9, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1), {"whole": True}, []),
        ((0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.1), {"whole": True}, []),
        ((0.1,) * 8, {"whole": True}, []),
    ],
)
def test_probabilities_make_spans(
    scores: tuple[float, ...], decision: dict[str, object], expected: list[str]
) -> None:
    assert texts(mark_words(TEXT, WORDS, rows(*scores), decision)) == expected


def test_a_begin_starts_a_new_span_beside_another() -> None:
    scores = (0.1, 0.9, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1)
    assert texts(mark_words(TEXT, WORDS, rows(*scores, begins=(1, 3, 4)))) == ["cruel", "vile", "law"]
    assert texts(mark_words(TEXT, WORDS, rows(*scores, begins=(1, 3)))) == ["cruel", "vile law"]


probabilities = st.lists(st.floats(0, 1), min_size=8, max_size=8)


@given(probabilities, st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_higher_threshold_never_marks_more(scores: list[float], one: float, other: float) -> None:
    low, high = sorted((one, other))
    few = sum(map(len, mark_words(TEXT, WORDS, rows(*scores), {"threshold": high})))
    many = sum(map(len, mark_words(TEXT, WORDS, rows(*scores), {"threshold": low})))
    assert few <= many


@given(probabilities, st.sampled_from([{}, {"grow": 0.2}, {"peak": 0.5}, {"whole": True}]))
def test_spans_lie_in_order_and_inside(scores: list[float], decision: dict[str, object]) -> None:
    spans = mark_words(TEXT, WORDS, rows(*scores), decision)
    assert all(left.end <= right.start for left, right in pairwise(spans))
    assert all(span.end <= len(TEXT) for span in spans)
    assert all(TEXT[span.start : span.end].strip() == TEXT[span.start : span.end] for span in spans)


def test_a_word_that_clearly_begins_a_span_ends_the_one_before() -> None:
    scores = (0.01, 0.9, 0.3, 0.9, 0.01, 0.01, 0.01, 0.01)
    whole = {"threshold": 0.4, "whole": True}
    assert len(mark_words(TEXT, WORDS, rows(*scores, begins=(1, 3)), whole)) == 1
    split = mark_words(TEXT, WORDS, rows(*scores, begins=(1, 3)), whole | {"split": 2.0})
    assert split == [WORDS[1], WORDS[3]]
    # a word that rather goes on with a span stays in it
    assert len(mark_words(TEXT, WORDS, rows(*scores, begins=(1,)), whole | {"split": 2.0})) == 1
