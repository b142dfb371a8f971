"""Scare quotes: marks that quote nobody."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Document, Sentence, Span
from unslant.rules.analyzer import scare_quotes
from unslant.text.quotations import find_quotations


def distant(text: str, start: int = 0, end: int | None = None) -> list[str]:
    """What the sentence from start to end keeps a distance from."""
    span = Span(start, len(text) if end is None else end)
    quotations = find_quotations(text, None)
    inside = tuple(quotation for quotation in quotations if span.contains(quotation))
    sentence = Sentence(Document(text, text, quotations=quotations), span)
    return [text[quote.start : quote.end] for quote in scare_quotes(sentence, inside)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The “reform” came late.", ["“reform”"]),
        ("The 'fair' vote was held.", ["'fair'"]),
        ('Their "well-known" recipe failed.', ['"well-known"']),
    ],
)
def test_scare_quotes(text: str, expected: list[str]) -> None:
    assert distant(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "“Never,” she said.",
        "She said “never” and left.",
        "“never”, she said.",
        "He described the plan as “bold”.",
        "They called the move “unfair”.",
        "The court ruled the clause “void”.",
        "The “bold” plan came late, he said.",
        "They read “Hamlet” at school.",
        "The word “slant” is old.",
        "It is known as “tipping”.",
        "A “slice” is defined as a part of a list.",
        "Press the “save” button.",
        "The noun means “a small boat” here.",
        "The “rather long and winding” road.",
        "It was “5 percent” of it.",
        "It was “over.”",
        "The “wets” met the “dries” in May.",
    ],
)
def test_speech_titles_and_mentioned_words_are_no_scare_quotes(text: str) -> None:
    assert distant(text) == []


def test_a_sentence_beside_speech_may_quote_the_same_person() -> None:
    first = "The mayor said the plan was late."
    text = f"{first} The “experts” left."
    assert distant(text, len(first) + 1) == []
    assert distant(f"{first}\n\nThe “experts” left.", len(first) + 2) == ["“experts”"]


@given(st.text(alphabet="“”\"' ab.,\n", min_size=1, max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read(text: str) -> None:
    assert set(distant(text)) <= {text[span.start : span.end] for span in find_quotations(text, None)}
