"""Exchanges of groups, with models that are even-handed and models that are not."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tests.lab.evaluation.toy_model import ToyModel, write_babe, write_wikibias
from unslant.lab.detector.augment import swap_lists
from unslant.lab.evaluation.even_handed import (
    compare_groups,
    even_handed,
    neutral_sentences,
    real_swaps,
    score_groups,
)
from unslant.lab.evaluation.held_out import Lineage, Setting, _Learned
from unslant.lab.evaluation.models import RuleModel
from unslant.lab.evaluation.result import Result
from unslant.lab.stats.bootstrap import Resampling

BABE = [
    ("Democrats met in town.", "Non-biased"),
    ("Republicans met in an awful town.", "Biased"),
    ("Democrats and Republicans met.", "Non-biased"),
    ("It rained in town.", "Non-biased"),
    ("Two women met in town.", "Non-biased"),
    ("It was an awful day in town.", "Biased"),
]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    write_babe(tmp_path, BABE)
    write_wikibias(tmp_path, [("A glorious church .", "A church .", ["framing"])])
    path = tmp_path / "headlines" / "headlines.csv.gz"
    path.parent.mkdir()
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("title outlet leaning date origin id".split())
        writer.writerow(["Republicans win", "the post", "left", "2020-01-01", "x", "h1"])
    return Setting(tmp_path, Resampling(20))


def value(result: Result, name: str, section: str) -> float | None:
    return result.figure(name, section).estimate.value


def test_a_model_that_looks_at_what_is_said_does_not_change(setting: Setting) -> None:
    result = even_handed([ToyModel()], setting)
    for section in ("exchanges in real sentences", "groups in neutral sentences"):
        for name in ("mean change", "worst change", "verdicts flipped"):
            assert value(result, name, section) == 0


def test_a_model_that_looks_at_parties_is_found_out(setting: Setting) -> None:
    # 0.2 more for one party: no verdict turns; on texts that name both, nothing changes
    result = even_handed([ToyModel(unfair={"Republicans": 0.2})], setting)
    # three sentences of BABE and one headline name a party; in one of the four both stand
    by_list = [
        section for section in result.sections if section.table == "exchanges in real sentences, by list"
    ]
    means = {figure.name: figure.estimate.value for figure in by_list[0].figures}
    assert means["parties"] == pytest.approx(3 * 0.2 / 4)
    assert means["genders"] == 0
    assert value(result, "worst change", "exchanges in real sentences") == pytest.approx(0.2)
    assert value(result, "verdicts flipped", "exchanges in real sentences") == 0
    assert value(result, "parties", "from the first side to the second") == pytest.approx(0.2)


def test_a_large_preference_turns_verdicts_and_raises_false_alarms(setting: Setting) -> None:
    result = even_handed([ToyModel(unfair={"emocrats": 0.4})], setting)
    # four exchanges of parties, one of genders, two of religions; 'Democrats met' and the headline turn
    swaps, _ = real_swaps([ToyModel()], setting)
    assert len([swap for swap in swaps if swap.listed]) == 7
    assert sum(swap.list == "religions" for swap in swaps) == 2
    flips = value(result, "verdicts flipped", "exchanges in real sentences")
    assert flips == pytest.approx(2 / 7)
    assert value(result, "parties, first side", "false alarms in real neutral sentences") == 1.0
    assert value(result, "parties: Democrats", "false alarms") == 1.0
    assert value(result, "parties: Republicans", "false alarms") == 0.0
    assert value(result, "parties: Democrats", "mean probability") == pytest.approx(0.6)
    by_list = {
        section.title: section
        for section in result.sections
        if section.table == "groups in neutral sentences, by list"
    }
    flipped = {figure.name: figure.estimate.value for figure in by_list["verdicts flipped"].figures}
    assert flipped["parties"] == 1.0
    assert {value for name, value in flipped.items() if name != "parties"} == {0.0}


def test_what_the_model_learned_from_is_left_out(setting: Setting) -> None:
    lineage = Lineage((_Learned("babe/sg2", ("train",), None, frozenset()),))
    swaps, notes = real_swaps([ToyModel(lineage)], setting)
    assert {swap.change.group.split("/")[0] for swap in swaps} == {"wikibias", "headlines"}
    assert notes == ["babe/sg2 is left out, because the model was trained on it"]


def test_every_group_stands_in_every_sentence_of_its_form() -> None:
    sentences = neutral_sentences()
    assert len({text for *_, text in sentences}) == len(sentences)
    lists = {name for name, *_ in sentences}
    assert lists <= set(swap_lists())
    assert lists >= {"parties", "genders", "religions", "races", "orientations", "ages", "disabilities"}
    for name, group, template, text in sentences:
        assert group.lower() in text.lower(), name
        assert text[0].isupper()
        assert "{}" in template


def test_neutral_sentences_are_neutral_to_the_rules() -> None:
    scores = score_groups(RuleModel())
    assert [score.group for score in scores if score.slanted] == []


def test_every_two_groups_are_compared_in_the_same_sentence() -> None:
    scores = [group for group in score_groups(ToyModel()) if group.list == "ideologies"]
    changes = compare_groups(scores)
    assert len(changes) == 10 * 4 * 3 // 2
    assert {change.group.split("/")[0] for _, change in changes} == {"ideologies"}
