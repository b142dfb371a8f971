"""What terms match, in words as people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.rules.automaton import Tokens
from unslant.rules.terms import build, parse_term


def found(term: str, text: str) -> list[str]:
    tokens = Tokens(text)
    matches = build([parse_term(term, {"group": ["men", "older women", "Finns"]})]).find(tokens)
    return [text[tokens.spans[match.first][0] : tokens.spans[match.last][1]] for match in matches]


@pytest.mark.parametrize(
    ("term", "text", "expected"),
    [
        ("world class", "A world-class team, a world\nclass team and a World  Class act.", 3),
        ("world class", "It is a world, class dismissed.", 0),
        ("world class", "A world-classy team.", 0),
        ("don't", "They don\u2019t and we don't.", 2),
        ("(all|most of the) men", "All men and most of the men, but not most men.", 2),
        ("so very? called", "A so called plan, a so very called plan.", 2),
        ("best _ of (all _|the) time", "the best band of all the time, the best of the time", 1),
        ("^clearly", "Clearly, he left, and clearly she did.", 1),
        ("all <group>", "All men, all older women, all Finns, all finns, all women.", 3),
        ("Turkey", "Turkey ate turkey.", 1),
        ("slam@v", "They slam it; she slams it; he slammed it; slamming it.", 4),
        ("slam@v", "a slam dunk and the grand slam", 0),
    ],
)
def test_terms(term: str, text: str, expected: int) -> None:
    assert len(found(term, text)) == expected


def test_a_letter_that_grows_when_lowered_moves_nothing() -> None:
    assert found("great", "\u0130stanbul is a great city") == ["great"]


def test_a_combining_mark_belongs_to_its_word() -> None:
    assert found("cafe", "the cafe\u0301 is closed, the cafe is not") == ["cafe"]


def test_overlapping_terms_are_all_found() -> None:
    tokens = Tokens("so very very sad")
    terms = [parse_term(text, {}) for text in ("so very", "very very", "very", "very sad")]
    matches = {(match.entry, match.first, match.last) for match in build(terms).find(tokens)}
    assert matches == {(0, 0, 1), (1, 1, 2), (2, 1, 1), (2, 2, 2), (3, 2, 3)}


def test_a_book_that_keeps_few_states_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = [
        parse_term(text, {}) for text in ("so very", "very very", "very", "so very very sad", "sad _ day")
    ]
    tokens = Tokens("so very very sad a day, so very sad, very sad this day")
    expected = build(terms).find(tokens)
    monkeypatch.setattr("unslant.rules.automaton._MOST_STATES", 1)
    few = build(terms)
    assert len(expected) > 8
    assert few.find(tokens) == expected
    assert few.find(tokens) == expected


_vocabulary = st.sampled_from(["a", "b", "c", "d"])


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.lists(_vocabulary, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=6, unique=True
    ),
    st.lists(_vocabulary, max_size=25).map(" ".join),
)
def test_finds_what_one_regular_expression_a_term_finds(terms: list[str], text: str) -> None:
    tokens = Tokens(text)
    matches = build([parse_term(term, {}) for term in terms]).find(tokens)
    got = sorted((match.entry, tokens.spans[match.first][0]) for match in matches)
    expected = sorted(
        (number, hit.start())
        for number, term in enumerate(terms)
        for hit in re.finditer(rf"(?=\b{re.escape(term)}\b)", text)
    )
    assert got == expected


@settings(max_examples=150, deadline=None)
@given(st.text())
def test_words_lie_where_they_say(text: str) -> None:
    tokens = Tokens(text)
    assert [text[start:end] for start, end in tokens.spans] == [
        tokens.written(at) for at in range(len(tokens))
    ]
    assert all(
        len(word) == end - start for word, (start, end) in zip(tokens.words, tokens.spans, strict=True)
    )
