"""Weights in eight bits: embedding tables row by row, matrices column by column.

The runtime multiplies matrices in eight bits too, scaling activations as they come, but for the second product of the
first feed-forward layer: what goes into it has a few numbers much larger than the rest, and all layers above go by what
comes out. What is not a table or a matrix (norms, biases) is small and stays as it is. A table that was rounded
to fifteen steps a row before training is kept in four bits, which loses nothing.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from unslant.lab.detector.attention import fuse_attention
from unslant.lab.detector.encoder import STEPS

__all__ = ["quantize", "rows_to_int4", "rows_to_int8"]

_LARGE = 4096
"""Tables with fewer numbers are not worth it."""
_IN_FULL = 1
"""How many layers compute their narrowing product in full."""


def quantize(path: Path) -> None:
    """Rewrite an ONNX file with int8 weights."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    model = onnx.load(path)
    # The exporter notes shapes that its own shape inference contradicts.
    del model.graph.value_info[:]
    _quantize_tables(model)
    # Else the quantizer asks for a preparation that the graph does not need.
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")
    in_full = _narrowing(model)[:_IN_FULL]
    with tempfile.TemporaryDirectory() as folder:
        middle = Path(folder) / "model.onnx"
        onnx.save(model, middle)
        quantize_dynamic(
            middle,
            path,
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=in_full,
            extra_options={"MatMulConstBOnly": True},
        )
    model = onnx.load(path)
    _keep_in_eight_bits(model, in_full)
    fuse_attention(model)
    onnx.save(model, path)


def _narrowing(model: Any) -> list[str]:
    """Return the names of the products that make many numbers few, as each feed-forward layer ends, from the lowest."""
    sizes = {one.name: list(one.dims) for one in model.graph.initializer}
    products = [
        (node.name, sizes[node.input[1]])
        for node in model.graph.node
        if node.op_type == "MatMul" and len(sizes.get(node.input[1], ())) == 2
    ]
    width = max((size[1] for _, size in products if size[0] > size[1]), default=0)
    return [name for name, size in products if size[1] == width and size[0] > width]


def _keep_in_eight_bits(model: Any, names: list[str]) -> None:
    """Keep the matrices of some products in int8; the runtime makes them full once, when it loads the graph."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    matrices = {one.name: one for one in graph.initializer}
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


def _quantize_tables(model: Any) -> None:
    """Replace every look-up in a large table by one in few bits, multiplied by a scale for the row."""
    from onnx import TensorProto, numpy_helper

    graph = model.graph
    tables = {one.name: one for one in graph.initializer}
    done: dict[str, bool] = {}
    nodes: list[Any] = []
    for node in graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
        if table is None or axis != 0 or table.data_type != TensorProto.FLOAT or not _worthwhile(table):
            nodes.append(node)
            continue
        if table.name not in done:
            numbers = numpy_helper.to_array(table)
            packed = rows_to_int4(numbers)
            done[table.name] = packed is not None
            values, scales = packed or rows_to_int8(numbers)
            graph.initializer.append(numpy_helper.from_array(values, f"{table.name}_rows"))
            graph.initializer.append(numpy_helper.from_array(scales, f"{table.name}_scale"))
            if packed is not None:
                _add_constants(graph, table.name)
        nodes += (_four_bits if done[table.name] else _eight_bits)(node, table.name)
    del graph.node[:]
    graph.node.extend(nodes)
    kept = [one for one in graph.initializer if one.name not in done or _used(one.name, nodes)]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _eight_bits(node: Any, table: str) -> list[Any]:
    from onnx import TensorProto, helper

    base = node.output[0]
    return [
        helper.make_node("Gather", [f"{table}_rows", node.input[1]], [f"{base}_rows"], axis=0),
        helper.make_node("Cast", [f"{base}_rows"], [f"{base}_cast"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [f"{table}_scale", node.input[1]], [f"{base}_scale"], axis=0),
        helper.make_node("Mul", [f"{base}_cast", f"{base}_scale"], [base]),
    ]


def _four_bits(node: Any, table: str) -> list[Any]:
    """Take a byte apart: its upper half is a number of the row's second half, its lower one of the first."""
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


def _add_constants(graph: Any, table: str) -> None:
    from onnx import numpy_helper

    for name, value in (("sixteen", 16), ("middle", STEPS)):
        graph.initializer.append(numpy_helper.from_array(np.array(value, np.float32), f"{table}_{name}"))


def _worthwhile(table: Any) -> bool:
    return len(table.dims) == 2 and int(np.prod(table.dims)) >= _LARGE


def _used(name: str, nodes: list[Any]) -> bool:
    return any(name in node.input for node in nodes)


def rows_to_int8(table: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return int8 rows and their scales; a row times its scale differs from the original by half a scale at most."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    # Rows of almost nothing would need a scale that has no exact reciprocal: they become 0.
    scales = np.where(largest > 1e-20, largest / 127, 1).astype(np.float32)
    return np.round(table / scales).astype(np.int8), scales


def rows_to_int4(table: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] | None:
    """Return rows packed two numbers a byte, and their scales; None if that would change the table."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    scales = np.where(largest > 1e-20, largest / STEPS, 1).astype(np.float32)
    steps = np.round(table / scales)
    if table.shape[1] % 2 or not np.allclose(steps * scales, table, rtol=1e-3, atol=1e-7):
        return None
    numbers = (steps + STEPS).astype(np.uint8)
    half = table.shape[1] // 2
    return numbers[:, :half] + 16 * numbers[:, half:], scales
