"""A model's folder is checked, and what is wrong with it is told in one sentence."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import InputError, ModelError
from unslant.neural.checkpoint import identity, load_package, locate, shipped_model
from unslant.neural.network import Network


def told(folder: Path) -> str:
    with pytest.raises(ModelError) as error:
        load_package(folder).verify()
    message = str(error.value)
    assert isinstance(error.value, InputError)
    assert repr(str(folder)) in message
    assert "\n" not in message
    return message


def rewrite(folder: Path, **changes: Any) -> None:
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_whole_folder_passes_and_says_what_it_is(tiny: Path) -> None:
    package = load_package(tiny)
    package.verify()
    assert package.heads["sentence"].labels == ("slanted",)
    assert package.heads["spans"].level == "subword"
    assert package.max_length == 16
    assert package.size() == sum((tiny / name).stat().st_size for name in package.files) > 10_000
    assert package.card()["data"][0]["licence"] == "Apache-2.0"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "card.json"])
def test_one_changed_byte_is_noticed(copy: Path, name: str) -> None:
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    assert f"{name} is damaged" in told(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_noticed(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert f"{name} is missing" in told(copy)


def test_a_head_of_an_unknown_level_is_noticed(copy: Path) -> None:
    heads = json.loads((copy / "model.json").read_text())["heads"]
    heads["spans"]["level"] = "piece"
    rewrite(copy, heads=heads)
    assert "gives the head 'spans' the unknown level 'piece'" in told(copy)


def test_a_damaged_graph_is_not_run(copy: Path) -> None:
    content = (copy / "model.onnx").read_bytes()
    (copy / "model.onnx").write_bytes(content[:-1])
    with pytest.raises(ModelError, match=r"model\.onnx is damaged"):
        Network(load_package(copy))


def test_a_folder_that_is_none_or_empty(tmp_path: Path) -> None:
    assert "there is no such folder" in told(tmp_path / "nowhere")
    assert "model.json is missing" in told(tmp_path)


@pytest.mark.parametrize(
    "content", ["", "[1]", "{", '{"format": "unslant/model/1"}', '{"format": "unslant/model/0"}']
)
def test_a_broken_description(copy: Path, content: str) -> None:
    (copy / "model.json").write_text(content)
    assert "model.json" in told(copy)


def test_the_description_names_no_file_elsewhere(copy: Path) -> None:
    outside = copy.parent / "secret"
    outside.write_text("secret")
    files = json.loads((copy / "model.json").read_text())["files"]
    rewrite(copy, files=files | {"../secret": hashlib.sha256(b"secret").hexdigest()})
    assert "outside the folder" in told(copy)


def test_a_graph_without_a_digest_is_not_taken(copy: Path) -> None:
    rewrite(copy, files={"tokenizer.json": "0"})
    assert "no digest of model.onnx" in told(copy)


def test_the_identity_changes_with_any_file(copy: Path) -> None:
    before = identity(str(copy))
    files = json.loads((copy / "model.json").read_text())["files"]
    rewrite(copy, files=files | {"card.json": "another"})
    assert identity(str(copy)) != before


def test_a_card_is_not_needed(copy: Path) -> None:
    files = json.loads((copy / "model.json").read_text())["files"]
    files.pop("card.json")
    rewrite(copy, files=files)
    assert load_package(copy).card() == {}


def test_without_a_name_the_model_that_ships_is_meant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tiny: Path
) -> None:
    monkeypatch.setattr("unslant.neural.checkpoint._WEIGHTS", tiny)
    assert locate("") == shipped_model() == tiny
    monkeypatch.setattr("unslant.neural.checkpoint._WEIGHTS", tmp_path)
    assert shipped_model() is None
    with pytest.raises(ModelError, match="no model ships"):
        locate("")


def test_a_damaged_model_that_ships_asks_for_a_new_installation(
    monkeypatch: pytest.MonkeyPatch, copy: Path
) -> None:
    monkeypatch.setattr("unslant.neural.checkpoint._WEIGHTS", copy)
    (copy / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="reinstall unslant"):
        load_package(locate("")).verify()
