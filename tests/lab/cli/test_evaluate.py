"""``unslant evaluate``, without a trained model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unslant.lab.evaluation.tasks import TASKS

from .conftest import Run


def test_help_names_every_task(run: Run) -> None:
    result = run("evaluate", "--help")
    assert result.code == 0
    listed = {line.split()[0] for line in result.out.partition("Commands:")[2].splitlines() if line.strip()}
    others = {
        "card",
        "edit-judge",
        "findings",
        "fixes",
        "genres",
        "judge",
        "readers",
        "rewrite",
        "rules",
        "weak-labels",
    }
    assert listed == {*TASKS, *others}
    for task in listed:
        assert run("evaluate", task, "--help").out.startswith(f"Usage: unslant evaluate {task} ")


def test_an_unknown_task_or_model_is_reported_in_one_sentence(run: Run, tmp_path: Path) -> None:
    result = run("evaluate", "tagging", "--model", str(tmp_path / "nothing"))
    assert (result.code, result.out) == (2, "")
    assert "no such model; name 'rules' or the folder of a trained model" in result.err
    empty = run("evaluate", "tagging", "--model", str(tmp_path))
    assert empty.code == 2
    assert "contains no model" in empty.err
    assert run("evaluate", "telling", "--model", "rules").code == 2


def test_training_folds_needs_a_folder(run: Run) -> None:
    result = run("evaluate", "babe", "--model", "rules", "--train", "babe-paper")
    assert result.code == 2
    assert "name the folder for the folds with --model" in result.err


@pytest.mark.shared
def test_the_rules_are_measured_beside_what_was_published(run: Run, shared_data: Path) -> None:
    words = ["evaluate", "tagging", "--model", "rules", "--data", str(shared_data), "--resamples", "20"]
    text = run(*words)
    assert text.code == 0
    assert "1,052 source sentences, 880 gold spans" in text.out
    assert "authors' predictions" in text.out
    wire = json.loads(run(*words, "--output-format", "json").out)
    exact = wire["sections"][0]["figures"][0]
    assert exact["name"] == "exact F1"
    assert 0 < exact["low"] <= exact["value"] <= exact["high"] < 0.4


@pytest.mark.shared
def test_rules_have_no_probability_to_calibrate(run: Run, shared_data: Path) -> None:
    result = run("evaluate", "calibration", "--model", "rules", "--data", str(shared_data))
    assert result.code == 2
    assert result.err.strip() == (
        "unslant: rules: predicts no probability, which 'calibration' measures; choose another model"
    )
