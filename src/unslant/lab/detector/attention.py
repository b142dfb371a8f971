"""Attention as one step of the runtime instead of thirty.

A graph in eight bits computes queries, keys and values each by themselves and puts them together in many small steps,
and for a sentence the steps cost as much as the arithmetic. The runtime has one step for all of it, ``QAttention``,
that takes the same weights in eight bits. Where a graph does anything else, it stays as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["fuse_attention"]

_MASK = "attention_mask"
_SMALL = 4
"""A mask is made of the input and of a few numbers; a table among them would be a bias of its own."""


class _OtherShapeError(Exception):
    """The graph does something else at this place."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A product with int8 weights: where its input comes from, and what it is multiplied with."""

    given: tuple[str, str, str]
    """The input in eight bits, its scale and its zero point."""
    weight: Any
    scale: Any
    bias: Any


class _Graph:
    def __init__(self, model: Any) -> None:
        from onnx import numpy_helper

        self.graph = model.graph
        self.constants = {one.name: numpy_helper.to_array(one) for one in self.graph.initializer}
        self.makers = {name: node for node in self.graph.node for name in node.output}
        self.users: dict[str, list[Any]] = {}
        for node in self.graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)

    def maker(self, name: str, kind: str) -> Any:
        """Return the node that makes a value, which must be of a kind."""
        node = self.makers.get(name)
        if node is None or node.op_type != kind:
            raise _OtherShapeError
        return node

    def user(self, name: str, kind: str) -> Any:
        """Return the one node of a kind that uses a value."""
        found = [node for node in self.users.get(name, ()) if node.op_type == kind]
        if len(found) != 1:
            raise _OtherShapeError
        return found[0]

    def constant(self, name: str) -> Any:
        if name not in self.constants:
            raise _OtherShapeError
        return self.constants[name]


def fuse_attention(model: Any) -> int:
    """Make each attention of an int8 graph one step, and return how many there were; the weights stay the same."""
    from onnx import TensorProto, helper

    graph = _Graph(model)
    new: dict[str, Any] = {}
    for softmax in [node for node in model.graph.node if node.op_type == "Softmax"]:
        try:
            output, node = _fused(graph, softmax, len(new))
        except _OtherShapeError:
            continue
        new[output] = node
    if not new:
        return 0
    mask = helper.make_node("Cast", [_MASK], [f"{_MASK}_int32"], to=TensorProto.INT32)
    nodes = [mask, *(new.get(node.output[0], node) for node in model.graph.node)]
    _keep_what_is_used(model.graph, nodes)
    if not any(one.domain == "com.microsoft" for one in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return len(new)


def _fused(graph: _Graph, softmax: Any, number: int) -> tuple[str, Any]:
    """Return the value that an attention ends in, and the one node that makes it."""
    from onnx import helper, numpy_helper

    scores = graph.maker(softmax.input[0], "Add")
    product = graph.maker(scores.input[0], "MatMul")
    _check_mask(graph, scores.input[1])
    weights = softmax.output[0]
    if any(node.op_type == "IsNaN" for node in graph.users.get(weights, ())):
        weights = graph.user(weights, "Where").output[0]
    mixed = graph.user(weights, "MatMul")
    back = graph.user(graph.user(mixed.output[0], "Transpose").output[0], "Reshape")
    parts = [_matrix(graph, name) for name in (product.input[0], product.input[1], mixed.input[1])]
    (query, by_query, width), (key, by_key, _), (value, by_value, _) = parts
    matrices = [query, key, value]
    hidden = query.weight.shape[1]
    if len({one.given for one in matrices}) != 1 or {one.weight.shape for one in matrices} != {
        query.weight.shape
    }:
        raise _OtherShapeError
    if hidden % width or by_value != 1 or not math.isclose(by_query * by_key, width**-0.5, rel_tol=1e-4):
        raise _OtherShapeError
    name = f"attention_{number}"
    arrays = {
        "weight": np.concatenate([one.weight for one in matrices], axis=1),
        "bias": np.concatenate([one.bias for one in matrices]),
        "scale": np.concatenate([one.scale for one in matrices]),
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


def _matrix(graph: _Graph, name: str) -> tuple[_Matrix, float, int]:
    """Return the product that queries, keys or values come from, what they are multiplied by, and a head's width."""
    by, width = 1.0, 0
    while (node := graph.makers.get(name)) is not None and node.op_type in ("Mul", "Reshape", "Transpose"):
        if node.op_type == "Mul":
            factor = graph.constant(node.input[1])
            if factor.size != 1:
                raise _OtherShapeError
            by *= float(factor.reshape(()))
        elif node.op_type == "Reshape":
            width = _last(graph, node.input[1]) or width
        name = node.input[0]
    added = graph.maker(name, "Add")
    scaled = graph.maker(added.input[0], "Mul")
    product = graph.maker(graph.maker(scaled.input[0], "Cast").input[0], "MatMulInteger")
    scales = graph.maker(scaled.input[1], "Mul")
    weight, zero = graph.constant(product.input[1]), graph.constant(product.input[3])
    scale, bias = graph.constant(scales.input[1]), graph.constant(added.input[1])
    if zero.any() or scale.shape != bias.shape or bias.shape != weight.shape[1:] or width < 1:
        raise _OtherShapeError
    given = (product.input[0], scales.input[0], product.input[2])
    return _Matrix(given, weight, scale, bias), by, width


def _last(graph: _Graph, name: str) -> int:
    """Return the last number of a shape of four; 0 where it is not known or the shape is another."""
    node = graph.makers.get(name)
    if node is None or node.op_type != "Concat" or len(node.input) != 4:
        known = graph.constants.get(name)
        return int(known[-1]) if known is not None and known.shape == (4,) else 0
    last = graph.constants.get(node.input[-1])
    return int(last.reshape(-1)[-1]) if last is not None else 0


def _check_mask(graph: _Graph, name: str) -> None:
    """Raise unless what is added to the scores is made of the mask alone; the shape of anything tells no more."""
    todo, seen = [name], {""}
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in graph.makers:
            node = graph.makers[one]
            todo += [] if node.op_type == "Shape" else node.input
        elif one != _MASK and (one not in graph.constants or graph.constants[one].size > _SMALL):
            raise _OtherShapeError
    if _MASK not in seen:
        raise _OtherShapeError


def _keep_what_is_used(graph: Any, nodes: list[Any]) -> None:
    """Leave out nodes and constants that lead to no output."""
    needed = {one.name for one in graph.output}
    kept = []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            kept.append(node)
            needed.update(node.input)
    constants = [one for one in graph.initializer if one.name in needed]
    del graph.node[:]
    graph.node.extend(reversed(kept))
    del graph.initializer[:]
    graph.initializer.extend(constants)
