"""Which examples stand before a text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from unslant.core.errors import ConfigError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.items import ProbeItem, stratify
from unslant.lab.probing.sampling import (
    COARSE,
    ExampleSampler,
    coarse_category,
    sample_random,
    sample_weak_oracle,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL = [
    ProbeItem(f"{name}-{at}", f"text {at} about {name}", (name,), name)
    for name in dimensions()
    for at in range(40 if name == "gender" else 3)
]
ITEM = ProbeItem("judged", "a text", ("race",), "race")


def test_the_coarse_categories_part_the_eleven_dimensions() -> None:
    members = [item for some in COARSE.values() for item in some]
    assert sorted(members) == sorted(dimensions())
    assert coarse_category("political affiliation") == "affiliation"
    assert coarse_category("disability") == "identity"


@pytest.mark.parametrize("count", [5, 10, 20])
def test_the_weak_oracle_goes_through_the_dimensions_of_the_category_in_turn(count: int) -> None:
    drawn = sample_weak_oracle(POOL, "race", count, random.Random(1))
    assert len({item.id for item in drawn}) == count == len(drawn)
    counts = Counter(item.dimension for item in drawn)
    assert set(counts) <= set(COARSE["identity"])
    # gender has thirteen times as many texts as the others, and still no more than its turn
    assert counts["gender"] <= -(-count // 8) + 2
    assert len(counts) == min(count, 8)


def test_the_first_round_of_the_weak_oracle_is_one_of_each_dimension_in_order() -> None:
    drawn = sample_weak_oracle(POOL, "profession", 3, random.Random(0))
    assert [item.dimension for item in drawn] == list(COARSE["affiliation"])


def test_a_dimension_without_texts_is_passed_over() -> None:
    pool = [item for item in POOL if item.dimension in ("gender", "age")]
    drawn = sample_weak_oracle(pool, "race", 6, random.Random(0))
    assert {item.dimension for item in drawn} == {"gender", "age"}
    assert [item.dimension for item in sample_weak_oracle(pool, "race", 2, random.Random(0))] == [
        "gender",
        "age",
    ]


def test_the_weak_oracle_says_when_there_are_too_few() -> None:
    with pytest.raises(ConfigError, match="only 9 texts of the category 'affiliation'"):
        sample_weak_oracle(POOL, "profession", 10, random.Random(0))


def test_at_random_follows_the_shares_of_the_pool() -> None:
    drawn = [item for seed in range(200) for item in sample_random(POOL, 5, random.Random(seed))]
    share = sum(item.dimension == "gender" for item in drawn) / len(drawn)
    assert abs(share - 40 / 70) < 0.06
    with pytest.raises(ConfigError, match="only 70 texts"):
        sample_random(POOL, 71, random.Random(0))


def test_a_set_is_shared_and_an_item_has_its_own() -> None:
    items = [
        ITEM,
        ProbeItem("other", "x", ("age",), "age"),
        ProbeItem("third", "y", ("profession",), "profession"),
    ]
    shared = ExampleSampler(POOL).examples(items, 5, 0)
    assert shared[0] == shared[1] == shared[2]
    own = ExampleSampler(POOL, per="item").examples(items, 5, 0)
    assert len({tuple(item.id for item in some) for some in own}) == 3
    oracle = ExampleSampler(POOL, "oracle").examples(items, 5, 0)
    assert oracle[0] == oracle[1] != oracle[2]


def test_seeds_decide() -> None:
    sampler = ExampleSampler(POOL, per="item")
    assert sampler.examples([ITEM], 5, 0) == ExampleSampler(POOL, per="item").examples([ITEM], 5, 0)
    assert sampler.examples([ITEM], 5, 0) != sampler.examples([ITEM], 5, 1)
    assert sampler.examples([ITEM], 0, 0) == [()]


class Letters:
    """Texts are alike where their letters are."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([[text.count(chr(97 + at)) for at in range(26)] for text in texts], dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_the_nearest_stand_nearest_to_the_text() -> None:
    pool = [
        ProbeItem(str(at), text, ("x",)) for at, text in enumerate(["zzzz", "aabb", "aaab", "qqqq", "aaaa"])
    ]
    (found,) = ExampleSampler(pool, "nearest", embedder=Letters()).examples(
        [ProbeItem("i", "aaa", ("x",))], 3, 0
    )
    assert [description.text for description in found] == ["aabb", "aaab", "aaaa"]


def test_what_cannot_work_is_reported_at_once() -> None:
    with pytest.raises(ConfigError, match="needs an encoder"):
        ExampleSampler(POOL, "nearest")
    with pytest.raises(ConfigError, match="--task identification"):
        ExampleSampler([ProbeItem("1", "x", ("yes",))], "oracle")
    with pytest.raises(ConfigError, match="only 1 texts"):
        ExampleSampler([ITEM], "nearest", embedder=Letters()).examples([ITEM], 2, 0)


def test_some_of_the_items_keep_the_shares_and_the_order() -> None:
    some = stratify(POOL, 35, seed=3)
    assert len(some) == 35
    counts = Counter(item.dimension for item in some)
    assert counts["gender"] == 20
    assert set(counts) == set(dimensions())
    places = [POOL.index(item) for item in some]
    assert places == sorted(places)
    assert stratify(POOL, 35, seed=3) == some
    assert stratify(POOL, 500, seed=3) == tuple(POOL)
