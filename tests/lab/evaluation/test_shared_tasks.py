"""The tasks on the public corpora, with the rules as a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import RuleModel
from unslant.lab.evaluation.result import Result
from unslant.lab.evaluation.tasks import run
from unslant.lab.stats.bootstrap import Resampling

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def setting(shared_data: Path) -> Setting:
    return Setting(shared_data, Resampling(0))


def measured(task: str, setting: Setting) -> Result:
    return run(task, [RuleModel()], setting)


def test_babe_has_five_parts_of_like_size(setting: Setting) -> None:
    result = measured("babe", setting)
    for corpus, total in (("babe/sg1", 1546), ("babe/sg2", 3673)):
        sizes = [fold["sentences"] for fold in result.details["folds"][corpus]]
        assert (len(sizes), sum(sizes)) == (5, total)
        assert max(sizes) - min(sizes) <= 4
        # the rules know nothing of this corpus, and are better than its own baseline of features
        value = result.figure(f"{corpus}, macro-F1").estimate.value
        assert value is not None
        assert 0.57 < value < 0.8

    later = result.figure("babe/sg2 with the labels of babe/reannotated, macro-F1")
    assert later.items > 3500, "nearly all of its sentences are in the later release"


def test_wikibias_has_its_test_sentences_and_pairs(setting: Setting) -> None:
    result = measured("wikibias", setting)
    titles = ["test sentences with a label (2,098)", "biased test pairs"]
    assert [section.title for section in result.sections] == titles
    assert result.figure("source above its target").items == 850


def test_diagnosis_is_balanced(setting: Setting) -> None:
    result = measured("diagnosis", setting)
    assert result.figure("accuracy, even odds").items == 1438
    accuracy = result.figure("accuracy, as it is").estimate.value
    assert accuracy is not None
    assert accuracy > 0.5


def test_dimensions_cover_the_stand_ins(setting: Setting) -> None:
    result = measured("dimensions", setting)
    named = {figure.name.removeprefix("F1 of ") for figure in result.sections[0].figures[2:]}
    assert named == {
        "age",
        "disability",
        "gender",
        "nationality",
        "profession",
        "race",
        "religion",
        "sexuality",
    }
    assert len(result.sections) == 5


def test_phrases_are_of_biased_comments_of_the_held_out_tenth(setting: Setting) -> None:
    figure = measured("phrases", setting).figure("token F1, mean of texts")
    assert 500 < figure.items < 700
