"""Whatever is written under a constraint is what the constraint promises, with every sort of tokenizer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.probing.constraints import AnswerTrie, Constraint, DocumentSpans, DocumentTokens
from unslant.lab.probing.descriptions import dimension_answers

from .tiny_tokenizers import SORTS, trained

TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=14)


def walk(constraint: Constraint, rng: random.Random, longest: int = 40) -> tuple[list[int], int]:
    """Write at random whatever is allowed."""
    state, written = constraint.start, list[int]()
    while len(written) < longest:
        options: list[int | None] = sorted(constraint.following(state))  # type: ignore[assignment]
        if constraint.may_end(state):
            options.append(None)
        token = rng.choice(options)
        if token is None:
            break
        written.append(token)
        state = constraint.after(state, token)
    return written, state


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("answer_prefix", ["", " "])
def test_a_walk_through_the_trie_ends_with_one_of_the_dimensions(sort: str, answer_prefix: str) -> None:
    tokenizer = trained(sort)
    spelled = {name: tokenizer.encode(answer_prefix + said).ids for name, said in dimension_answers().items()}
    trie = AnswerTrie(spelled)
    seen = set()
    for seed in range(150):
        written, state = walk(trie, random.Random(seed))
        answer = trie.answer(state)
        assert answer is not None
        assert written == spelled[answer]
        seen.add(answer)
    assert len(seen) > 5


def test_an_answer_that_begins_another_may_end_or_go_on() -> None:
    trie = AnswerTrie({"short": [1], "long": [1, 2]})
    state = trie.after(trie.start, 1)
    assert trie.may_end(state)
    assert trie.answer(state) == "short"
    assert trie.answer(trie.after(state, 2)) == "long"
    assert not trie.may_end(trie.start)


def test_as_published_an_answer_may_end_in_its_middle_but_is_then_none() -> None:
    trie = AnswerTrie({"long": [1, 2]}, early_end=True)
    state = trie.after(trie.start, 1)
    assert trie.may_end(state)
    assert trie.answer(state) is None
    assert not trie.may_end(trie.start)


def test_answers_need_tokens_of_their_own() -> None:
    with pytest.raises(ValueError, match="no tokens"):
        AnswerTrie({"empty": []})
    with pytest.raises(ValueError, match="same tokens"):
        AnswerTrie({"one": [1], "other": [1]})


@given(TOKENS)
def test_the_automaton_allows_exactly_the_ranges_of_the_document(tokens: list[int]) -> None:
    spans = DocumentSpans(tokens)
    wanted = {tuple(tokens[a:b]) for a in range(len(tokens)) for b in range(a + 1, len(tokens) + 1)}
    found = set()
    todo: list[tuple[tuple[int, ...], int]] = [((), spans.start)]
    while todo:
        written, state = todo.pop()
        for token in spans.following(state):
            more, after = (*written, token), spans.after(state, token)
            found.add(more)
            todo.append((more, after))
            start, end = spans.locate(after, len(more))
            assert tuple(tokens[start:end]) == more
    assert found == wanted


@given(TOKENS)
def test_the_automaton_is_small_and_says_where_a_range_stands_first(tokens: list[int]) -> None:
    spans = DocumentSpans(tokens)
    assert spans.states <= 2 * len(tokens)
    state = spans.start
    for length, token in enumerate(tokens, 1):
        state = spans.after(state, token)
        assert spans.locate(state, length) == (0, length)
    for at, token in enumerate(tokens):
        assert spans.locate(spans.after(spans.start, token), 1)[0] == tokens.index(token) <= at


@pytest.mark.parametrize("sort", SORTS)
@settings(max_examples=40, deadline=None)
@given(
    text=st.text(
        st.sampled_from("the council met awful café zog naïve 😀 — … ŵ日本"), min_size=1, max_size=60
    ),
    seed=st.integers(0, 1000),
)
def test_an_extracted_span_is_a_substring_whatever_the_tokenizer(sort: str, text: str, seed: int) -> None:
    encoded = trained(sort).encode(text)
    if not encoded.ids:
        return
    spans = DocumentSpans(encoded.ids)
    written, state = walk(spans, random.Random(seed), len(encoded.ids))
    first, last = spans.locate(state, len(written))
    assert encoded.ids[first:last] == written
    said = text[encoded.offsets[first][0] : encoded.offsets[last - 1][1]]
    assert said
    assert said in text


def test_a_step_takes_no_longer_in_a_long_document() -> None:
    tokens = [at % 1000 for at in range(20_000)]
    spans = DocumentSpans(tokens)
    state = spans.after(spans.start, 7)
    assert list(spans.following(state)) == [8]
    assert spans.states <= 2 * len(tokens)


def test_white_space_begins_no_span_but_may_stand_inside() -> None:
    spans = DocumentSpans([5, 9, 6], not_first={1})
    assert set(spans.following(spans.start)) == {5, 6}
    assert set(spans.following(spans.after(spans.start, 5))) == {9}
    assert not spans.may_end(spans.start)


def test_a_document_without_a_token_allows_nothing() -> None:
    assert not DocumentSpans([]).following(0)
    assert not DocumentSpans([9], not_first={0}).following(0)


@given(TOKENS, st.integers(0, 100))
def test_document_tokens_may_come_in_any_order_and_nothing_else_may(tokens: list[int], seed: int) -> None:
    constraint = DocumentTokens(tokens)
    written, _ = walk(constraint, random.Random(seed))
    assert set(written) <= set(tokens)
    assert constraint.may_end(constraint.start)
