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
        "edits",
        "findings",
        "fixes",
        "genre",
        "genres",
        "judge",
        "own",
        "readers",
        "rewrite",
        "rules",
        "weak-labels",
        "wordings",
    }
    assert listed == {*TASKS, *others}
    for task in listed:
        assert run("evaluate", task, "--help").out.startswith(f"Usage: unslant evaluate {task} ")


def test_an_unknown_task_or_model_is_reported_in_one_sentence(run: Run, tmp_path: Path) -> None:
    result = run("evaluate", "tagging", "--model", str(tmp_path / "nothing"))
    assert (result.code, result.out) == (2, "")
    assert "no such model; name 'rules', the folder of a trained model, or hf:NAME" in result.err
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


OWN = [
    ("The legendary singer slammed the plan.", "biased", [[4, 13], [21, 28]]),
    ("Critics blasted the vote.", "biased", [[8, 15]]),
    ("The committee met on Monday.", "fair", []),
    ("The road was closed for repairs.", "fair", []),
    ("The radical mob stormed the hall.", "fair", []),
    ("The council adopted the budget.", "biased", None),
]


def write_own(folder: Path) -> Path:
    path = folder / "mine.jsonl"
    rows = [{"sentence": text, "verdict": label, "spans": spans} for text, label, spans in OWN]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


MAPPED = ("--column", "text=sentence", "--column", "label=verdict", "--label", "biased=1,fair=0")


def test_ones_own_table_gives_sentences_spans_and_errors(run: Run, tmp_path: Path) -> None:
    path = write_own(tmp_path)
    common = ("evaluate", "own", str(path), *MAPPED, "--model", "rules", "--resamples", "50")
    shown = run(*common, "--errors", str(tmp_path / "wrong.jsonl"))
    assert shown.code == 0, shown.err
    for said in ("macro-F1", "precision of slanted", "exact F1", "95 %"):
        assert said in shown.out
    wrong = [json.loads(line) for line in (tmp_path / "wrong.jsonl").read_text("utf-8").splitlines()]
    assert "The council adopted the budget." in {line["text"] for line in wrong if line["error"] == "missed"}
    assert f"({len(wrong)} of 6)" in shown.err
    found = json.loads(run(*common, "--output-format", "json").out)
    (spans,) = [section for section in found["sections"] if section["title"] == "spans"]
    assert {figure["items"] for figure in spans["figures"]} == {5}, "a text without spans has not been marked"


def test_two_models_are_compared_on_ones_own_table(run: Run, tmp_path: Path) -> None:
    path = write_own(tmp_path)
    shown = run("evaluate", "own", str(path), *MAPPED, "--against", "rules", "--resamples", "50")
    assert shown.code == 0, shown.err
    assert "rules" in shown.out
    alone = run("evaluate", "own", str(path), *MAPPED, "--resamples", "50").out
    assert "from 0.5" in alone, "with probabilities, there are figures by threshold"
    assert "calibration error" in alone


def test_a_table_without_labels_says_what_to_write(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("text\nThe committee met.\n", "utf-8")
    shown = run("evaluate", "own", str(path), "--model", "rules")
    assert shown.code == 2
    assert "no text has a label or spans; name the columns with --column" in shown.err
    assert shown.err.count("\n") == 1
