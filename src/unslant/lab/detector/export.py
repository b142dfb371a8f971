"""Export of a trained network as a package (an ONNX graph with int8 weights, tokenizer, labels, digests), and back.

``model.json`` lists the heads, their decisions, and the SHA-256 digest of every other file.

A package holds the weights in eight bits, which is close enough to start training from. Only BERT and DeBERTa encoders
can be restored: their graphs have one pattern, and the names of the biases say which layer a product belongs to.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.lab.detector.network import (
    STEPS,
    DetectorNetwork,
    NetworkPlan,
    Trained,
    as_encoder,
    load_trained,
    save_trained,
    truncate_positions,
)
from unslant.lab.detector.predict import encode_for, predict
from unslant.lab.detector.quantize import quantize
from unslant.lab.detector.recipe import HeadPlan, Part, build
from unslant.lab.detector.relative_attention import RELATIVE, RelativeEncoder, relative_scale
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.neural.checkpoint import GRAPH, TABLES, TOKENIZER, Package, load_package
from unslant.neural.network import session_options

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
    encoder = trained.network.encoder
    if isinstance(encoder, RelativeEncoder):
        encoder.fix(trained.network.plan.max_length)
    else:
        truncate_positions(encoder, trained.network.plan.max_length)
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
        "mask_people": network.plan.mask_people,
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
    shapes = {name: {0: batch, 1: subwords} for name in inputs}
    export_graph(_ExportModule(network), path, inputs, list(network.heads), shapes)


def export_graph(
    module: nn.Module, path: Path, inputs: Mapping[str, Tensor], outputs: list[str], shapes: Mapping[str, Any]
) -> None:
    """Write the graph of a module; ``shapes`` names the dimensions of the inputs that vary."""
    # the exporter logs missing vision packages and its own deprecations, which do not concern the user
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module.eval(),
            tuple(inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=outputs,
            dynamic_shapes=dict(shapes),
            external_data=False,
            verbose=False,
        )
    strip_metadata(path)


def strip_metadata(path: Path) -> None:
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


_ROOT = "network."
_ATTENTION = "encoder.encoder.layer.{}.attention.self.{}"
_CARDS = ("card.json", "card.md")


def restore(package: str | Path, out: str | Path) -> Path:
    """Write the model of a package to ``out/model``, with its card beside it, and return the folder."""
    import onnx

    folder, out = Path(package), Path(out)
    found = load_package(folder)
    graph = onnx.load_from_string(found.read(GRAPH)).graph
    weights = {name: torch.from_numpy(np.array(value, order="C")) for name, value in _read_weights(graph)}
    weights |= dict(_read_tables(found))
    network = _network(found, graph, weights)
    missing, unknown = network.load_state_dict(weights, strict=False)
    # these are constants that an encoder computes itself
    left = [name for name in missing if not name.endswith(("position_ids", "token_type_ids"))]
    if left or unknown:
        raise _restore_error(folder, (left or unknown)[0])
    decisions = {name: dict(head.decision) for name, head in found.heads.items()}
    save_trained(Trained(network, _tokenizer(found), decisions), out / "model")
    for name in _CARDS:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, out / name)
    return out / "model"


def _restore_error(folder: Path, part: str) -> ConfigError:
    return ConfigError(
        f"{folder}: the weights of {part} cannot be read back; only BERT and DeBERTa encoders can be restored"
    )


def _network(found: Package, graph: Any, weights: Mapping[str, Tensor]) -> DetectorNetwork:
    try:
        config = _config(graph, weights)
    except (KeyError, IndexError, StopIteration, AttributeError):
        raise _restore_error(found.folder, "the encoder") from None
    encoder = as_encoder(config)
    plan = NetworkPlan(
        heads=_plans(found),
        features=found.features,
        max_length=found.max_length,
        prefix=found.prefix,
        group_masks=found.group_masks,
        name_mask=found.name_mask,
        mask_people=found.mask_people,
    )
    return DetectorNetwork(encoder, plan)


def _config(graph: Any, weights: Mapping[str, Tensor]) -> Any:
    from transformers import BertConfig, DebertaV2Config

    table = weights["encoder.embeddings.word_embeddings.weight"]
    norm = next(node for node in graph.node if node.op_type == "LayerNormalization")
    shared: dict[str, Any] = {
        "vocab_size": table.shape[0],
        "hidden_size": table.shape[1],
        "intermediate_size": weights["encoder.encoder.layer.0.intermediate.dense.bias"].shape[0],
        "layer_norm_eps": float(_attribute(norm, "epsilon")),
        "pad_token_id": 0,
    }
    if _DISTANCES in weights:
        constants = {tensor.name: tensor for tensor in graph.initializer}
        fixed = _fixed_tensors(constants)
        relative: dict[str, Any] = {
            **RELATIVE,
            "position_buckets": weights[_DISTANCES].shape[0] // 2,
            "norm_rel_ebd": "none",
        }
        return DebertaV2Config(
            **shared,
            **relative,
            num_hidden_layers=len(fixed) // _FIXED_PARTS,
            num_attention_heads=constants[f"{fixed[2]}_int8"].dims[0],
            pos_att_type=["p2c", "c2p"],
        )
    attention = [node for node in graph.node if node.op_type == "QAttention"]
    return BertConfig(
        **shared,
        num_hidden_layers=len(attention),
        num_attention_heads=_attribute(attention[0], "num_heads"),
        max_position_embeddings=weights["encoder.embeddings.position_embeddings.weight"].shape[0],
    )


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
    yield from _read_attention(graph, constants)
    yield from _read_relative(graph, producers, constants)


def _read_attention(
    graph: Any, constants: Mapping[str, np.ndarray[Any, Any]]
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the projections of BERT's attention, which is one node in the graph."""
    for layer, node in enumerate(node for node in graph.node if node.op_type == "QAttention"):
        matrix = constants[node.input[1]].astype(np.float32) * constants[node.input[4]]
        bias = constants[node.input[2]].astype(np.float32)
        parts = zip(("query", "key", "value"), np.split(matrix, 3, axis=1), np.split(bias, 3), strict=True)
        for part, columns, offsets in parts:
            yield f"{_ATTENTION.format(layer, part)}.weight", columns.T
            yield f"{_ATTENTION.format(layer, part)}.bias", offsets


