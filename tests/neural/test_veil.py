"""What a network is not told apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.neural.veil import Veil, listed

VEIL = Veil(
    {
        "Smith": "Smith",
        "Biden": "Smith",
        "Trump": "Smith",
        "Joe Biden": "John Smith",
        "he": "she",
        "she": "she",
    }
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Biden spoke for an hour.", "Trump spoke for an hour."),
        ("BIDEN WINS", "TRUMP WINS"),
        ("He said that he was late.", "She said that she was late."),
    ],
)
def test_both_sides_are_read_alike(one: str, other: str) -> None:
    assert VEIL.cover(one).text == VEIL.cover(other).text


def test_a_name_that_is_also_a_word_is_covered_only_as_a_name() -> None:
    assert VEIL.cover("He played a trump card.").text == "she played a trump card."


def test_parts_of_longer_words_stay() -> None:
    text = "The Trump-era theory of Bidenomics helped."
    assert VEIL.cover(text).text == text


def test_a_piece_of_a_covering_word_stands_for_all_that_it_covers() -> None:
    text = "Then Joe Biden left."
    veiled = VEIL.cover(text)
    assert veiled.text == "Then John Smith left."
    places = {match[0]: veiled.back(*match.span()) for match in re.finditer(r"\w+", veiled.text)}
    assert {word: text[start:end] for word, (start, end) in places.items()} == {
        "Then": "Then",
        "John": "Joe Biden",
        "Smith": "Joe Biden",
        "left": "left",
    }


def test_the_longest_word_counts_whatever_others_begin_alike() -> None:
    words = {"x": "1", "xy": "2", "xy z": "3", "X. Y.": "4", "yx": "5"}
    veil = Veil(words)
    found = {text: veil.cover(text).text for text in ("x", "xy", "xy z", "xy zz", "xyz", "yx x", "X. Y.a")}
    assert found == {
        "x": "1",
        "xy": "2",
        "xy z": "3",
        "xy zz": "2 zz",
        "xyz": "xyz",
        "yx x": "5 1",
        "X. Y.a": "4a",
    }


def test_an_empty_list_covers_nothing() -> None:
    assert Veil({}).cover("Biden spoke.").back(0, 5) == (0, 5)


@given(
    st.lists(st.sampled_from(["Joe Biden", "Trump", "he", "the", "wall", ",", "é😀", "Smith"]), max_size=12)
)
def test_what_is_not_covered_stands_where_it_stood(words: list[str]) -> None:
    text = " ".join(words)
    veiled = VEIL.cover(text)
    covers = {"John", "Smith", "she"}
    for match in re.finditer(r"\S+", veiled.text):
        start, end = veiled.back(*match.span())
        if match[0] not in covers:
            assert text[start:end] == match[0]
        else:
            assert text[start:end] in ("Joe Biden", "Trump", "he", "Smith")


def test_the_list_reads_every_word_of_a_line_as_one_and_covers_twice_as_once() -> None:
    veil = Veil(listed())
    for word, cover in listed().items():
        assert veil.cover(word).text == cover
        assert veil.cover(cover).text == cover
