"""Group masking: mirrored sentences read the same, and every position leads back to the words as written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.neural.group_masking import GroupMask, listed_masks

LISTED = GroupMask(listed_masks())
SMALL = GroupMask(
    {"left": "SIDE", "right": "SIDE", "Democrats": "PARTY", "Republicans": "PARTY", "U.S.": "LAND"}
)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("The left won.", "The SIDE won."),
        ("The right won.", "The SIDE won."),
        ("The LEFT won.", "The SIDE won."),
        ("Democrats won.", "PARTY won."),
        ("DEMOCRATS won.", "PARTY won."),
        ("democrats won.", "democrats won."),
        ("Republicans and Democrats met.", "PARTY and PARTY met."),
        ("The leftover won.", "The leftover won."),
        ("The far-left won.", "The far-left won."),
        ("The U.S. won.", "The LAND won."),
        ("Nothing here.", "Nothing here."),
        ("", ""),
    ],
)
def test_listed_words_are_masked(text: str, masked: str) -> None:
    assert SMALL.mask(text).text == masked


@pytest.mark.parametrize(
    ("text", "word", "original"),
    [
        ("The left won.", "SIDE", "left"),
        ("The left won.", "won", "won"),
        ("The left won.", "The", "The"),
        ("Republicans beat Democrats today.", "beat", "beat"),
        ("Republicans beat Democrats today.", "today", "today"),
        ("Republicans beat Democrats today.", "PARTY", "Republicans"),
    ],
)
def test_positions_lead_back(text: str, word: str, original: str) -> None:
    masked = SMALL.mask(text)
    start = masked.text.index(word)
    first, last = masked.original(start, start + len(word))
    assert text[first:last] == original


def test_any_part_of_a_mask_is_the_whole_word() -> None:
    text = "Republicans won."
    masked = SMALL.mask(text)
    assert masked.text == "PARTY won."
    for start in range(5):
        for end in range(start + 1, 6):
            assert masked.original(start, end) == (0, 11)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The Democrats passed a radical bill.", "The Republicans passed a radical bill."),
        ("A Democratic senator slammed it.", "A Republican senator slammed it."),
        ("The liberal mayor lied.", "The conservative mayor lied."),
        ("Left-wing activists came.", "Right-wing activists came."),
    ],
)
def test_mirrored_sentences_read_the_same(left: str, right: str) -> None:
    assert LISTED.mask(left).text == LISTED.mask(right).text


def test_without_a_list_nothing_is_masked() -> None:
    masked = GroupMask({}).mask("Democrats won.")
    assert masked.text == "Democrats won."
    assert masked.original(0, 9) == (0, 9)


pieces = st.lists(
    st.sampled_from(["left", "Right", "Democrats", "Republicans", "U.S.", "won", " ", ", ", "-", "ly"]),
    max_size=12,
).map("".join)


@given(pieces)
def test_words_outside_the_masks_keep_their_letters(text: str) -> None:
    masked = SMALL.mask(text)
    inside = {at for start, end in zip(masked.starts, masked.ends, strict=True) for at in range(start, end)}
    for at in range(len(masked.text)):
        if at not in inside:
            first, last = masked.original(at, at + 1)
            assert text[first:last] == masked.text[at]
