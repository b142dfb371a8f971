"""The way back from a package to a model that can be trained further.

A package holds the weights in eight bits, which is close enough to start from. Only BERT encoders can be restored:
their graphs have one pattern, and the names of the biases say which layer a product belongs to.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.lab.detector.encoder import STEPS
from unslant.lab.detector.network import DetectorNetwork, NetworkPlan, Trained, save_trained
from unslant.lab.detector.recipe import HeadPlan, build
from unslant.neural.checkpoint import GRAPH, TABLES, TOKENIZER, Package, load_package

__all__ = ["restore"]

_ROOT = "network."
_ATTENTION = "encoder.encoder.layer.{}.attention.self.{}"
_CARDS = ("card.json", "card.md")


def restore(package: str | Path, out: str | Path) -> Path:
    """Write the model of a package to ``out/model``, with its card beside it, and return the folder."""
    import onnx

    folder, out = Path(package), Path(out)
    found = load_package(folder)
    graph = onnx.load_from_string(found.read(GRAPH)).graph
    weights = {name: torch.from_numpy(np.ascontiguousarray(value)) for name, value in _read_weights(graph)}
    weights |= dict(_read_tables(found))
    network = _network(found, graph, weights)
    missing, unknown = network.load_state_dict(weights, strict=False)
    # these are constants that an encoder computes itself
    left = [name for name in missing if not name.endswith(("position_ids", "token_type_ids"))]
    if left or unknown:
        raise _unrestorable(folder, (left or unknown)[0])
    decisions = {name: dict(head.decision) for name, head in found.heads.items()}
    save_trained(Trained(network, _tokenizer(found), decisions), out / "model")
    for name in _CARDS:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, out / name)
    return out / "model"


def _unrestorable(folder: Path, part: str) -> ConfigError:
    return ConfigError(
        f"{folder}: the weights of {part} cannot be read back; only packages of BERT encoders can be restored"
    )


def _network(found: Package, graph: Any, weights: Mapping[str, Tensor]) -> DetectorNetwork:
    from transformers import AutoModel, BertConfig

    attention = [node for node in graph.node if node.op_type == "QAttention"]
    norm = next((node for node in graph.node if node.op_type == "LayerNormalization"), None)
    try:
        table = weights["encoder.embeddings.word_embeddings.weight"]
        inner = weights["encoder.encoder.layer.0.intermediate.dense.bias"]
        config = BertConfig(
            vocab_size=table.shape[0],
            hidden_size=table.shape[1],
            num_hidden_layers=len(attention),
            num_attention_heads=_attribute(attention[0], "num_heads"),
            intermediate_size=inner.shape[0],
            max_position_embeddings=weights["encoder.embeddings.position_embeddings.weight"].shape[0],
            layer_norm_eps=float(_attribute(norm, "epsilon")),
            pad_token_id=0,
        )
    except (KeyError, IndexError, StopIteration, AttributeError):
        raise _unrestorable(found.folder, "the encoder") from None
    encoder = AutoModel.from_config(config)
    encoder.pooler = None
    plan = NetworkPlan(
        heads=_plans(found),
        features=found.features,
        max_length=found.max_length,
        prefix=found.prefix,
        group_masks=found.group_masks,
        name_mask=found.name_mask,
    )
    return DetectorNetwork(encoder, plan)


def _plans(found: Package) -> dict[str, HeadPlan]:
    """Return the heads as the card describes them, with the vocabularies of the package."""
    card = found.folder / "card.json"
    try:
        known = read_json(card)["recipe"]["heads"]
    except (InputError, KeyError, TypeError):
        raise ConfigError(f"{card}: cannot read the heads of the model; a package needs its card") from None
    plans = {}
    for name, head in found.heads.items():
        plan = build(HeadPlan, known.get(name), f"{card}: {name}")
        options = {key: value for key, value in plan.options.items() if key != "vocabulary"}
        if head.type == "edits":
            options["vocabulary"] = list(head.labels)
        plans[name] = HeadPlan(plan.type, plan.weight, plan.corpora, options)
    return plans


def _tokenizer(found: Package) -> Any:
    from transformers import PreTrainedTokenizerFast

    added = json.loads(found.read(TOKENIZER)).get("added_tokens", ())
    special = {token["content"] for token in added if token.get("special")}
    names = {"unk": "[UNK]", "pad": "[PAD]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    return PreTrainedTokenizerFast(
        tokenizer_file=str(found.folder / TOKENIZER),
        **{f"{name}_token": token for name, token in names.items() if token in special},
    )


def _attribute(node: Any, name: str) -> Any:
    from onnx import helper

    return next(helper.get_attribute_value(entry) for entry in node.attribute if entry.name == name)


def _read_weights(graph: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the weights of a quantized graph in float32, by the names they have in the network."""
    from onnx import numpy_helper

    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    producers = {name: node for node in graph.node for name in node.output}
    for name, value in constants.items():
        if name.startswith(_ROOT) and name.endswith((".weight", ".bias")):
            yield name.removeprefix(_ROOT), value.astype(np.float32)
        elif name.startswith(_ROOT) and name.endswith(".weight_rows"):
            own = name.removesuffix("_rows")
            yield own.removeprefix(_ROOT), _table(constants, own)
    for node in graph.node:
        if node.op_type == "Add":
            bias = next((name for name in node.input if name.startswith(_ROOT)), "")
            given = next((name for name in node.input if name != bias), "")
            if bias.endswith(".bias") and given in producers:
                matrix = _matrix(producers[given], producers, constants)
                if matrix is not None:
                    yield bias.removeprefix(_ROOT).removesuffix("bias") + "weight", matrix.T
    blocks = [node for node in graph.node if node.op_type == "QAttention"]
    for layer, node in enumerate(blocks):
        matrix = constants[node.input[1]].astype(np.float32) * constants[node.input[4]]
        bias = constants[node.input[2]].astype(np.float32)
        for part, (columns, offsets) in zip(
            ("query", "key", "value"),
            zip(np.split(matrix, 3, axis=1), np.split(bias, 3), strict=True),
            strict=True,
        ):
            yield f"{_ATTENTION.format(layer, part)}.weight", columns.T
            yield f"{_ATTENTION.format(layer, part)}.bias", offsets