_DISTANCES = "encoder.encoder.rel_embeddings.weight"
_FIXED = "network.encoder.lifted_tensor_"
_FIXED_PARTS = 4
"""Each layer of DeBERTa has four constants in the graph: the projections, their bias, keys and queries of distances."""
_BUCKETS = 256


def _fixed_tensors(constants: Mapping[str, Any]) -> list[str]:
    """Return the names of the constants that :meth:`RelativeEncoder.fix` made, in order."""
    numbers = [int(name.removeprefix(_FIXED).split("_")[0]) for name in constants if name.startswith(_FIXED)]
    return [f"{_FIXED}{number}" for number in range(max(numbers, default=-1) + 1)]


def _read_relative(
    graph: Any, producers: Mapping[str, Any], constants: Mapping[str, np.ndarray[Any, Any]]
) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the projections of DeBERTa's attention, and the embeddings of the distances that they were applied to.

    The graph has keys and queries of the distances for every layer. The embeddings behind them are the solution of
    these equations, of which there are many more than unknowns.
    """
    fixed = _fixed_tensors(constants)
    if not fixed:
        return
    added = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
    factors, products = [], []
    for layer in range(len(fixed) // _FIXED_PARTS):
        bias_name, keys_name, queries_name = fixed[layer * _FIXED_PARTS + 1 : (layer + 1) * _FIXED_PARTS]
        bias = constants[bias_name]
        given = next(name for name in added[bias_name].input if name != bias_name)
        matrix = _matrix(producers[given], producers, constants)
        if matrix is None:
            return
        keys, queries = (
            constants[f"{name}_int8"].astype(np.float32) * constants[f"{name}_scale"]
            for name in (keys_name, queries_name)
        )
        scale = relative_scale(keys.shape[1])
        parts = zip(("query", "key", "value"), np.split(matrix.T, 3), np.split(bias, 3), strict=True)
        own = {
            part: (weight / scale, offset / scale) if part == "query" else (weight, offset)
            for part, weight, offset in parts
        }
        for part, (weight, offset) in own.items():
            yield f"{_ATTENTION.format(layer, part)}_proj.weight", weight
            yield f"{_ATTENTION.format(layer, part)}_proj.bias", offset
        for part, product in (("key", np.flip(keys, -1)), ("query", queries / scale)):
            factors.append(own[part][0])
            products.append(product.reshape(-1, product.shape[-1]) - own[part][1][:, None])
    solved = np.linalg.lstsq(np.concatenate(factors), np.concatenate(products), rcond=None)[0].T
    distances = np.zeros((2 * _BUCKETS, solved.shape[1]), dtype=np.float32)
    first = _BUCKETS - len(solved) // 2
    distances[first : first + len(solved)] = solved
    yield _DISTANCES, distances


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
    """Yield the weights of the edit head, which are stored outside the graph."""
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
