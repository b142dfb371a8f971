"""Automata over tokens: which answers they let through, on alphabets small enough to list all of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.lab.probing.constraints import AnswerTrie, Constraint, DocumentSpans, DocumentTokens


def accepted(constraint: Constraint, longest: int = 6) -> set[tuple[int, ...]]:
    """Every sequence of tokens that the automaton lets through, up to a length."""
    found: set[tuple[int, ...]] = set()
    open_paths: list[tuple[tuple[int, ...], int]] = [((), constraint.start)]
    while open_paths:
        path, state = open_paths.pop()
        if path and constraint.may_end(state):
            found.add(path)
        if len(path) < longest:
            open_paths += [
                ((*path, token), constraint.after(state, token)) for token in constraint.following(state)
            ]
    return found


@pytest.mark.parametrize(
    "answers",
    [
        {"yes": (1,), "no": (2,)},
        {"left": (1, 2), "right": (1, 3)},
        {"left": (1,), "left-wing": (1, 2)},
        {"a": (1, 1, 1), "b": (1, 1, 2), "c": (3,)},
    ],
)
def test_a_trie_lets_exactly_its_answers_through(answers: dict[str, tuple[int, ...]]) -> None:
    assert accepted(AnswerTrie(answers)) == set(answers.values())


def test_a_trie_knows_which_answer_was_given() -> None:
    trie = AnswerTrie({"left": (1, 2), "right": (1, 3)})
    state = trie.after(trie.after(trie.start, 1), 3)
    assert trie.answer(state) == "right"
    assert trie.answer(trie.after(trie.start, 1)) is None


def test_an_answer_may_stop_early_if_that_is_allowed() -> None:
    assert accepted(AnswerTrie({"left": (1, 2)}, early_end=True)) == {(1,), (1, 2)}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"left": ()}, "the answer 'left' has no tokens"),
        ({"left": (1,), "right": (1,)}, "the answers 'left' and 'right' have the same tokens"),
    ],
)
def test_answers_that_cannot_be_told_apart_are_refused(
    answers: dict[str, tuple[int, ...]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        AnswerTrie(answers)


def spans_of(tokens: tuple[int, ...], longest: int = 6) -> set[tuple[int, ...]]:
    return {
        tokens[start:end]
        for start in range(len(tokens))
        for end in range(start + 1, min(len(tokens), start + longest) + 1)
    }


@pytest.mark.parametrize("tokens", [(1,), (1, 2), (1, 1), (1, 2, 1), (1, 2, 1, 2, 3), (3, 3, 3, 1)])
def test_spans_of_a_document(tokens: tuple[int, ...]) -> None:
    assert accepted(DocumentSpans(tokens)) == spans_of(tokens)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=7).map(tuple))
def test_every_span_of_any_document_and_no_other(tokens: tuple[int, ...]) -> None:
    assert accepted(DocumentSpans(tokens), 5) == {span for span in spans_of(tokens) if len(span) <= 5}


def test_a_span_does_not_begin_where_it_must_not() -> None:
    found = accepted(DocumentSpans((1, 2, 3), not_first=(1,)))
    assert found == {(1,), (1, 2), (1, 2, 3), (3,)}


def test_tokens_of_a_document_in_any_order() -> None:
    assert accepted(DocumentTokens((1, 2)), 2) == {(1,), (2,), (1, 1), (1, 2), (2, 1), (2, 2)}
