"""From a package back to a model that can be trained further."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from unslant.core.errors import ConfigError
from unslant.lab.cli.train import train as train_command
from unslant.lab.detector.export import compare, export, restore
from unslant.lab.detector.recipe import read_recipe
from unslant.lab.detector.run import train

pytestmark = pytest.mark.torch

TEXTS = ["the glorious town met", "a road opened on monday", "the council was shameful , the river long", "a"]


def write_recipe(folder: Path, encoder: Path, epochs: int) -> Path:
    from .conftest import toy_rows

    corpus = folder / "toy.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in toy_rows(120)))
    recipe = folder / f"toy-{epochs}.toml"
    recipe.write_text(
        f'about = "toy"\nencoder = "{encoder}"\nmax_length = 32\ntable = "int4"\n'
        '[heads.sentence]\ntype = "sentence"\n[heads.spans]\ntype = "spans"\noptions = { hidden = 16 }\n'
        f'[[stages]]\nname = "s"\nepochs = {epochs}\nbatch = 8\nlr = 5e-3\ncorpora = [{{ name = "{corpus}" }}]\n'
        f'dev = [{{ name = "{corpus}", splits = ["dev"] }}]\n'
    )
    return recipe


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> Path:
    folder = tmp_path_factory.mktemp("run")
    recipe = write_recipe(folder, encoder, 4)
    model = train(read_recipe(str(recipe)), folder / "run")
    return export(model, folder / "package")


def test_a_restored_model_says_what_the_package_says(package: Path, tmp_path: Path) -> None:
    model = restore(package, tmp_path / "restored")
    difference = compare(model, package, TEXTS)
    assert max(difference.mean.values()) < 0.05
    assert difference.flipped["sentence"] == 0


def test_exporting_a_restored_model_gives_the_same_matrices(package: Path, tmp_path: Path) -> None:
    import onnx
    from onnx import numpy_helper

    again = export(restore(package, tmp_path / "restored"), tmp_path / "again")

    def matrices(folder: Path) -> list[bytes]:
        graph = onnx.load(folder / "model.onnx").graph
        found = [numpy_helper.to_array(tensor) for tensor in graph.initializer]
        return sorted(
            array.tobytes() for array in found if array.dtype.name in ("int8", "uint8") and array.ndim == 2
        )

    assert matrices(again) == matrices(package)


def test_training_continues_from_a_restored_model(package: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(train_command, ["restore", str(package), "-o", str(tmp_path / "restored")])
    assert result.exit_code == 0, result.output
    recipe = read_recipe(str(write_recipe(tmp_path, tmp_path / "restored/model", 1)))
    train(recipe, tmp_path / "run")
    card = json.loads((tmp_path / "run/card.json").read_text())
    assert [before["about"] for before in card["before"]] == ["toy"]
    # its first epoch begins where the last one of the package ended
    assert card["history"][0]["train_loss"] < card["before"][0]["history"][0]["train_loss"]


def test_a_damaged_package_is_refused(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(package, copy)
    (copy / "model.onnx").write_bytes((copy / "model.onnx").read_bytes()[:-1])
    result = CliRunner().invoke(train_command, ["restore", str(copy), "-o", str(tmp_path / "restored")])
    assert "damaged" in str(result.exception)
    assert not (tmp_path / "restored").exists()


def test_a_package_without_a_card_is_refused(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(package, copy)
    (copy / "card.json").unlink()
    with pytest.raises(ConfigError, match=r"card\.json"):
        restore(copy, tmp_path / "restored")