def _table(constants: Mapping[str, np.ndarray[Any, Any]], name: str) -> np.ndarray[Any, Any]:
    rows, scales = constants[f"{name}_rows"], constants[f"{name}_scale"]
    if f"{name}_sixteen" in constants:
        rows = np.concatenate([rows % 16, rows // 16], axis=1).astype(np.float32) - STEPS
    return (rows.astype(np.float32) * scales).astype(np.float32)


def _matrix(
    node: Any, producers: Mapping[str, Any], constants: Mapping[str, np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any] | None:
    """Return the matrix of the product that a value comes from, (inputs, outputs); None if it is no product."""
    if node.op_type == "MatMul":
        name = node.input[1].removesuffix("_full")
        if f"{name}_int8" not in constants:
            return None
        return (constants[f"{name}_int8"].astype(np.float32) * constants[f"{name}_scale"]).astype(np.float32)
    cast = producers.get(node.input[0]) if node.op_type == "Mul" else None
    product = producers.get(cast.input[0]) if cast is not None and cast.op_type == "Cast" else None
    if product is None or product.op_type != "MatMulInteger":
        return None
    name = product.input[1].removesuffix("_quantized")
    return (constants[f"{name}_quantized"].astype(np.float32) * constants[f"{name}_scale"]).astype(np.float32)


def _read_tables(found: Package) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of the edit head that lie beside the graph."""
    name = next((name for name, head in found.heads.items() if head.type == "edits"), None)
    if name is None or TABLES not in found.files:
        return
    with np.load(io.BytesIO(found.read(TABLES)), allow_pickle=False) as tables:
        own = {key: torch.from_numpy(tables[key].astype(np.float32)) for key in tables.files}
    yield f"heads.{name}.widths.weight", own["widths"].T.contiguous()
    yield f"heads.{name}.borders.weight", own["borders"].T.contiguous()
    yield f"heads.{name}.score.weight", own["score"][None, :-1].contiguous()
    yield f"heads.{name}.score.bias", own["score"][-1:].contiguous()
    yield f"heads.{name}.ops.weight", own["ops"][:, :-1].contiguous()
    yield f"heads.{name}.ops.bias", own["ops"][:, -1].contiguous()
