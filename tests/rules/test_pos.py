"""The part of speech of a word shows in what stands around it."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.rules.automaton import Tokens
from unslant.rules.pos import plausible
from unslant.rules.terms import build, parse_term
from unslant.text import function_words

_BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "parts_of_speech.py"


@pytest.fixture(scope="module")
def benchmark() -> dict[str, Any]:
    return runpy.run_path(str(_BENCHMARK))


@pytest.mark.parametrize(("held", "least"), [(False, 0.94), (True, 0.89)])
def test_most_labelled_uses_are_recognised(benchmark: dict[str, Any], held: bool, least: float) -> None:
    good, total = benchmark["right"](benchmark["unslant"], held)
    assert total > 250
    assert good / total >= least


@pytest.mark.parametrize(
    ("pos", "precision", "recall"),
    [("v", 0.89, 0.97), ("n", 0.89, 0.96), ("adj", 0.80, 0.90), ("adv", 0.5, 0.95)],
)
def test_it_seldom_says_no_wrongly(
    benchmark: dict[str, Any], pos: str, precision: float, recall: float
) -> None:
    found = benchmark["precision_recall"](benchmark["unslant"], True, pos)
    assert found[0] >= precision
    assert found[1] >= recall


def test_the_uses_marked_by_hand_are_many_and_different(benchmark: dict[str, Any]) -> None:
    asked = list(benchmark["questions"]())
    sentences = {(question.sentence, question.start) for question in asked}
    held = {(question.sentence, question.start) for question in asked if question.held}
    assert len(sentences) >= 300
    assert 0.3 < len(held) / len(sentences) < 0.36
    assert len({question.word.lower() for question in asked}) >= 150


def _matched(term: str, sentence: str) -> list[str]:
    tokens = Tokens(sentence)
    return [tokens.written(match.first) for match in build([parse_term(term, {})]).find(tokens)]


@pytest.mark.parametrize(
    ("term", "sentence", "matched"),
    [
        ("claim@v", "The official claims the claims are false.", ["claims"]),
        ("claim@n", "The official claims the claims are false.", ["claims"]),
        ("claim@v", "The Times claims that the road is safe.", ["claims"]),
        ("claim@v", "She rejected that claim.", []),
        ("claim@v", "Those who use the bridge, they say, rightly claim damages.", ["claim"]),
        ("slam@v", "Critics have slammed the plan.", ["slammed"]),
        ("slam@v", "She won a grand slam.", []),
        ("slam@v", "He didn't slam the plan.", ["slam"]),
        ("attack@v", "It is prone to attack by rust.", ["attack"]),
        ("attack@n", "It is prone to attack by rust.", ["attack"]),
        ("attack@n", "They want to attack the plan.", []),
        ("chairman@n", "The dead chairmen lay in state.", ["chairmen"]),
        ("chairman@n", "A police chairman said so.", ["chairman"]),
        ("alleged@adj", "The alleged second attack failed.", ["alleged"]),
        ("alleged@adj", "Prosecutors alleged that he left.", []),
        ("poor@n", "The poor pay the price.", ["poor"]),
        ("poor@n", "The poor harvest hurt the town.", []),
        ("great@adj", "It was a great hit.", ["great"]),
        ("great@adj", "The great and the good were there.", []),
        ("just@adv", "He had just left.", ["just"]),
        ("just@adv", "It was a just cause.", []),
        ("wildly@adv", "It was a wildly funny and sad play.", ["wildly"]),
        ("disgusting@adj", "It is disgusting how it looks.", ["disgusting"]),
        ("stunning@adj", "It works by stunning them.", []),
    ],
)
def test_terms_match_only_their_part_of_speech(term: str, sentence: str, matched: list[str]) -> None:
    assert _matched(term, sentence) == matched


@pytest.mark.parametrize(
    ("sentence", "at", "expected"),
    [
        ("a b c d e f g", 3, ["a", "b", "c", "d", "e", "f"]),
        ("a b c d e f g", 4, ["b", "c", "d", "e", "f", "g"]),
        ("A, b c-d.", 2, ["", "", "b", "c", "d", ""]),
        ("a b, c, d e", 2, ["", "", "", "c", "", ""]),
        ("word", 0, ["", "", "", "word", "", ""]),
    ],
)
def test_the_context_stops_at_punctuation(sentence: str, at: int, expected: list[str]) -> None:
    assert Tokens(sentence).context(at) == expected


def _known() -> Iterator[str]:
    for name, words in vars(function_words).items():
        if name.isupper():
            yield from words


@given(
    context=st.lists(st.sampled_from(sorted({*_known(), "dog", "dogs", "barked"})), min_size=6, max_size=6),
    slot=st.sampled_from(["base", "s", "past", "participle", "ing"]),
)
@settings(max_examples=300, deadline=None)
def test_a_word_that_can_be_a_verb_or_a_noun_is_always_one_of_them(context: list[str], slot: str) -> None:
    context[3] = "claims" if slot == "s" else "claim"
    if slot in ("base", "s"):
        assert plausible(context, "v", slot) or plausible(context, "n", slot)
    for pos in ("v", "n", "adj", "adv"):
        assert plausible(context, pos, slot) in (True, False)


def test_the_tables_hold_words_in_lower_case() -> None:
    assert all(word == word.lower() for word in _known())
