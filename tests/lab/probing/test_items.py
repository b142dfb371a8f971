"""The texts of each task: right answers, stand-ins, and examples that are never judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.errors import InputError
from unslant.lab.probing.descriptions import TASKS
from unslant.lab.probing.items import load_items


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
