"""Quantization of an ONNX graph: embeddings per row, matrices per column, and fused int8 attention.

The runtime also multiplies matrices in int8 with dynamic scales, except for the second product of the first
feed-forward layer: its inputs have a few outliers, and all later layers depend on its output. Norms and biases stay in
float32. Embeddings that were rounded to fifteen steps per row before training are stored in four bits without loss.

An int8 graph computes attention in about thirty small nodes, whose overhead for a sentence equals the arithmetic. The
runtime has a single node for it, ``QAttention``, with the same int8 weights. Other patterns are left unchanged.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unslant.lab.detector.network import STEPS

_LARGE = 4096
"""Smaller tables are not quantized."""
_FLOAT_LAYERS = 1
"""How many layers compute their down-projection in float32."""


def quantize(path: Path, float_layers: int | None = _FLOAT_LAYERS) -> None:
    """Rewrite an ONNX file with int8 weights; the down-projections of the first layers compute in float32, or all."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = onnx.load(path)
    # the exporter records shapes that shape inference contradicts
    del model.graph.value_info[:]
    _quantize_tables(model)
    # otherwise the quantizer asks for a preprocessing that the graph does not need
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")
    float_nodes = _down_projections(model)[:float_layers]
    with tempfile.TemporaryDirectory() as folder:
        middle = Path(folder) / "model.onnx"
        onnx.save(model, middle)
        quantize_dynamic(
            middle,
            path,
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=float_nodes,
            extra_options={"MatMulConstBOnly": True},
        )
    model = onnx.load(path)
    _store_as_int8(model, float_nodes)
    _store_positions_as_int8(model)
    fuse_attention(model)
    onnx.save(model, path)


