"""What counts as a word, a token, and a letter: one definition for counting, comparing and replacing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.text.words import ALPHANUMERIC, CHARACTERS, LETTERS, PART, TOKEN, WORD, Words, split_words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The bill passed.", ["The", "bill", "passed", "."]),
        ("a so-called reform", ["a", "so-called", "reform"]),
        ("a pro-life, anti-abortion group", ["a", "pro-life", ",", "anti-abortion", "group"]),
        ("a pro-choice, abortion-rights group", ["a", "pro-choice", ",", "abortion-rights", "group"]),
        ("don't", ["don't"]),
        ("don\u2019t", ["don\u2019t"]),
        ("O'Neil's dogs' bowls", ["O'Neil's", "dogs", "'", "bowls"]),
        ("well\u2010known and far\u2011right", ["well\u2010known", "and", "far\u2011right"]),
        ("war\u2014on\u2014drugs", ["war", "\u2014", "on", "\u2014", "drugs"]),
        ("62.5%", ["62", ".", "5", "%"]),
        ("$3,000", ["$", "3", ",", "000"]),
        ("U.S. Senate", ["U", ".", "S", ".", "Senate"]),
        ("snake_case", ["snake_case"]),
        ("-lead and trail-", ["-", "lead", "and", "trail", "-"]),
        ("rock 'n' roll", ["rock", "'", "n", "'", "roll"]),
        ("Beyonce\u0301", ["Beyonce\u0301"]),
        ("na\u00efve fa\u00e7ade", ["na\u00efve", "fa\u00e7ade"]),
        ("\u201cOpen\u201d", ["\u201c", "Open", "\u201d"]),
        ("", []),
        (" \n\t", []),
        ("...", [".", ".", "."]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert TOKEN.findall(text) == tokens
    assert Words(text).written == tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a so-called reform", ["a", "so", "called", "reform"]),
        ("don't and don\u2019t", ["don't", "and", "don\u2019t"]),
        ("dogs' bowls", ["dogs", "bowls"]),
        ("O'Neil", ["O'Neil"]),
        ("62.5%", ["62", "5"]),
        ("Beyonce\u0301", ["Beyonce\u0301"]),
    ],
)
def test_words_without_hyphens_and_marks(text: str, words: list[str]) -> None:
    assert WORD.findall(text) == words


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (LETTERS, ["It", "s", "nd", "snake", "case", "r\u00e9sum\u00e9"]),
        (ALPHANUMERIC, ["It", "s", "2nd", "snake", "case", "r\u00e9sum\u00e9"]),
        (CHARACTERS, ["It", "s", "2nd", "snake_case", "r\u00e9sum\u00e9"]),
        (PART, ["It", "'", "s", "2nd", "snake", "_", "case", "r\u00e9sum\u00e9", "!"]),
    ],
)
def test_runs_of_letters_digits_and_characters(pattern: object, found: list[str]) -> None:
    assert pattern.findall("It's 2nd snake_case r\u00e9sum\u00e9!") == found  # type: ignore[attr-defined]


def test_words_are_compared_in_lower_case_with_straight_marks() -> None:
    assert Words("The Mayor\u2019s \u201cFar\u2011Right\u201d Plan").plain == [
        "the",
        "mayor's",
        '"',
        "far-right",
        '"',
        "plan",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The bill passed.", 3),
        ("A so-called reform, he said.", 5),
        ("...", 0),
        ("", 0),
        ("_private 3", 2),
        ("\u201cNo,\u201d she said.", 3),
        ("100 %", 1),
    ],
)
def test_counting_leaves_marks_out(text: str, count: int) -> None:
    assert Words(text).count() == count


def test_places_in_a_sentence() -> None:
    words = Words("Both parties, left and right, agreed.")
    assert words.written == ["Both", "parties", ",", "left", "and", "right", ",", "agreed", "."]
    assert words.cover(0, 2) == Span(0, 12)
    assert words.cover(3, 6) == Span(14, 28)
    assert words.cover(4, 4) is None
    assert words.wording(3, 6) == "left and right"
    assert words.wording(6, 9) == ", agreed."
    assert words.wording(5, 5) == ""
    assert [words.is_word(at) for at in range(4)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("offset", "before", "after"),
    [(0, -1, 0), (1, -1, 1), (4, 0, 1), (5, 0, 1), (6, 0, 2), (12, 1, 2), (13, 2, 3), (14, 2, 3), (37, 8, 9)],
)
def test_tokens_before_and_after_an_offset(offset: int, before: int, after: int) -> None:
    words = Words("Both parties, left and right, agreed.")
    assert (words.before(offset), words.after(offset)) == (before, after)


@given(st.text(max_size=60))
def test_tokens_lie_in_order_and_hold_everything_visible(text: str) -> None:
    words = Words(text)
    assert all(
        text[start:end] == written for (start, end), written in zip(words.spans, words.written, strict=True)
    )
    assert all(left[1] <= right[0] for left, right in zip(words.spans, words.spans[1:], strict=False))
    assert "".join(words.written) == re.sub(r"\s", "", text)


@given(st.text(alphabet="ab-' .,\u2019", max_size=40), st.integers(0, 40))
def test_the_tokens_around_an_offset_enclose_it(text: str, offset: int) -> None:
    words, offset = Words(text), min(offset, len(text))
    before, after = words.before(offset), words.after(offset)
    assert before < after
    assert after - before <= 2
    if before >= 0:
        assert words.spans[before][1] <= offset
    if after < len(words):
        assert words.spans[after][0] >= offset


def test_the_same_text_is_split_once() -> None:
    assert split_words("Voters in both states agreed.") is split_words("Voters in both states agreed.")
