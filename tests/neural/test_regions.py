"""A place to edit grows from its surest word, and is a phrase that can go."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.edits import Guess, Op, apply
from unslant.neural.regions import EVEN, blended, suggest

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_")
DELETE = Op("delete")


def by(text: str) -> Op:
    return Op("replace", text)


def guessed(text: str, sure: dict[str, float], **ops: tuple[tuple[Op, float], ...]) -> list[Guess]:
    """Return a guess for every word; those that are not named are hardly changed."""
    return [
        Guess(Span(*match.span()), sure.get(match[0], 0.02), ops.get(match[0], ((DELETE, 0.5),)))
        for match in TOKEN.finditer(text)
    ]


def best(text: str, sure: dict[str, float], **ops: tuple[tuple[Op, float], ...]) -> str:
    return apply(text, [suggest(text, guessed(text, sure, **ops))[0].change])


@pytest.mark.parametrize(
    ("text", "sure", "after"),
    [
        ("It was a great day.", {"great": 0.9}, "It was a day."),
        ("It was a truly great day.", {"truly": 0.8, "great": 0.9}, "It was a day."),
        ("It was a truly great day.", {"truly": 0.5, "great": 0.9}, "It was a truly day."),
        ("He saw the much loved hall.", {"the": 0.8, "much": 0.9, "loved": 0.9}, "He saw the hall."),
        ("A self-made man came.", {"self": 0.9}, "A man came."),
        ("A man, self-made, came.", {"made": 0.9}, "A man, came."),
        ("The heroic work of Ana paid.", {"heroic": 0.9, "work": 0.8, "of": 0.8}, "The of Ana paid."),
    ],
)
def test_a_place_is_a_phrase(text: str, sure: dict[str, float], after: str) -> None:
    assert best(text, sure) == after


def test_a_word_that_leans_on_others_may_be_a_place_by_itself() -> None:
    assert best("He is one of them.", {"one": 0.9}) == "He is of them."


def test_places_are_apart_and_the_surest_is_first() -> None:
    text = "The great town saw a sad end."
    found = suggest(text, guessed(text, {"great": 0.8, "sad": 0.95}))
    assert [text[one.change.start : one.change.end].strip() for one in found] == ["sad", "great"]
    assert found[0].probability > found[1].probability > 0.5


def test_even_odds_are_where_the_network_would_make_the_change() -> None:
    text = "The great town grew."
    (found,) = suggest(text, guessed(text, {"great": EVEN}))
    assert found.probability == pytest.approx(0.5)
    (lower,) = suggest(text, guessed(text, {"great": EVEN}), 0.9)
    assert lower.probability < 0.5
    assert suggest(text, guessed(text, {"great": 0.1})) == []


def test_a_place_has_alternatives_of_which_the_surest_word_alone_is_one() -> None:
    text = "He boldly claimed it."
    ops = ((by("said"), 0.6), (DELETE, 0.3))
    found = suggest(text, guessed(text, {"boldly": 0.8, "claimed": 0.9}, boldly=ops))
    assert [apply(text, [one.change]) for one in found] == ["He said it.", "He it.", "He boldly it."]
    assert found[0].probability > max(one.probability for one in found[1:])


def test_marks_and_edits_together_say_how_sure_a_word_is() -> None:
    assert blended(0.5, 1.0) > 0.5 > blended(0.5, 0.0)
    assert blended(0.0, 0.0) == 0.0
    assert blended(1.0, 1.0) == pytest.approx(1.0)


def test_nothing_that_would_leave_no_word_is_suggested() -> None:
    assert suggest("Awful.", guessed("Awful.", {"Awful": 0.9})) == []
    assert suggest("", []) == []


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(["the", "Town", "very", ",", "(", '"', "-", "1918"]), max_size=8).map(" ".join),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
    st.booleans(),
)
def test_every_change_lies_in_the_text_and_leaves_a_word(text: str, sure: list[float], tight: bool) -> None:
    if tight:
        text = text.replace(" - ", "-")
    words = [Span(*match.span()) for match in TOKEN.finditer(text)]
    some = [
        Guess(word, chance, ((DELETE, 0.4), (by("said"), 0.2)))
        for word, chance in zip(words, sure, strict=False)
    ]
    for one in suggest(text, some):
        assert 0 <= one.change.start <= one.change.end <= len(text)
        assert 0 <= one.probability <= 1
        assert any(map(str.isalnum, apply(text, [one.change])))
