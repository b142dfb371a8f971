"""Two models on the same text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.evaluation.toy_model import ToyModel, held, write_babe
from unslant.lab.evaluation.babe import babe
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.result import compare
from unslant.lab.stats.bootstrap import Resampling

ROWS = [(f"The weather in town {at} was awful.", "Biased") for at in range(20)]
ROWS += [(f"The weather in town {at} was dry.", "Non-biased") for at in range(20)]


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    write_babe(tmp_path, ROWS)
    write_babe(tmp_path, ROWS, "SG1")
    return Setting(tmp_path, Resampling(200))


def test_the_difference_has_an_interval_of_its_own(setting: Setting) -> None:
    good, alarmed = babe([ToyModel()], setting), babe([ToyModel(unfair={"dry": 0.7})], setting)
    result = compare(good, alarmed, setting.resampling)
    figure = result.figure("babe/sg2, accuracy")
    assert figure.estimate.value == pytest.approx(0.5)
    assert figure.estimate.low is not None
    assert 0.2 < figure.estimate.low < 0.5
    assert result.model == "toy less toy"
    same = compare(good, good, setting.resampling).figure("babe/sg2, macro-F1").estimate
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_without_resamples_there_is_only_the_difference(setting: Setting) -> None:
    good, alarmed = babe([ToyModel()], setting), babe([ToyModel(unfair={"dry": 0.7})], setting)
    estimate = compare(alarmed, good, Resampling(0)).figure("babe/sg2, accuracy").estimate
    assert (estimate.value, estimate.low) == (pytest.approx(-0.5), None)


def test_figures_on_different_text_are_not_compared(setting: Setting) -> None:
    all_, part = babe([ToyModel()], setting), babe([ToyModel(held(0))], setting)
    assert compare(all_, part, setting.resampling).sections == ()
