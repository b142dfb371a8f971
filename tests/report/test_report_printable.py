"""Text made safe and measured for the terminal."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.report.printable import (
    _cell,
    _plain,
    cells,
    clean,
    runs_right_to_left,
    shorten,
    shorten_left,
    wrap,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain “text” é", "plain “text” é"),
        ("a\tb\r\nc", "a b  c"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("nul\x00 bell\x07 del\x7f", "nul␀ bell␇ del␡"),
        ("\x9b31m", "\ufffd31m"),
        ("abc\u202edcba\u202c", "abc\ufffddcba\ufffd"),
        ("bad\udc80name", "bad\ufffdname"),
        ("👩\u200d🔬 می\u200cخ", "👩\u200d🔬 می\u200cخ"),
    ],
)
def test_nothing_is_left_that_a_terminal_would_obey(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(st.characters(), max_size=40))
def test_cleaning_keeps_the_length_and_leaves_no_control(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in cleaned)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("日本", 4),
        ("e\u0301", 1),
        ("\uff46\uff55", 4),
        ("👍", 2),
        ("하", 2),
        ("\u1112\u1161", 2),
        ("“", 1),
    ],
)
def test_cells_count_wide_and_combining_characters(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        ("short", 5, "short"),
        ("one two three", 10, "one two …"),
        ("one two three", 9, "one two …"),
        ("one two three", 8, "one …"),
        ("unbreakable", 6, "unbre…"),
        (" and more", 5, " …"),
        (" and more", 4, " …"),
        ("nothing", 0, ""),
    ],
)
def test_shorten_cuts_between_words(text: str, room: int, kept: str) -> None:
    assert shorten(text, room) == kept


@pytest.mark.parametrize(
    ("text", "room", "kept"),
    [
        ("short", 5, "short"),
        ("one two three", 11, "… two three"),
        ("one two three", 8, "… three"),
        ("unbreakable", 6, "…kable"),
        ("abcde\u0301", 2, "…e\u0301"),
        ("a日\u0301", 2, "…"),
        ("nothing", 0, ""),
    ],
)
def test_shorten_left_cuts_between_words(text: str, room: int, kept: str) -> None:
    assert shorten_left(text, room) == kept


@given(st.text(st.sampled_from("ab 日e\u0301"), max_size=50), st.integers(1, 30))
def test_shortened_text_fits_and_is_part_of_the_text(text: str, room: int) -> None:
    head, tail = shorten(text, room), shorten_left(text, room)
    assert cells(head) <= room
    assert cells(tail) <= room
    assert text.startswith(head.removesuffix("…"))
    assert text.endswith(tail.removeprefix("…"))


@given(st.lists(st.text(st.sampled_from("abcé日"), min_size=1, max_size=8), max_size=20), st.integers(16, 30))
def test_wrapping_keeps_every_word_and_the_width(words: list[str], room: int) -> None:
    lines = wrap(" ".join(words), room)
    assert " ".join(lines).split() == words
    assert all(cells(line) <= room for line in lines)


def test_only_scripts_that_run_right_to_left_are_reordered() -> None:
    assert runs_right_to_left("שלום")
    assert runs_right_to_left("a سلام")
    assert not runs_right_to_left("日本語 and café")


@given(st.text())
def test_the_quick_way_counts_the_same_cells(text: str) -> None:
    assert cells(text) == sum(map(_cell, text))


def test_the_quick_way_counts_every_character_right() -> None:
    chars = [chr(code) for code in range(0x20, 0x20000) if not 0xD800 <= code < 0xE000]
    assert [char for char in chars if cells(char) != _cell(char)] == []
    assert [char for char in chars if _plain(char) and unicodedata.bidirectional(char) in ("R", "AL")] == []
