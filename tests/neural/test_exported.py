"""What training exports is what the runtime reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from unslant.core.example import Example
from unslant.lab.detector.export import FORMAT, export
from unslant.lab.detector.network import DetectorNetwork, NetworkPlan, Trained, load_trained, save_trained
from unslant.lab.detector.predict import encode_for, predict
from unslant.lab.detector.recipe import HeadPlan, Part
from unslant.lab.detector.rows import TrainingSample, feature_names
from unslant.neural import checkpoint
from unslant.neural.checkpoint import load_package
from unslant.neural.network import Network

from .make_tiny_model import encoder

pytestmark = pytest.mark.torch

TEXTS = ["the town was awful", "a road opened , supposedly on monday", "legendary and awful", "a"]
HEADS = {
    name: HeadPlan(name) for name in ("sentence", "spans", "kinds", "span_kinds", "dimension", "opinion")
}


def trained(folder: Path, features: bool, prefix: str = "") -> Path:
    """Write a random network with every head."""
    from unslant.lab.detector.network import load_encoder, load_tokenizer

    encoder(folder / "encoder")
    torch.manual_seed(1)
    names = feature_names() if features else ()
    plan = NetworkPlan(HEADS, features=names, max_length=16, prefix=prefix)
    network = DetectorNetwork(load_encoder(folder / "encoder"), plan)
    save_trained(Trained(network, load_tokenizer(folder / "encoder")), folder / "model")
    return folder / "model"


@pytest.mark.parametrize(("features", "prefix"), [(False, ""), (True, ""), (False, "a: ")])
def test_the_runtime_says_what_the_network_says(tmp_path: Path, features: bool, prefix: str) -> None:
    model = trained(tmp_path, features, prefix)
    network = Network(load_package(export(model, tmp_path / "package", int8=False)))
    before = load_trained(model)
    rows = encode_for(
        before, [TrainingSample(Example(text, text, "toy", ""), Part("toy"), "") for text in TEXTS]
    )
    wanted = predict(before, rows)
    for at, text in enumerate(TEXTS):
        reading = network.read(text)
        real = [piece for piece, (start, end) in enumerate(rows[at].offsets) if start < end]
        assert list(reading.offsets) == [rows[at].offsets[piece] for piece in real]
        for name in HEADS:
            expected = wanted[name][at]
            if name in reading.subword_logits:
                assert torch.allclose(torch.tensor(reading.subword_logits[name]), expected[real], atol=1e-4)
            else:
                assert torch.allclose(
                    torch.tensor(reading.text_logits[name]), expected.reshape(-1), atol=1e-4
                )


def test_both_sides_mean_the_same_form(tmp_path: Path) -> None:
    assert FORMAT == checkpoint.FORMAT
    package = export(trained(tmp_path, False), tmp_path / "package")
    load_package(package).verify()
    assert json.loads((package / "model.json").read_text())["format"] == FORMAT


def test_the_graph_says_nothing_of_the_machine_it_was_made_on(tmp_path: Path) -> None:
    package = export(trained(tmp_path, False), tmp_path / "package", int8=False)
    content = (package / "model.onnx").read_bytes()
    assert b"site-packages" not in content
    assert str(Path(checkpoint.__file__).parents[1]).encode() not in content
