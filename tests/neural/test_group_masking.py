"""Names of groups are masked before the network reads them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.neural.group_masking import GroupMask, listed_masks

MASK = GroupMask(
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
    assert MASK.mask(one).text == MASK.mask(other).text


def test_a_name_that_is_also_a_word_is_masked_only_as_a_name() -> None:
    assert MASK.mask("He played a trump card.").text == "she played a trump card."


def test_parts_of_longer_words_stay() -> None:
    text = "The Trump-era theory of Bidenomics helped."
    assert MASK.mask(text).text == text


def test_part_of_a_mask_maps_to_the_whole_masked_name() -> None:
    text = "Then Joe Biden left."
    masked = MASK.mask(text)
    assert masked.text == "Then John Smith left."
    places = {match[0]: masked.original(*match.span()) for match in re.finditer(r"\w+", masked.text)}
    assert {word: text[start:end] for word, (start, end) in places.items()} == {
        "Then": "Then",
        "John": "Joe Biden",
        "Smith": "Joe Biden",
        "left": "left",
    }


def test_the_longest_word_counts_whatever_others_begin_alike() -> None:
    words = {"x": "1", "xy": "2", "xy z": "3", "X. Y.": "4", "yx": "5"}
    group_mask = GroupMask(words)
    found = {
        text: group_mask.mask(text).text for text in ("x", "xy", "xy z", "xy zz", "xyz", "yx x", "X. Y.a")
    }
    assert found == {
        "x": "1",
        "xy": "2",
        "xy z": "3",
        "xy zz": "2 zz",
        "xyz": "xyz",
        "yx x": "5 1",
        "X. Y.a": "4a",
    }


def test_an_empty_list_masks_nothing() -> None:
    assert GroupMask({}).mask("Biden spoke.").original(0, 5) == (0, 5)


@given(
    st.lists(st.sampled_from(["Joe Biden", "Trump", "he", "the", "wall", ",", "é😀", "Smith"]), max_size=12)
)
def test_unmasked_words_keep_their_positions(words: list[str]) -> None:
    text = " ".join(words)
    masked = MASK.mask(text)
    masks = {"John", "Smith", "she"}
    for match in re.finditer(r"\S+", masked.text):
        start, end = masked.original(*match.span())
        if match[0] not in masks:
            assert text[start:end] == match[0]
        else:
            assert text[start:end] in ("Joe Biden", "Trump", "he", "Smith")


def test_the_list_masks_every_word_of_a_line_alike_and_masking_is_idempotent() -> None:
    group_mask = GroupMask(listed_masks())
    for word, mask in listed_masks().items():
        assert group_mask.mask(word).text == mask
        assert group_mask.mask(mask).text == mask
