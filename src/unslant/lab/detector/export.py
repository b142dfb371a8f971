"""Export of a trained network as a package: an ONNX graph with int8 weights, tokenizer, labels and digests.

``model.json`` lists the heads, their decisions, and the SHA-256 digest of every other file.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.errors import ConfigError
from unslant.lab.detector.encoder import truncate_positions
from unslant.lab.detector.network import DetectorNetwork, Trained, load_trained
from unslant.lab.detector.predict import encode_for, predict
from unslant.lab.detector.quantize import quantize
from unslant.lab.detector.recipe import Part
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.neural.checkpoint import TABLES
from unslant.neural.network import session_options

__all__ = ["FORMAT", "ExportDifference", "compare", "describe", "export"]

FORMAT = "unslant/model/1"


class _ExportModule(nn.Module):
    """The network with a tuple of tensors as output, as the exporter needs it."""

    def __init__(self, network: DetectorNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: Tensor, attention_mask: Tensor, features: Tensor | None = None) -> Any:
        """Return the logits of the heads in order."""
        return tuple(self.network(input_ids, attention_mask, features).values())


def export(model: str | Path, out: str | Path, *, int8: bool = True) -> Path:
    """Write the package of a trained model and return its folder; ``int8=False`` keeps float32 weights."""
    trained = load_trained(model)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    graph = out / "model.onnx"
    truncate_positions(trained.network.encoder, trained.network.plan.max_length)
    _write_graph(trained.network, graph)
    if int8:
        quantize(graph)
    _write_tables(trained.network, out)
    trained.tokenizer.backend_tokenizer.no_truncation()
    trained.tokenizer.backend_tokenizer.no_padding()
    trained.tokenizer.backend_tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    for name in ("card.json", "card.md"):
        card = Path(model).parent / name
        if card.is_file():
            shutil.copyfile(card, out / name)
    about = describe(trained)
    about["files"] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.iterdir())
        if path.name != "model.json"
    }
    (out / "model.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return out


def describe(trained: Trained) -> dict[str, Any]:
    """Return the metadata needed to run the graph and interpret its outputs."""
    network = trained.network
    heads: dict[str, Any] = {}
    for name, module in network.heads.items():
        head: Any = module
        heads[name] = {
            "type": network.plan.heads[name].type,
            "level": head.level,
            "labels": list(head.labels),
            "exclusive": head.exclusive,
            # a fitted vocabulary is stored as the labels
            "options": {
                key: value for key, value in network.plan.heads[name].options.items() if key != "vocabulary"
            },
            "decision": dict(trained.decisions.get(name, {})),
        }
    return {
        "format": FORMAT,
        "heads": heads,
        "features": list(network.plan.features),
        "max_length": network.plan.max_length,
        "prefix": network.plan.prefix,
        "group_masks": dict(network.plan.group_masks),
        "name_mask": network.plan.name_mask,
        "padding": int(trained.tokenizer.pad_token_id or 0),
    }


def _write_tables(network: DetectorNetwork, out: Path) -> None:
    """Write the tables of the head of type ``edits``; a network has at most one."""
    import numpy as np

    heads = [head for head in network.heads.values() if hasattr(head, "tables")]
    if len(heads) > 1:
        raise ConfigError(
            "a package can hold only one head of type 'edits'; remove the others from the recipe"
        )
    for head in heads:
        np.savez_compressed(out / TABLES, **head.tables())  # type: ignore[operator]


def _write_graph(network: DetectorNetwork, path: Path) -> None:
    network.eval()
    inputs: dict[str, Any] = {
        "input_ids": torch.ones((2, 5), dtype=torch.long),
        "attention_mask": torch.ones((2, 5), dtype=torch.long),
    }
    if network.plan.features:
        inputs["features"] = torch.zeros((2, 5, len(network.plan.features)))
    batch, subwords = torch.export.Dim("batch"), torch.export.Dim("subwords")
    # the exporter logs missing vision packages and its own deprecations, which do not concern the user
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _ExportModule(network).eval(),
            tuple(inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=list(network.heads),
            dynamic_shapes={name: {0: batch, 1: subwords} for name in inputs},
            external_data=False,
            verbose=False,
        )
    _strip_metadata(path)


def _strip_metadata(path: Path) -> None:
    """Remove what the exporter records about the source code, including local paths."""
    import onnx

    model = onnx.load(path)
    for part in (
        model.graph,
        *model.graph.node,
        *model.graph.initializer,
        *model.graph.input,
        *model.graph.output,
    ):
        part.doc_string = ""
        del part.metadata_props[:]
    del model.graph.value_info[:]
    del model.metadata_props[:]
    onnx.save(model, path)


@dataclass(frozen=True, slots=True)
class ExportDifference:
    """The difference between an exported graph and its network."""

    mean: dict[str, float]
    """The mean absolute difference of probabilities, by head."""
    largest: dict[str, float]
    """The largest absolute difference, by head."""
    flipped: dict[str, float]
    """The share of outputs whose most probable label changes, by head."""


def compare(model: str | Path, package: str | Path, texts: Sequence[str]) -> ExportDifference:
    """Compare the outputs of the network and the graph on the same texts."""
    from unslant.core.example import Example

    trained = load_trained(model)
    part = Part("compare")
    samples = [
        TrainingSample(Example(str(at), text, "compare", ""), part, "") for at, text in enumerate(texts)
    ]
    rows = encode_for(trained, samples)
    from_network = predict(trained, rows)
    mean, largest, flipped = {}, {}, {}
    from_graph = _run_graph(trained, Path(package), rows)
    for name, module in trained.network.heads.items():
        head: Any = module
        expected = _probabilities(head, from_network[name], rows)
        actual = _probabilities(head, from_graph[name], rows)
        gaps = (expected - actual).abs()
        mean[name], largest[name] = float(gaps.mean()), float(gaps.max())
        flipped[name] = float((_labels(head, expected) != _labels(head, actual)).float().mean())
    return ExportDifference(mean, largest, flipped)


def _probabilities(head: Any, outputs: Sequence[Tensor], rows: Sequence[EncodedRow]) -> Tensor:
    if hasattr(head, "chances"):
        found = [head.chances(output, row) for output, row in zip(outputs, rows, strict=True)]
        longest = max(len(row) for row in found)
        return torch.stack([functional.pad(row, (longest - len(row), 0)) for row in found])
    classes = len(head.labels)
    logits = torch.cat([output.reshape(-1, classes) for output in outputs])
    return torch.softmax(logits, dim=-1) if head.exclusive else torch.sigmoid(logits)


def _labels(head: Any, probabilities: Tensor) -> Tensor:
    return probabilities.argmax(dim=-1) if head.exclusive else probabilities >= 0.5


def _run_graph(trained: Trained, package: Path, rows: Sequence[Any]) -> dict[str, list[Tensor]]:
    import onnxruntime

    from unslant.lab.detector.batches import collate
    from unslant.lab.detector.predict import padding

    options = session_options()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(str(package / "model.onnx"), options)
    names = [output.name for output in session.get_outputs()]
    found: dict[str, list[Tensor]] = {name: [] for name in names}
    for row in rows:
        batch = collate(trained.network, [row], padding=padding(trained))
        inputs = {"input_ids": batch.ids.numpy(), "attention_mask": batch.mask.numpy()}
        if batch.features is not None:
            inputs["features"] = batch.features.numpy()
        for name, values in zip(names, session.run(names, inputs), strict=True):
            found[name].append(torch.from_numpy(values[0:1])[0])
    return found
