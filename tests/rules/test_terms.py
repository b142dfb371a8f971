"""The language of terms: what it means and how it says that it cannot be read."""

from __future__ import annotations

import pytest

from unslant.core.errors import RuleError
from unslant.rules.terms import ANY, Group, Word, parse_term


def test_words_hyphens_and_tags() -> None:
    assert parse_term("slam@v well-known", {}).elements == (Word("slam", "v"), Word("well"), Word("known"))


def test_groups_may_hold_several_words_and_be_optional() -> None:
    term = parse_term("(all|each of) _ men?", {})
    either = Group(((Word("all"),), (Word("each"), Word("of"))))
    assert term.elements == (either, ANY, Group(((Word("men"),),), optional=True))


def test_a_class_stands_for_its_entries() -> None:
    term = parse_term("<people> are", {"people": ["men", "older women"]})
    assert term.elements[0] == Group(((Word("men"),), (Word("older"), Word("women"))))


def test_a_capital_letter_makes_a_word_exact() -> None:
    word = parse_term("Obamacare", {}).elements[0]
    assert isinstance(word, Word)
    assert word.exact


@pytest.mark.parametrize(
    ("term", "part"),
    [
        ("(all|most", "never closed"),
        ("all)", "outside brackets"),
        ("all|most", "outside brackets"),
        ("(all|)", "empty alternative"),
        ("? men", "nothing before it"),
        ("men?", "matches nothing"),
        ("", "matches nothing"),
        ("_ of all time", "starts with '_'"),
        ("(the|_) of all time", "starts with '_'"),
        ("so? _ called", "starts with '_'"),
        ("so ^called", "not at its start"),
        ("<people> are", "not a class"),
        ("call [the] bluff", "neither at its start nor at its end"),
        ("call [the big] bluff", "exactly one word"),
        ("100%", "unexpected '%'"),
        ("slam@x", "unexpected '@'"),
        (" ".join(["word"] * 20), "longer than"),
    ],
)
def test_a_mistake_is_named(term: str, part: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_term(term, {})
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
