"""What an edit leaves behind is put right."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from unslant.core.types import Edit
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edits
from unslant.text.words import split_words


def _without(text: str, *words: str, put: str = "") -> str:
    edits = [Edit(text.index(word), text.index(word) + len(word), put) for word in words]
    return apply_edits(text, tidy_edits(text, edits))


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("An iconic voice spoke.", ["iconic"], "A voice spoke."),
        ("It is a great idea.", ["great"], "It is an idea."),
        ("Iconic songs were sung.", ["Iconic"], "Songs were sung."),
        ("Clearly, the vote was close.", ["Clearly"], "The vote was close."),
        ("The vote was, of course, close.", ["of course"], "The vote was, close."),
        ("The vote was close, sadly.", ["sadly"], "The vote was close."),
        ("The vote (sadly) was close.", ["sadly"], "The vote was close."),
        ("A stunning, long day ended.", ["stunning"], "A long day ended."),
        ("A stunning and long day ended.", ["stunning"], "A long day ended."),
        ("A glorious and stunning day ended.", ["stunning"], "A glorious day ended."),
        ("A stunning, iconic and vile hour ended.", ["stunning", "iconic", "vile"], "An hour ended."),
        ("A truly iconic hour ended.", ["truly", "iconic"], "An hour ended."),
        ("Dogs and stunning cats sleep.", ["stunning"], "Dogs and cats sleep."),
        ("However, stunning cats sleep.", ["stunning"], "However, cats sleep."),
        ("It was a\nstunning day.", ["stunning"], "It was a\nday."),
    ],
)
def test_leaving_words_out(text: str, words: list[str], expected: str) -> None:
    assert _without(text, *words) == expected


def test_a_replacement_gets_its_article_and_its_capital() -> None:
    assert _without("She is a chairman.", "chairman", put="official") == "She is an official."
    assert _without("Firemen came.", "Firemen", put="firefighters") == "Firefighters came."


def test_a_line_end_among_the_words_stays() -> None:
    text = "One who is\r\nwheelchair-bound came."
    assert (
        _without(text, "is\r\nwheelchair-bound", put="uses a wheelchair")
        == "One who uses\r\na wheelchair came."
    )


def test_a_line_ends_after_a_word_that_stands_for_two_lines() -> None:
    text = "The senator lashed out\n  at the plan."
    assert _without(text, "lashed out\n  at", put="criticized") == "The senator criticized\n  the plan."


def test_all_marks_that_are_left_at_the_start_go() -> None:
    assert _without("Sadly,: it failed.", "Sadly") == "It failed."
    for words in ("Sadly", "Sadly,", "Sadly, "):
        assert _without('"Sadly, .net grew."', words) == '".net grew."'


def test_edits_that_meet_once_a_word_has_its_capital_become_one() -> None:
    text = "Sadly, plain words"
    assert tidy_edits(text, [Edit(0, 5, ""), Edit(12, 18, "")]) == (Edit(0, 18, "Plain"),)


def test_markup_is_never_run_over() -> None:
    text = "It was a \0\0stunning\0\0 day."
    (edit,) = tidy_edits(text, [Edit(11, 19, "")])
    assert "\0" not in text[edit.start : edit.end]


def test_what_is_put_in_takes_a_word_along_so_that_it_covers_something() -> None:
    text = "The man spoke."
    (edit,) = tidy_edits(text, [Edit(8, 8, "reportedly")])
    assert edit.start < edit.end
    assert apply_edits(text, [edit]) == "The man reportedly spoke."


@pytest.mark.parametrize(
    ("text", "word", "wording", "expected"),
    [
        ("The town grew.", "grew", "slowly", "The town slowly grew."),
        ("It grew (fast).", "fast", "very", "It grew (very fast)."),
        ("It grew.", ".", "slowly", "It grew slowly."),
        ("It grew but shrank later.", "but", ",", "It grew, but shrank later."),
        ("The experts agree.", "The", "some of", "Some of the experts agree."),
        ("Paris grew.", "Paris", "later", "Later Paris grew."),
        ("Grew\n  slowly it did.", "it", "as", "Grew\n  slowly as it did."),
    ],
)
def test_an_insertion_gets_the_spaces_it_needs(text: str, word: str, wording: str, expected: str) -> None:
    at = text.index(word)
    assert apply_edits(text, tidy_edits(text, [Edit(at, at, wording)])) == expected


@pytest.mark.parametrize(
    ("text", "word", "wording", "expected"),
    [
        ("He boldly claimed it.", "claimed", "said", "He boldly said it."),
        ("The yes-no answer", "-", "or", "The yes or no answer"),
        ("A so-called reform passed.", "so-called", "", "A reform passed."),
        ("Claims were made.", "Claims", "statements", "Statements were made."),
        ("sadly it rained.", "sadly", "", "it rained."),
        ('"Sadly it rained"', "Sadly", "", '"It rained"'),
        ("In the Brave town", "Brave", "small", "In the small town"),
        ("Brave soldiers left.", "Brave", "", "Soldiers left."),
    ],
)
def test_a_replacement_fits_in(text: str, word: str, wording: str, expected: str) -> None:
    at = text.index(word)
    assert apply_edits(text, tidy_edits(text, [Edit(at, at + len(word), wording)])) == expected


TOKENS = [
    "the",
    "a",
    "an",
    "Town",
    "was",
    "very",
    "old",
    ",",
    ".",
    "and",
    "iconic",
    "hour",
    "1918",
    "\0\0",
    "(",
    ")",
]
GAPS = st.sampled_from([" ", " ", " ", "  ", "\n"])


def _one_article_at_a_time(tokens: list[str]) -> bool:
    return not any(left in ("a", "an") and right in ("a", "an") for left, right in pairwise(tokens))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A sentence, with markup here and there, and edits of whole words, none in conflict with another."""
    tokens = draw(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=9).filter(_one_article_at_a_time))
    text = "".join(token + draw(GAPS) for token in tokens).strip()
    text = text[:1].upper() + text[1:]
    edits: list[Edit] = []
    for start, end in split_words(text).spans:
        kind = draw(st.sampled_from(["keep", "keep", "delete", "replace", "before"]))
        if kind == "keep" or "\0" in text[start:end]:
            continue
        wording = "" if kind == "delete" else draw(st.sampled_from(["said", "hour", "one of", "apple"]))
        edit = Edit(start, start if kind == "before" else end, wording)
        if not any(edit.conflicts(other) for other in edits):
            edits.append(edit)
    return text, edits


