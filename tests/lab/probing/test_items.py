"""The texts of each task: right answers, stand-ins, and examples that are never judged."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from unslant.core.errors import ConfigError, InputError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import TASKS
from unslant.lab.probing.items import (
    COARSE,
    ExampleSampler,
    ProbeItem,
    coarse_category,
    load_items,
    sample_random,
    sample_weak_oracle,
    stratify,
)
from unslant.lab.stats.text_overlap import bag_f1

if TYPE_CHECKING:
    from numpy.typing import NDArray


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("part", ["evaluation", "test"])
def test_no_example_is_ever_judged(made_up: Path, task: str, part: str) -> None:
    items = load_items(task, made_up, part=part)
    judged = {" ".join(item.text.lower().split()) for item in items.evaluated}
    assert items.evaluated
    assert items.pool
    assert not [item for item in items.pool if " ".join(item.text.lower().split()) in judged]
    assert not {item.id for item in items.pool} & {item.id for item in items.evaluated}
    assert len({item.id for item in items.evaluated}) == len(items.evaluated)


def test_half_of_diagnosis_is_biased_and_the_size_stands_beside_the_published(made_up: Path) -> None:
    items = load_items("diagnosis", made_up)
    answers = [item.answers[0] for item in items.evaluated]
    assert answers.count("yes") == answers.count("no") == 24
    assert items.title == "48 texts of cad; published on 1,209 of CAD"
    assert len(load_items("diagnosis", made_up, part="test").evaluated) == 24
    assert len(load_items("diagnosis", made_up, count=10).evaluated) == 10


def test_stand_ins_are_named(made_up: Path) -> None:
    for task in ("identification", "extraction", "rephrasing"):
        assert "stand-in for CAD" in load_items(task, made_up).title
    assert load_items("identification", made_up).corpora == ("reddit_bias", "crows_pairs")


@pytest.mark.shared
def test_dimensions_without_a_text_elsewhere_come_from_pairs_about_people(shared_data: Path) -> None:
    items = load_items("identification", shared_data, count=100)
    assert items.corpora == ("reddit_bias", "crows_pairs", "contrast/people")
    counts = Counter(str(item.dimension) for item in items.evaluated)
    sources = {item.id.partition(":")[0] for item in items.evaluated if item.dimension == "ethnicity"}
    assert sources == {"contrast/people"}
    assert counts["ethnicity"] == counts["political affiliation"] == 7
    assert max(counts.values()) <= 12


@pytest.mark.shared
def test_copying_the_text_is_a_bad_answer_to_what_is_slanted(shared_data: Path) -> None:
    items = load_items("extraction", shared_data, part="test", count=100)
    assert items.corpora == ("hatexplain",)
    assert all(
        item.span and item.text[item.span.start : item.span.end] == item.answers[0]
        for item in items.evaluated
    )
    copied = [bag_f1(item.text, item.answers) for item in items.evaluated]
    assert sum(copied) / len(copied) < 0.3


def test_what_is_extracted_stands_in_the_text(made_up: Path) -> None:
    for item in load_items("extraction", made_up).evaluated:
        assert item.span is not None
        assert item.text[item.span.start : item.span.end] == item.answers[0]
        assert item.answers[0].endswith("are very lazy")


def test_a_rephrasing_has_all_its_references(made_up: Path) -> None:
    for item in load_items("rephrasing", made_up).evaluated:
        number = item.text.rpartition(" ")[2]
        assert item.answers == (f"please be quiet zog {number}", f"be quiet zog {number}")


def test_the_full_file_is_used_where_it_is_at_hand(made_up: Path) -> None:
    columns = (
        "info_id info_thread.id annotation_Primary annotation_Secondary annotation_Context annotation_Target"
    )
    columns += " annotation_Target_top.level.category annotation_highlighted split meta_text"
    rows = [columns.replace(" ", "\t")]
    for at in range(12):
        split = "train" if at < 6 else "dev"
        said = f"the zogs of hill {at} are rotten"
        rows.append(
            f"f{at}\tt{at}\tIdentityDirectedAbuse\tx\tCurrentContent\tzogs\trace\tare rotten\t{split}\t{said}"
        )
        rows.append(f"n{at}\tm{at}\tNeutral\tNA\tNA\tNA\tNA\tNA\t{split}\tthe hill {at} is green")
    (made_up / "cad" / "cad_v1_1.tsv").write_text("\n".join(rows) + "\n")
    items = load_items("extraction", made_up)
    assert items.corpora == ("cad/full",)
    assert not items.stand_in
    assert {item.answers for item in items.evaluated} == {("are rotten",)}
    assert len(items.evaluated) == len(items.pool) == 6
    assert {item.dimension for item in load_items("identification", made_up).evaluated} == {"race"}
    assert load_items("rephrasing", made_up).corpora == ("paradetox",)


def test_a_missing_corpus_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unslant data get cad"):
        load_items("diagnosis", tmp_path)


@pytest.mark.shared
def test_the_real_corpora_give_enough_texts(shared_data: Path) -> None:
    items = load_items("extraction", shared_data, part="test", count=200)
    assert len(items.evaluated) == 200
    assert len(items.pool) > 1000


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


def test_some_of_the_items_are_as_many_of_each_answer_in_order() -> None:
    some = stratify(POOL, 35, seed=3)
    assert len(some) == 35
    counts = Counter(item.dimension for item in some)
    there = Counter(item.dimension for item in POOL)
    assert set(counts) == set(dimensions())
    most = max(counts.values())
    assert all(counts[name] in (most, most - 1) or counts[name] == there[name] for name in counts)
    assert counts["gender"] < 20 < there["gender"]
    places = [POOL.index(item) for item in some]
    assert places == sorted(places)
    assert stratify(POOL, 35, seed=3) == some
    assert stratify(POOL, 500, seed=3) == tuple(POOL)
