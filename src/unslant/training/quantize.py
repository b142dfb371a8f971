"""Weights in eight bits: embedding tables row by row, matrices column by column.

The runtime multiplies matrices in eight bits too, scaling activations as they come. What is not a table or a matrix
(norms, biases) is small and stays as it is.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from unslant.training.attention import fuse_attention

__all__ = ["quantize", "rows_to_int8"]

_LARGE = 4096
"""Tables with fewer numbers are not worth it."""


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
    with tempfile.TemporaryDirectory() as folder:
        middle = Path(folder) / "model.onnx"
        onnx.save(model, middle)
        quantize_dynamic(
            middle,
            path,
            op_types_to_quantize=["MatMul", "Gemm"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
    model = onnx.load(path)
    fuse_attention(model)
    onnx.save(model, path)


def _quantize_tables(model: Any) -> None:
    """Replace every look-up in a large table by one in int8, multiplied by a scale for the row."""
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    tables = {one.name: one for one in graph.initializer}
    done: dict[str, tuple[str, str]] = {}
    nodes: list[Any] = []
    for node in graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        axis = next((one.i for one in node.attribute if one.name == "axis"), 0)
        if table is None or axis != 0 or table.data_type != TensorProto.FLOAT or not _worthwhile(table):
            nodes.append(node)
            continue
        if table.name not in done:
            values, scales = rows_to_int8(numpy_helper.to_array(table))
            done[table.name] = (f"{table.name}_int8", f"{table.name}_scale")
            for name, array in zip(done[table.name], (values, scales), strict=True):
                graph.initializer.append(numpy_helper.from_array(array, name))
        values_name, scales_name = done[table.name]
        base = node.output[0]
        nodes += [
            helper.make_node("Gather", [values_name, node.input[1]], [f"{base}_int8"], axis=0),
            helper.make_node("Cast", [f"{base}_int8"], [f"{base}_cast"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [scales_name, node.input[1]], [f"{base}_scale"], axis=0),
            helper.make_node("Mul", [f"{base}_cast", f"{base}_scale"], [base]),
        ]
    del graph.node[:]
    graph.node.extend(nodes)
    kept = [one for one in graph.initializer if one.name not in done or _used(one.name, nodes)]
    del graph.initializer[:]
    graph.initializer.extend(kept)


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
