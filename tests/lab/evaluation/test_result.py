"""Figures on a model's card."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import InputError, ModelError
from unslant.lab.evaluation.result import attach
from unslant.lab.evaluation.tasks import TASKS
from unslant.neural.checkpoint import HEADLINES, headlines, load_package

TINY = Path(__file__).parents[2] / "neural" / "tiny_model"


def figure(name: str, value: float | None, low: float | None = None, high: float | None = None) -> Any:
    return {"name": name, "value": value, "low": low, "high": high, "items": 1052, "published": []}


def result(task: str, **sections: Any) -> Any:
    found = [{"title": title, "figures": figures} for title, figures in sections.items()]
    return {"task": task, "model": "mine", "sections": found, "notes": []}


TAGGING = result(
    "tagging", sentences=[figure("exact F1", 0.25, 0.2, 0.3), figure("overlap F1", 0.5, 0.45, 0.55)]
)
GROUPS = result("groups", left=[figure("macro-F1", 0.8, 0.7, 0.9)], right=[figure("macro-F1", None)])


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TINY, tmp_path / "package"))


def written(folder: Path, data: Any) -> Path:
    path = folder / f"{data['task']}.json"
    path.write_text(json.dumps(data))
    return path


def test_a_package_with_figures_is_whole(package: Path, tmp_path: Path) -> None:
    files = [written(tmp_path, TAGGING), written(tmp_path, GROUPS)]
    assert attach(package, files) == ["tagging", "groups"]
    after = load_package(package)
    after.verify()
    card = after.card()
    assert card["data"] == load_package(TINY).card()["data"]
    first = card["figures"]["tagging"]["sections"][0]["figures"][0]
    assert (first["value"], first["low"], first["high"], first["items"]) == (0.25, 0.2, 0.3, 1052)
    page = after.read("card.md").decode()
    assert "| sentences | exact F1 | 0.250 | 0.200 to 0.300 | 1,052 |" in page
    assert "| left | macro-F1 | 0.800 | 0.700 to 0.900 | 1,052 |" in page
    assert "| right | macro-F1 | - |  | 1,052 |" in page


def test_a_task_that_is_measured_again_is_replaced_and_others_stay(package: Path, tmp_path: Path) -> None:
    attach(package, [written(tmp_path, TAGGING), written(tmp_path, GROUPS)])
    attach(package, [written(tmp_path, result("tagging", sentences=[figure("exact F1", 0.75)]))])
    assert set(load_package(package).card()["figures"]) == {"tagging", "groups"}
    page = (package / "card.md").read_text()
    assert "0.750" in page
    assert "0.250" not in page
    assert page.count("## Measured") == 1


def test_the_card_of_a_run_takes_figures_and_keeps_its_page(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text("{}")
    (tmp_path / "card.md").write_text("# Mine\n\n## Cost\n\nAn hour.\n")
    attach(tmp_path, [written(tmp_path, TAGGING)])
    assert (tmp_path / "card.md").read_text().startswith("# Mine\n\n## Cost\n\nAn hour.\n\n## Measured\n")
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"task": "tagging", "model": "m", "sections": [1]}'])
def test_a_file_that_holds_no_result_changes_nothing(package: Path, tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    before = (package / "card.json").read_bytes()
    with pytest.raises(
        InputError, match=r"x\.json: not a result of 'unslant evaluate TASK --output-format json'"
    ):
        attach(package, [path])
    assert (package / "card.json").read_bytes() == before


def test_a_folder_without_a_card_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no readable card"):
        attach(tmp_path, [written(tmp_path, TAGGING)])


def test_promised_figures_are_those_of_tasks_and_come_in_order() -> None:
    assert set(HEADLINES) <= set(TASKS)
    found = [(title, headline["value"]) for title, headline in headlines("tagging", TAGGING["sections"])]
    assert found == [("sentences", 0.25), ("sentences", 0.5)]
    both = result("calibration", babe=[figure("ECE", 0.1)], wikibias=[figure("ECE", 0.2)])
    assert [headline["value"] for _, headline in headlines("calibration", both["sections"])] == [0.1, 0.2]
    parts = result("wikibias", all=[figure("macro-F1", 0.7)], some=[figure("macro-F1", 0.6)])
    assert [headline["value"] for _, headline in headlines("wikibias", parts["sections"])] == [0.7]
    assert list(headlines("groups", GROUPS["sections"])) == []
