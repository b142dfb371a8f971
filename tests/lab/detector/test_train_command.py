"""``unslant train`` from end to end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from unslant.lab.cli.train import train

pytestmark = pytest.mark.torch


def test_a_recipe_becomes_a_model_a_card_and_a_package(
    recipe_file: Callable[..., Path], tmp_path: Path, encoder: Path
) -> None:
    path = recipe_file(epochs=1)
    path.write_text(path.read_text().replace(str(encoder), "somewhere/else"))
    out = tmp_path / "run"
    words = ["detector", str(path), "--output", str(out), "--encoder", str(encoder), "--seed", "7"]
    result = CliRunner().invoke(train, [*words, "--export"])
    assert result.exit_code == 0
    # In a pipe, nothing but where things are.
    assert result.output.splitlines() == [
        f"model: {out / 'model'}",
        f"card: {out / 'card.md'}",
        f"package: {out / 'package'}",
    ]
    card = json.loads((out / "card.json").read_text())
    assert (card["encoder"], card["recipe"]["seed"]) == (encoder.name, 7)
    assert (out / "package" / "model.json").is_file()
    again = CliRunner().invoke(train, words)
    assert again.exit_code != 0
    assert "--resume" in str(again.exception)
    assert CliRunner().invoke(train, [*words, "--resume"]).exit_code == 0
