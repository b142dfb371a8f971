from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.corpora.splits import assign_splits, parse_parts

PARTS = {"train": 0.8, "dev": 0.1, "test": 0.1}
NAMES = st.one_of(st.none(), st.sampled_from("abcdefgh"))


def example(name: int, **more: object) -> Example:
    return Example(**({"id": str(name), "text": f"text {name}", "source": "s", "licence": "l"} | more))  # type: ignore[arg-type]


@given(
    st.lists(st.tuples(NAMES, NAMES, NAMES, st.sampled_from("xyz")), min_size=1, max_size=60),
    st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_what_belongs_together_stays_together(rows: list[tuple[str | None, ...]], seed: int) -> None:
    examples = [
        example(at, pair=pair, document=document, outlet=outlet, text=f"{text} {at % 7}")
        for at, (pair, document, outlet, text) in enumerate(rows)
    ]
    where = assign_splits(examples, PARTS, seed=seed)
    assert set(where) == {item.id for item in examples}
    for name in ("pair", "document", "outlet", "text"):
        parts = defaultdict(set)
        for item in examples:
            if getattr(item, name):
                parts[getattr(item, name)].add(where[item.id])
        assert all(len(found) == 1 for found in parts.values()), name


def test_the_shares_and_the_labels_come_out_roughly() -> None:
    examples = [example(at, label=at % 4 == 0, pair=str(at // 2)) for at in range(2000)]
    where = assign_splits(examples, PARTS)
    sizes = Counter(where.values())
    assert sizes["train"] == pytest.approx(1600, abs=20)
    assert sizes["dev"] == pytest.approx(200, abs=10)
    for part in PARTS:
        inside = [item.label for item in examples if where[item.id] == part]
        assert sum(map(bool, inside)) / len(inside) == pytest.approx(0.25, abs=0.02)


def test_the_seed_decides() -> None:
    examples = [example(at) for at in range(200)]
    assert assign_splits(examples, PARTS, seed=1) == assign_splits(examples, PARTS, seed=1)
    assert assign_splits(examples, PARTS, seed=1) != assign_splits(examples, PARTS, seed=2)


def test_what_is_not_kept_may_part() -> None:
    examples = [example(at, outlet="one") for at in range(100)]
    assert set(assign_splits(examples, PARTS).values()) == {"train"}
    assert set(assign_splits(examples, PARTS, keep=()).values()) == set(PARTS)


@pytest.mark.parametrize("option", ["train", "train=0.5", "train=1.5,test=-0.5", "a=x,b=1"])
def test_parts_must_make_a_whole(option: str) -> None:
    with pytest.raises(ConfigError, match="--parts"):
        parse_parts(option)


def test_an_unknown_tie_is_named() -> None:
    with pytest.raises(ConfigError, match="'author' is not one of pair, document, outlet"):
        assign_splits([example(1)], PARTS, keep=["author"])
