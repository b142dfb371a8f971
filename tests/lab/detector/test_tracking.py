"""Figures of a run, recorded while it trains."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.detector.recipe import read_recipe
from unslant.lab.detector.run import TrainSettings, train

pytestmark = pytest.mark.torch

Write = Callable[..., Path]


def lines(run: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "figures.jsonl").read_text().splitlines()]


def test_figures_are_written_by_step_and_by_epoch(recipe_file: Write, tmp_path: Path) -> None:
    train(read_recipe(str(recipe_file(epochs=2))), tmp_path / "run", TrainSettings(trackers=("jsonl",)))
    found = lines(tmp_path / "run")
    assert [line["step"] for line in found] == [10, 16, 20, 30, 32]
    assert found[0]["train/loss"] > found[3]["train/loss"] > 0
    assert found[3]["train/learning_rate"] > 0
    history = json.loads((tmp_path / "run" / "card.json").read_text())["history"]
    for line, epoch in zip((found[1], found[4]), history, strict=True):
        assert {name.removeprefix("dev/"): round(line[name], 4) for name in line if name != "step"} == epoch[
            "dev"
        ]


def test_a_resumed_run_goes_on_with_the_same_figures(recipe_file: Write, tmp_path: Path) -> None:
    recipe = read_recipe(str(recipe_file(epochs=2)))
    train(recipe, tmp_path / "whole", TrainSettings(trackers=("jsonl",)))
    steps = 0

    def stop(_what: str, _done: int, _total: int) -> None:
        nonlocal steps
        steps += 1
        if steps == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "cut", TrainSettings(trackers=("jsonl",), progress=stop))
    assert lines(tmp_path / "cut")[-1]["step"] == 20
    train(recipe, tmp_path / "cut", TrainSettings(trackers=("jsonl",), resume=True))
    assert lines(tmp_path / "cut") == lines(tmp_path / "whole")


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [("json", UnknownName, "Did you mean 'jsonl'"), ("wandb", ConfigError, "pip install wandb")],
)
def test_a_tracker_that_is_not_there_is_told_before_anything_is_read(
    recipe_file: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type, said: str
) -> None:
    monkeypatch.setattr("unslant.lab.detector.tracking.find_spec", lambda _: None)
    with pytest.raises(error, match=said):
        train(read_recipe(str(recipe_file())), tmp_path / "run", TrainSettings(trackers=(name,)))
    assert not (tmp_path / "run").exists()


@pytest.mark.hosts
@pytest.mark.filterwarnings("default")
def test_tensorboard_reads_what_is_written(recipe_file: Write, tmp_path: Path) -> None:
    settings = TrainSettings(trackers=("jsonl", "tensorboard"))
    train(read_recipe(str(recipe_file(epochs=2))), tmp_path / "run", settings)
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    losses = {event.step: event.value for event in events.Scalars("train/loss")}
    wanted = {line["step"]: line["train/loss"] for line in lines(tmp_path / "run") if "train/loss" in line}
    assert losses == pytest.approx(wanted)
    assert [event.step for event in events.Scalars("dev/loss")] == [16, 32]
