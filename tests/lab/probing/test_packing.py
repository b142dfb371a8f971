"""Prompts as a tree of tokens."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.lab.probing.generator import TokenTree, group_prompts, shared_prefix_length, tree_size

pytestmark = pytest.mark.torch

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=8), min_size=1, max_size=8)


@given(PROMPTS)
def test_every_prompt_is_a_path_and_what_is_shared_is_there_once(prompts: list[list[int]]) -> None:
    tree = TokenTree()
    leaves = [tree.add(prompt) for prompt in prompts]
    assert (
        len(tree)
        == tree_size(prompts)
        == len({tuple(prompt[:at]) for prompt in prompts for at in range(1, len(prompt) + 1)})
    )
    for prompt, leaf in zip(prompts, leaves, strict=True):
        assert [tree.tokens[node] for node in tree.path(leaf)] == prompt
        assert [tree.depths[node] for node in tree.path(leaf)] == list(range(len(prompt)))


@given(PROMPTS, st.integers(1, 5), st.integers(0, 5))
def test_a_token_sees_itself_and_what_stands_before_it(
    prompts: list[list[int]], step: int, first: int
) -> None:
    tree = TokenTree()
    for prompt in prompts:
        tree.add(prompt)
    # what was read before, by another tree, is not asked about and still seen
    for low in range(first, len(tree), step):
        high = min(low + step, len(tree))
        for node, row in zip(range(low, high), tree.attention_mask(low, high), strict=True):
            assert [at for at, seen in enumerate(row) if seen] == tree.path(node)


def test_what_is_written_is_new_even_where_a_prompt_goes_on_the_same_way() -> None:
    tree = TokenTree()
    short, long = tree.add([1]), tree.add([1, 2])
    grown = tree.grow([2], short)
    assert grown not in (short, long)
    assert tree.path(grown) == [short, grown]


@given(PROMPTS, st.integers(1, 20))
def test_groups_hold_each_prompt_once_and_keep_to_the_budget(prompts: list[list[int]], budget: int) -> None:
    found = list(group_prompts(prompts, budget))
    assert sorted(at for group in found for at in group) == list(range(len(prompts)))
    assert [prompts[at] for group in found for at in group] == sorted(prompts)
    for group in found[1:]:
        if len(group) > 1:
            first = prompts[group[0]]
            more = sum(
                len(prompts[at]) - shared_prefix_length(prompts[before], prompts[at])
                for before, at in pairwise(group)
            )
            assert more <= budget
            assert first == min(prompts[at] for at in group)


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_the_shared_length(left: list[int], right: list[int]) -> None:
    length = shared_prefix_length(left, right)
    assert left[:length] == right[:length]
    assert left[length : length + 1] != right[length : length + 1] or length == len(left) == len(right)