def _down_projections(model: Any) -> list[str]:
    """Return the names of the down-projections of the feed-forward layers, from the lowest."""
    sizes = {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    products = [
        (node.name, sizes[node.input[1]])
        for node in model.graph.node
        if node.op_type == "MatMul" and len(sizes.get(node.input[1], ())) == 2
    ]
    width = max((size[1] for _, size in products if size[0] > size[1]), default=0)
    return [name for name, size in products if size[1] == width and size[0] > width]


def _store_as_int8(model: Any, names: list[str]) -> None:
    """Store the matrices of some products in int8; the runtime converts them once, on loading the graph."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    matrices = {tensor.name: tensor for tensor in graph.initializer}
    nodes: list[Any] = []
    for node in graph.node:
        if node.name in names:
            name = node.input[1]
            columns, scales = rows_to_int8(numpy_helper.to_array(matrices[name]).T)
            graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(columns.T), f"{name}_int8"))
            graph.initializer.append(numpy_helper.from_array(scales.reshape(1, -1), f"{name}_scale"))
            graph.initializer.remove(matrices[name])
            nodes += [
                helper.make_node("Cast", [f"{name}_int8"], [f"{name}_cast"], to=TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}_cast", f"{name}_scale"], [f"{name}_full"]),
            ]
            node.input[1] = f"{name}_full"
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _store_positions_as_int8(model: Any) -> None:
    """Store the tables of relative positions in int8; as above, the runtime converts them on loading the graph."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    sliced = {node.input[0] for node in graph.node if node.op_type == "Slice"}
    tables = [
        tensor
        for tensor in graph.initializer
        if tensor.name in sliced and len(tensor.dims) == 3 and tensor.data_type == TensorProto.FLOAT
    ]
    nodes: list[Any] = []
    for table in tables:
        numbers = numpy_helper.to_array(table)
        rows, scales = rows_to_int8(numbers.reshape(-1, numbers.shape[-1]))
        name = table.name
        graph.initializer.append(numpy_helper.from_array(rows.reshape(numbers.shape), f"{name}_int8"))
        graph.initializer.append(
            numpy_helper.from_array(scales.reshape(*numbers.shape[:-1], 1), f"{name}_scale")
        )
        graph.initializer.remove(table)
        nodes += [
            helper.make_node("Cast", [f"{name}_int8"], [f"{name}_cast"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}_cast", f"{name}_scale"], [name]),
        ]
    nodes += graph.node
    del graph.node[:]
    graph.node.extend(nodes)


def _quantize_tables(model: Any) -> None:
    """Replace each lookup in a large table with a lookup in a quantized table and a scale per row."""
    from onnx import TensorProto, numpy_helper

    graph = model.graph
    tables = {tensor.name: tensor for tensor in graph.initializer}
    done: dict[str, bool] = {}
    nodes: list[Any] = []
    for node in graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        large = table is not None and len(table.dims) == 2 and int(np.prod(table.dims)) >= _LARGE
        axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
        if table is None or axis != 0 or table.data_type != TensorProto.FLOAT or not large:
            nodes.append(node)
            continue
        if table.name not in done:
            numbers = numpy_helper.to_array(table)
            packed = rows_to_int4(numbers)
            done[table.name] = packed is not None
            values, scales = packed or rows_to_int8(numbers)
            graph.initializer.append(numpy_helper.from_array(values, f"{table.name}_rows"))
            graph.initializer.append(numpy_helper.from_array(scales, f"{table.name}_scale"))
            for constant, value in (("sixteen", 16), ("middle", STEPS)) if packed is not None else ():
                number = np.array(value, np.float32)
                graph.initializer.append(numpy_helper.from_array(number, f"{table.name}_{constant}"))
        nodes += (_lookup_int4 if done[table.name] else _lookup_int8)(node, table.name)
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name not in done or tensor.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _lookup_int8(node: Any, table: str) -> list[Any]:
    from onnx import TensorProto, helper

    base = node.output[0]
    return [
        helper.make_node("Gather", [f"{table}_rows", node.input[1]], [f"{base}_rows"], axis=0),
        helper.make_node("Cast", [f"{base}_rows"], [f"{base}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [f"{table}_scale", node.input[1]], [f"{base}_scale"], axis=0),
        helper.make_node("Mul", [f"{base}_cast", f"{base}_scale"], [base]),
    ]


def _lookup_int4(node: Any, table: str) -> list[Any]:
    """Unpack bytes: the upper half belongs to the second half of the row, the lower half to the first."""
    from onnx import TensorProto, helper

    base = node.output[0]
    return [
        helper.make_node("Gather", [f"{table}_rows", node.input[1]], [f"{base}_rows"], axis=0),
        helper.make_node("Cast", [f"{base}_rows"], [f"{base}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Div", [f"{base}_cast", f"{table}_sixteen"], [f"{base}_share"]),
        helper.make_node("Floor", [f"{base}_share"], [f"{base}_upper"]),
        helper.make_node("Mul", [f"{base}_upper", f"{table}_sixteen"], [f"{base}_taken"]),
        helper.make_node("Sub", [f"{base}_cast", f"{base}_taken"], [f"{base}_lower"]),
        helper.make_node("Concat", [f"{base}_lower", f"{base}_upper"], [f"{base}_both"], axis=-1),
        helper.make_node("Sub", [f"{base}_both", f"{table}_middle"], [f"{base}_steps"]),
        helper.make_node("Gather", [f"{table}_scale", node.input[1]], [f"{base}_scale"], axis=0),
        helper.make_node("Mul", [f"{base}_steps", f"{base}_scale"], [base]),
    ]


def rows_to_int8(table: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return int8 rows and their scales; the error is at most half a scale."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    # rows close to 0 would need a scale without a finite reciprocal: they become 0
    scales = np.where(largest > 1e-20, largest / 127, 1).astype(np.float32)
    return np.round(table / scales).astype(np.int8), scales


def rows_to_int4(table: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
    """Return rows with two values per byte and their scales; None if that would change the table."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    scales = np.where(largest > 1e-20, largest / STEPS, 1).astype(np.float32)
    steps = np.round(table / scales)
    if table.shape[1] % 2 or not np.allclose(steps * scales, table, rtol=1e-3, atol=1e-7):
        return None
    numbers = (steps + STEPS).astype(np.uint8)
    half = table.shape[1] // 2
    return numbers[:, :half] + 16 * numbers[:, half:], scales


_MASK = "attention_mask"
_SMALL = 4
"""A mask depends on the input and a few constants; a larger constant would be an attention bias."""


class _PatternMismatchError(Exception):
    """The graph does not match the attention pattern."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A product with int8 weights and its input."""

    given: tuple[str, str, str]
    """The int8 input, its scale and its zero point."""
    weight: Any
    scale: Any
    bias: Any


class _OnnxGraph:
    def __init__(self, model: Any) -> None:
        from onnx import numpy_helper

        self.graph = model.graph
        self.constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in self.graph.initializer}
        self.producers = {name: node for node in self.graph.node for name in node.output}
        self.consumers: dict[str, list[Any]] = {}
        for node in self.graph.node:
            for name in node.input:
                self.consumers.setdefault(name, []).append(node)

    def producer(self, name: str, kind: str) -> Any:
        """Return the node that produces a value; raise unless it has the given type."""
        node = self.producers.get(name)
        if node is None or node.op_type != kind:
            raise _PatternMismatchError
        return node

    def consumer(self, name: str, kind: str) -> Any:
        """Return the only consumer of a value with the given type."""
        found = [node for node in self.consumers.get(name, ()) if node.op_type == kind]
        if len(found) != 1:
            raise _PatternMismatchError
        return found[0]

    def constant(self, name: str) -> Any:
        if name not in self.constants:
            raise _PatternMismatchError
        return self.constants[name]


def fuse_attention(model: Any) -> int:
    """Replace each attention block of an int8 graph with one node, and return how many were replaced."""
    from onnx import TensorProto, helper

    graph = _OnnxGraph(model)
    new: dict[str, Any] = {}
    for softmax in [node for node in model.graph.node if node.op_type == "Softmax"]:
        try:
            output, node = _fuse(graph, softmax, len(new))
        except _PatternMismatchError:
            continue
        new[output] = node
    if not new:
        return 0
    mask = helper.make_node("Cast", [_MASK], [f"{_MASK}_int32"], to=TensorProto.INT32)
    nodes = [mask, *(new.get(node.output[0], node) for node in model.graph.node)]
    _prune(model.graph, nodes)
    if not any(opset.domain == "com.microsoft" for opset in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return len(new)


def _fuse(graph: _OnnxGraph, softmax: Any, number: int) -> tuple[str, Any]:
    """Return the output of an attention block and the node that replaces the block."""
    from onnx import helper, numpy_helper

    scores = graph.producer(softmax.input[0], "Add")
    product = graph.producer(scores.input[0], "MatMul")
    _check_mask(graph, scores.input[1])
    weights = softmax.output[0]
    if any(node.op_type == "IsNaN" for node in graph.consumers.get(weights, ())):
        weights = graph.consumer(weights, "Where").output[0]
    mixed = graph.consumer(weights, "MatMul")
    back = graph.consumer(graph.consumer(mixed.output[0], "Transpose").output[0], "Reshape")
    parts = [_matrix(graph, name) for name in (product.input[0], product.input[1], mixed.input[1])]
    (query, by_query, width), (key, by_key, _), (value, by_value, _) = parts
    matrices = [query, key, value]
    hidden = query.weight.shape[1]
    if len({matrix.given for matrix in matrices}) != 1 or {matrix.weight.shape for matrix in matrices} != {
        query.weight.shape
    }:
        raise _PatternMismatchError
    if hidden % width or by_value != 1 or not math.isclose(by_query * by_key, width**-0.5, rel_tol=1e-4):
        raise _PatternMismatchError
    name = f"attention_{number}"
    arrays = {
        "weight": np.concatenate([matrix.weight for matrix in matrices], axis=1),
        "bias": np.concatenate([matrix.bias for matrix in matrices]),
        "scale": np.concatenate([matrix.scale for matrix in matrices]),
        "zero": np.zeros(3 * hidden, np.int8),
    }
    for kind, array in arrays.items():
        graph.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), f"{name}_{kind}"))
    given, scale, zero = query.given
    inputs = [given, f"{name}_weight", f"{name}_bias", scale, f"{name}_scale", f"{_MASK}_int32", zero]
    node = helper.make_node(
        "QAttention",
        [*inputs, f"{name}_zero"],
        [back.output[0]],
        name=name,
        domain="com.microsoft",
        num_heads=hidden // width,
    )
    return back.output[0], node


def _matrix(graph: _OnnxGraph, name: str) -> tuple[_Matrix, float, int]:
    """Return the projection of queries, keys or values, their scaling factor and the width of a head."""
    by, width = 1.0, 0
    while (node := graph.producers.get(name)) is not None and node.op_type in ("Mul", "Reshape", "Transpose"):
        if node.op_type == "Mul":
            factor = graph.constant(node.input[1])
            if factor.size != 1:
                raise _PatternMismatchError
            by *= float(factor.reshape(()))
        elif node.op_type == "Reshape":
            width = _last_dimension(graph, node.input[1]) or width
        name = node.input[0]
    added = graph.producer(name, "Add")
    scaled = graph.producer(added.input[0], "Mul")
    product = graph.producer(graph.producer(scaled.input[0], "Cast").input[0], "MatMulInteger")
    scales = graph.producer(scaled.input[1], "Mul")
    weight, zero = graph.constant(product.input[1]), graph.constant(product.input[3])
    scale, bias = graph.constant(scales.input[1]), graph.constant(added.input[1])
    if zero.any() or scale.shape != bias.shape or bias.shape != weight.shape[1:] or width < 1:
        raise _PatternMismatchError
    given = (product.input[0], scales.input[0], product.input[2])
    return _Matrix(given, weight, scale, bias), by, width


def _last_dimension(graph: _OnnxGraph, name: str) -> int:
    """Return the last dimension of a 4D shape; 0 if unknown."""
    node = graph.producers.get(name)
    if node is None or node.op_type != "Concat" or len(node.input) != 4:
        known = graph.constants.get(name)
        return int(known[-1]) if known is not None and known.shape == (4,) else 0
    last = graph.constants.get(node.input[-1])
    return int(last.reshape(-1)[-1]) if last is not None else 0


def _check_mask(graph: _OnnxGraph, name: str) -> None:
    """Raise unless the value added to the scores depends on the mask alone; shapes do not count."""
    todo, seen = [name], {""}
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in graph.producers:
            node = graph.producers[value]
            todo += [] if node.op_type == "Shape" else node.input
        elif value != _MASK and (value not in graph.constants or graph.constants[value].size > _SMALL):
            raise _PatternMismatchError
    if _MASK not in seen:
        raise _PatternMismatchError


def _prune(graph: Any, nodes: list[Any]) -> None:
    """Remove nodes and constants that no output depends on."""
    needed = {value.name for value in graph.output}
    kept = []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(node.input)
    constants = [tensor for tensor in graph.initializer if tensor.name in needed]
    del graph.node[:]
    graph.node.extend(reversed(kept))
    del graph.initializer[:]
    graph.initializer.extend(constants)
