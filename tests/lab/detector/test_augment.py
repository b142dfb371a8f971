"""Counterfactual copies."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnknownName
from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.detector.augment import Swapper, _data, swap_lists, swap_pairs
from unslant.neural.group_masking import GroupMask, listed_masks

EVERY = [word for name in swap_lists() for pair in _data()[name]["pairs"] for word in pair]
FILLERS = ["said", "the", "so-called", "plan,", "which", "HE", "Left", "won.", "his"]
TEXTS = st.lists(
    st.sampled_from([*EVERY, *FILLERS, *map(str.upper, EVERY), *map(str.lower, EVERY)]), min_size=1
)


def example(text: str, *spans: tuple[int, int]) -> Example:
    return Example(
        "1", text, "toy", "", label=True, spans=tuple(LabelledSpan(Span(*span), "framing") for span in spans)
    )


@given(TEXTS.map(" ".join))
@settings(max_examples=200)
def test_exchanged_twice_is_the_same_again(text: str) -> None:
    swapper = Swapper()
    once = swapper.text(text)
    assert once is None or (once != text and swapper.text(once) == text)


@given(TEXTS, st.data())
@settings(max_examples=100)
def test_marks_move_along_with_their_words(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    start = len(" ".join(words[:first])) + (first > 0)
    end = len(" ".join(words[: last + 1]))
    swapper = Swapper()
    swapped = swapper.swap(example(text, (start, end)))
    if swapped is None:
        return
    assert swapped.spans is not None
    assert swapped.label is True
    assert swapped.spans[0].kind == "framing"
    back = swapper.swap(swapped)
    assert back is not None
    assert back.text == text
    # A mark that cuts through a name of two words grows to hold the whole name.
    assert back.spans is not None
    assert back.spans[0].span.contains(Span(start, end))


def test_case_is_kept() -> None:
    swapper = Swapper(["genders"])
    assert swapper.text("He met the WOMEN.") == "She met the MEN."


def test_the_longest_name_is_exchanged_as_a_whole() -> None:
    assert Swapper(["politicians"]).text("Joe Biden and Trump") == "Donald Trump and Biden"


def test_a_word_inside_another_is_left_alone() -> None:
    assert Swapper(["genders"]).text("The chairman of Manchester spoke of a man-made lake.") is None


@pytest.mark.parametrize(
    ("text", "swapped"),
    [
        ("She gave him the book.", "He gave her the book."),
        ("Her book was with her.", "His book was with him."),
        ("He took his time.", "She took her time."),
        # The way back would not be the same: the guess is not trusted.
        ("The idea was his.", None),
    ],
)
def test_a_form_that_has_two_counterparts_goes_by_what_follows(text: str, swapped: str | None) -> None:
    assert Swapper(["genders"]).text(text) == swapped


def test_marks_of_a_longer_counterpart_cover_it() -> None:
    swapped = Swapper(["outlets"]).swap(example("the awful MSNBC report", (10, 15)))
    assert swapped is not None
    assert swapped.spans is not None
    assert swapped.text == "the awful Fox News report"
    assert swapped.text[swapped.spans[0].span.start : swapped.spans[0].span.end] == "Fox News"


def test_each_word_has_one_counterpart() -> None:
    counts = Counter(word.lower() for word in EVERY)
    assert [word for word, count in counts.items() if count > 1] == []


def test_both_sides_of_a_political_pair_are_exchanged() -> None:
    swapper = Swapper(["parties", "ideologies"])
    assert swapper.text("Liberals and Republicans agreed.") == "Conservatives and Democrats agreed."


def test_an_unknown_list_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="genders"):
        Swapper(["gender"])


def test_the_pairs_of_a_list_include_forms_that_stand_for_two() -> None:
    assert ("Democrat", "Republican") in swap_pairs("parties")
    assert {("he", "she"), ("his", "her"), ("him", "her")} <= set(swap_pairs("genders"))
    with pytest.raises(UnknownName, match="no swap list named"):
        swap_pairs("planets")


def test_group_masking_hides_every_exchange() -> None:
    masks = GroupMask(listed_masks())
    pairs = [pair for name in swap_lists() for pair in swap_pairs(name)]
    assert [pair for pair in pairs if masks.mask(pair[0]).text != masks.mask(pair[1]).text] == []


def test_a_name_that_is_also_a_word_is_exchanged_only_as_a_name() -> None:
    swapped = Swapper(("politicians", "parties")).text(
        "Trump played a trump card against a Republican senator."
    )
    assert swapped == "Biden played a trump card against a Democratic senator."
