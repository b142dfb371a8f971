"""Splits that keep together what belongs together, and texts that two corpora share."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ConfigError
from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.splits import assign_splits, find_splits, jaccard, parse_parts, shingles


def example(number: int, **fields: object) -> Example:
    known = {"text": f"Text number {number}.", "source": "made", "licence": "CC0"}
    return Example(f"id-{number}", **(known | fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "parts"),
    [
        ("train=0.8,dev=0.1,test=0.1", {"train": 0.8, "dev": 0.1, "test": 0.1}),
        ("train=0.5, test=0.5", {"train": 0.5, "test": 0.5}),
        ("all=1", {"all": 1.0}),
    ],
)
def test_parts_are_read(option: str, parts: dict[str, float]) -> None:
    assert parse_parts(option) == parts


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("train", "--parts: 'train' is not NAME=SHARE, such as train=0.8"),
        ("train=x", "--parts: 'train=x' is not NAME=SHARE, such as train=0.8"),
        ("train=0.8", "must be positive and add up to 1"),
        ("train=1.2,dev=-0.2", "must be positive and add up to 1"),
        ("", "--parts: '' is not NAME=SHARE"),
    ],
)
def test_parts_that_make_no_whole_are_refused(option: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_parts(option)


def test_an_unknown_group_is_named() -> None:
    with pytest.raises(ConfigError, match="--keep: 'author' is not one of pair, document, outlet"):
        assign_splits([example(1)], {"train": 1.0}, keep=("author",))


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("pair", ["p1", "p1", "p2", "p2"]),
        ("document", ["d", "d", "d", "e"]),
        ("outlet", ["x", "y", "x", "y"]),
    ],
)
def test_what_shares_a_value_stays_together(field: str, values: list[str]) -> None:
    examples = [example(number, **{field: value}) for number, value in enumerate(values)]
    for seed in range(5):
        where = assign_splits(examples, {"train": 0.5, "test": 0.5}, seed=seed)
        for one, first in enumerate(values):
            for other, second in enumerate(values):
                if first == second:
                    assert where[f"id-{one}"] == where[f"id-{other}"]


def test_equal_texts_stay_together_whatever_their_case_and_spaces() -> None:
    examples = [example(1, text="The  bill passed."), example(2, text="the bill\npassed."), example(3)]
    for seed in range(5):
        where = assign_splits(examples, {"train": 0.5, "test": 0.5}, keep=(), seed=seed)
        assert where["id-1"] == where["id-2"]


def test_ties_are_transitive() -> None:
    examples = [
        example(1, pair="p", document="d"),
        example(2, pair="p", outlet="o"),
        example(3, outlet="o"),
        example(4, document="d"),
    ]
    for seed in range(5):
        assert len(set(assign_splits(examples, {"train": 0.5, "test": 0.5}, seed=seed).values())) == 1


def test_the_shares_of_labels_stay_as_they_were() -> None:
    examples = [example(number, label=number % 4 == 0) for number in range(200)]
    where = assign_splits(examples, {"train": 0.8, "dev": 0.1, "test": 0.1})
    sizes = Counter(where.values())
    assert sizes == {"train": 160, "dev": 20, "test": 20}
    biased = Counter(where[f"id-{number}"] for number in range(0, 200, 4))
    assert biased == {"train": 40, "dev": 5, "test": 5}


def test_published_splits_count_before_any_other() -> None:
    examples = [example(1, split="train"), example(2, split="test"), example(3)]
    assert find_splits(examples) == {"id-1": "train", "id-2": "test", "id-3": "unassigned"}


def test_without_published_splits_every_caller_gets_the_same() -> None:
    examples = [example(number) for number in range(50)]
    assert find_splits(examples) == find_splits(list(examples))
    assert Counter(find_splits(examples).values()) == {"train": 40, "dev": 5, "test": 5}


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=20), st.integers(0, 3))
@settings(max_examples=40)
def test_every_example_is_in_exactly_one_part(pairs: list[str | None], seed: int) -> None:
    examples = [example(number, pair=pair) for number, pair in enumerate(pairs)]
    where = assign_splits(examples, {"train": 0.7, "test": 0.3}, seed=seed)
    assert set(where) == {each.id for each in examples}
    assert set(where.values()) <= {"train", "test"}


def test_a_span_beyond_its_text_is_refused() -> None:
    with pytest.raises(Exception, match="made id-1: a span ends at 99, after the text"):
        example(1, spans=(LabelledSpan(Span(0, 99)),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bill passed.", {"the bill", "bill passed"}),
        ("the BILL, passed!", {"the bill", "bill passed"}),
        ("Bill", {"bill"}),
        ("", set()),
        ("a a a", {"a a"}),
    ],
)
def test_shingles(text: str, expected: set[str]) -> None:
    assert shingles(text) == expected


@pytest.mark.parametrize(
    ("left", "right", "share"),
    [
        ("the bill passed", "the bill passed", 1.0),
        ("the bill passed", "the bill failed", 1 / 3),
        ("the bill passed today", "the bill passed", 2 / 3),
        ("one two", "three four", 0.0),
        ("", "", 0.0),
        ("bill", "bill", 1.0),
    ],
)
def test_jaccard_is_the_share_of_word_pairs_in_common(left: str, right: str, share: float) -> None:
    assert jaccard(shingles(left), shingles(right)) == pytest.approx(share)
