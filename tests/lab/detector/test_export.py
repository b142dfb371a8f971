"""The package of a trained model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from unslant.lab.detector.export import FORMAT, compare, export
from unslant.lab.detector.quantize import rows_to_int4, rows_to_int8
from unslant.lab.detector.recipe import read_recipe
from unslant.lab.detector.run import train

pytestmark = pytest.mark.torch

TEXTS = ["the glorious town met", "a road opened on monday", "the council was shameful , the river long", "a"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> Path:
    from .conftest import toy_rows

    folder = tmp_path_factory.mktemp("export")
    corpus = folder / "toy.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in toy_rows(120)))
    recipe = folder / "toy.toml"
    recipe.write_text(
        f'about = "toy"\nencoder = "{encoder}"\nmax_length = 32\n'
        '[heads.sentence]\ntype = "sentence"\n[heads.spans]\ntype = "spans"\n[heads.kinds]\ntype = "kinds"\n'
        f'[[stages]]\nname = "s"\nepochs = 5\nbatch = 8\nlr = 5e-3\ncorpora = [{{ name = "{corpus}" }}]\n'
        f'dev = [{{ name = "{corpus}", splits = ["dev"] }}]\n'
    )
    return train(read_recipe(str(recipe)), folder / "run")


@pytest.fixture(scope="module")
def package(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(model, tmp_path_factory.mktemp("package"))


def test_the_graph_says_what_the_network_says(model: Path, tmp_path: Path) -> None:
    full = compare(model, export(model, tmp_path / "full", int8=False), TEXTS)
    assert max(full.largest.values()) < 1e-5
    assert set(full.flipped.values()) == {0.0}


def test_int8_weights_change_little(model: Path, package: Path) -> None:
    small = compare(model, package, TEXTS)
    assert 0 < max(small.largest.values()) < 0.15
    assert small.flipped["sentence"] == 0


def test_int8_weights_are_in_the_file(package: Path) -> None:
    import onnx

    graph = onnx.load(package / "model.onnx").graph
    matrices = [
        tensor for tensor in graph.initializer if sorted(tensor.dims) in ([32, 32], [32, 64], [32, 96])
    ]
    # In each of two layers queries, keys and values are one matrix, and there are three more; the table of positions
    # is too small to matter.
    assert sum(matrix.data_type == onnx.TensorProto.INT8 for matrix in matrices) == 8
    assert any(node.op_type == "MatMulInteger" for node in graph.node)
    # The second product of the first feed-forward layer is computed in full: its matrix is made full at loading.
    narrowing = {matrix.name for matrix in matrices if list(matrix.dims) == [64, 32]}
    readers = [node.op_type for node in graph.node if narrowing & set(node.input)]
    assert sorted(readers) == ["Cast", "MatMulInteger"]


def test_the_package_needs_only_the_runtime_and_the_tokenizer(package: Path) -> None:
    import onnxruntime
    from tokenizers import Tokenizer

    about = json.loads((package / "model.json").read_text())
    encoding = Tokenizer.from_file(str(package / "tokenizer.json")).encode(about["prefix"] + TEXTS[0])
    session = onnxruntime.InferenceSession(str(package / "model.onnx"))
    ids = np.array([encoding.ids], np.int64)
    outputs = session.run(list(about["heads"]), {"input_ids": ids, "attention_mask": np.ones_like(ids)})
    shapes = {name: value.shape for name, value in zip(about["heads"], outputs, strict=True)}
    assert shapes == {"sentence": (1,), "spans": (1, ids.shape[1], 3), "kinds": (1, 3)}
    assert outputs[0][0] > 0
    assert encoding.offsets[1] == (0, 3)


def test_the_description_names_heads_decisions_and_digests(package: Path) -> None:
    about = json.loads((package / "model.json").read_text())
    assert about["format"] == FORMAT
    assert about["max_length"] == 32
    assert about["heads"]["kinds"]["labels"] == ["framing", "epistemological", "demographic"]
    assert set(about["heads"]["sentence"]["decision"]) == {"scale", "offset", "threshold"}
    assert {"model.onnx", "tokenizer.json", "card.json"} <= set(about["files"])
    for name, digest in about["files"].items():
        assert hashlib.sha256((package / name).read_bytes()).hexdigest() == digest


@given(arrays.arrays(np.float32, (4, 6), elements=st.floats(-3, 3, width=32)))
def test_a_row_in_int8_is_off_by_half_a_step_at_most(table: np.ndarray) -> None:
    values, scales = rows_to_int8(table)
    assert values.dtype == np.int8
    assert (np.abs(values * scales - table) <= scales / 2 + 1e-6).all()


def test_features_are_an_input_of_the_graph(recipe_file: Callable[..., Path], tmp_path: Path) -> None:
    model = train(read_recipe(str(recipe_file(head="features = true", epochs=1))), tmp_path / "run")
    package = export(model, tmp_path / "package", int8=False)
    assert json.loads((package / "model.json").read_text())["features"]
    assert max(compare(model, package, ["clearly the town met"]).largest.values()) < 1e-5


def test_a_table_in_four_bits_loses_nothing(
    recipe_file: Callable[..., Path], tmp_path: Path, encoder: Path
) -> None:
    import onnx

    from .conftest import make_encoder

    (tmp_path / "large").mkdir()
    large = make_encoder(tmp_path / "large", more=300)
    path = recipe_file(head='table = "int4"\ndepth = 1', epochs=1)
    path.write_text(path.read_text().replace(str(encoder), str(large)))
    model = train(read_recipe(str(path)), tmp_path / "run")
    package = export(model, tmp_path / "package")
    kept = {tensor.name: list(tensor.dims) for tensor in onnx.load(package / "model.onnx").graph.initializer}
    tables = {name: size for name, size in kept.items() if "word_embeddings" in name and len(size) == 2}
    assert [328, 16] in tables.values()
    assert [328, 32] not in tables.values()
    # one layer in eight bits is all that differs
    assert max(compare(model, package, TEXTS).largest.values()) < 0.1


@given(arrays.arrays(np.int8, (4, 6), elements=st.integers(-7, 7)), st.floats(0.0625, 8, width=32))
def test_rows_on_fifteen_steps_are_packed_and_come_back(steps: np.ndarray, width: float) -> None:
    steps[:, 0] = 7
    table = steps.astype(np.float32) * np.float32(width)
    packed = rows_to_int4(table)
    assert packed is not None
    values, scales = packed
    assert values.shape == (4, 3)
    unpacked = np.concatenate([values % 16, values // 16], axis=1).astype(np.float32) - 7
    assert np.allclose(unpacked * scales, table, rtol=1e-5)


def test_rows_between_the_steps_are_not_packed() -> None:
    assert rows_to_int4(np.array([[7.0, 1.5, 0.0, -3.0]], np.float32)) is None
    assert rows_to_int4(np.array([[7.0, 1.0, 0.0]], np.float32)) is None


def test_places_that_no_text_reaches_are_left_out(package: Path, model: Path) -> None:
    import onnx

    kept = {tensor.name: list(tensor.dims) for tensor in onnx.load(package / "model.onnx").graph.initializer}
    assert [size for name, size in kept.items() if "position_embeddings" in name] == [[32, 32]]
    longest = "the town met on monday " * 20
    assert compare(model, package, [longest]).flipped["sentence"] == 0