@settings(max_examples=300, deadline=None)
@given(edited())
def test_tidied_edits_are_apart_and_inside(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    tidied = tidy_edits(text, edits)
    assert bool(tidied) == bool(edits)
    assert all(0 <= edit.start <= edit.end <= len(text) for edit in tidied)
    assert all(left.end <= right.start for left, right in pairwise(tidied))
    # markup that no edit was given stays
    assert apply_edits(text, tidied).count("\0") == text.count("\0")


@settings(max_examples=300, deadline=None)
@given(edited())
def test_tidying_keeps_every_word_that_no_edit_removes(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    plain = apply_edits(text, [replace(edit, replacement=f" {edit.replacement} ") for edit in edits])
    expected = [word for word in _words(plain) if word not in ("a", "and")]
    after = apply_edits(text, tidy_edits(text, edits))
    assert [word for word in _words(after) if word not in ("a", "and")] == expected


def _words(text: str) -> list[str]:
    words = split_words(text.replace("\0", " "))
    return ["a" if word == "an" else word for at, word in enumerate(words.plain) if words.is_word(at)]


def test_a_deletion_with_its_space_before_markup_glues_no_words() -> None:
    text = "The road\nvery \0\0 long"
    once = tidy_edits(text, [Edit(9, 13, "")])
    assert apply_edits(text, once) == "The road\n\0\0 long"
    assert tidy_edits(text, once) == once


@settings(max_examples=300, deadline=None)
@given(edited())
def test_tidying_is_idempotent(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    # of several marks in a row, each pass takes the first
    assume(not re.search(r"[,;:]\s*[,;:]", text))
    once = tidy_edits(text, edits)
    twice = tidy_edits(text, once)
    # where a line breaks may change: edits that tidying brings next to each other become one
    assert apply_edits(text, twice).split() == apply_edits(text, once).split()


@settings(max_examples=100, deadline=None)
@given(edited(), st.randoms())
def test_tidying_does_not_depend_on_the_order(case: tuple[str, list[Edit]], random: object) -> None:
    text, edits = case
    shuffled = list(edits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert tidy_edits(text, shuffled) == tidy_edits(text, edits)
