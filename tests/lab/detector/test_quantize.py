"""Attention in one step says what it said in many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from onnx import helper, numpy_helper
from transformers import BertConfig, BertModel

from unslant.lab.detector import quantize as quantizing
from unslant.lab.detector.quantize import fuse_attention
from unslant.neural.network import session_options

pytestmark = pytest.mark.torch


class Named(torch.nn.Module):
    """An encoder as a function of tensors."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Any, attention_mask: Any) -> Any:
        return self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small encoder in eight bits, each attention in many steps."""
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
    )
    encoder = BertModel(config, add_pooling_layer=False)
    for name, parameter in encoder.named_parameters():
        if name.endswith("bias"):  # else they are nothing, and the exporter leaves them out
            torch.nn.init.normal_(parameter, std=0.1)
    path = tmp_path_factory.mktemp("graph") / "model.onnx"
    example = torch.ones((2, 5), dtype=torch.long)
    batch, pieces = torch.export.Dim("batch"), torch.export.Dim("pieces")
    shape = {0: batch, 1: pieces}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter speaks of its own future
        torch.onnx.export(
            Named(encoder).eval(),
            (example, example),
            str(path),
            input_names=["input_ids", "attention_mask"],
            output_names=["hidden"],
            dynamic_shapes={"input_ids": shape, "attention_mask": shape},
            external_data=False,
            verbose=False,
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantizing, "fuse_attention", lambda _: 0)
        quantizing.quantize(path)
    return path.read_bytes()


def kinds(model: Any) -> list[str]:
    return [node.op_type for node in model.graph.node]


def run(content: bytes) -> Any:
    """Run two texts together, of which the second is shorter; what stands behind it says nothing."""
    ids = np.array([[2, 7, 9, 11, 30, 3], [2, 8, 40, 3, 0, 0]])
    mask = (ids != 0).astype(np.int64)
    session = onnxruntime.InferenceSession(content)
    (found,) = session.run(["hidden"], {"input_ids": ids, "attention_mask": mask})
    return np.concatenate([found[0], found[1, :4]])


def test_every_layer_is_one_step_with_the_same_answer(plain: bytes) -> None:
    model = onnx.load_from_string(plain)
    assert fuse_attention(model) == 2
    assert kinds(model).count("QAttention") == 2
    assert "Softmax" not in kinds(model)
    assert len(model.graph.node) < 0.6 * len(onnx.load_from_string(plain).graph.node)
    # what is rounded to eight bits may fall to the other side by a hair
    assert np.abs(run(model.SerializeToString()) - run(plain)).max() < 0.05
    assert np.abs(run(plain)).max() > 1


def test_what_is_not_used_any_more_is_not_kept(plain: bytes) -> None:
    model = onnx.load_from_string(plain)
    fuse_attention(model)
    used = {name for node in model.graph.node for name in node.input}
    assert {item.name for item in model.graph.initializer} <= used


def test_a_graph_with_a_bias_of_its_own_stays_as_it_is(plain: bytes) -> None:
    model = onnx.load_from_string(plain)
    table = numpy_helper.from_array(np.zeros((1, 4, 6, 6), np.float32), "table")
    model.graph.initializer.append(table)
    scores = next(node for node in model.graph.node if node.op_type == "Softmax").input[0]
    add = next(node for node in model.graph.node if scores in node.output)
    model.graph.node.append(helper.make_node("Add", [add.input[1], "table"], ["biased"]))
    add.input[1] = "biased"
    assert fuse_attention(model) == 1


def test_another_scale_is_not_taken_for_the_usual_one(plain: bytes) -> None:
    model = onnx.load_from_string(plain)
    usual = 8**-0.25
    for item in model.graph.initializer:
        value = numpy_helper.to_array(item)
        if value.ndim == 0 and value.dtype == np.float32 and abs(float(value) - usual) < 1e-4:
            item.CopyFrom(numpy_helper.from_array(np.float32(1.0).reshape(()), item.name))
    before = model.SerializeToString()
    assert fuse_attention(model) == 0
    assert model.SerializeToString() == before


def test_a_graph_without_attention_stays_as_it_is() -> None:
    node = helper.make_node("Softmax", ["x"], ["y"])
    value = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3]) for name in "xy"]
    model = helper.make_model(helper.make_graph([node], "g", value[:1], value[1:]))
    assert fuse_attention(model) == 0
    assert kinds(model) == ["Softmax"]


def test_sums_of_quantised_products_do_not_saturate() -> None:
    """Two products of 255 and 127 exceed 16 bits, where processors without VNNI would cut them off."""
    names = ("values", "weights", "sums")
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", names[:2], names[2:])],
        "sums",
        [helper.make_tensor_value_info("values", onnx.TensorProto.UINT8, [1, 64])],
        [helper.make_tensor_value_info("sums", onnx.TensorProto.INT32, [1, 8])],
        [numpy_helper.from_array(np.full((64, 8), 127, np.int8), "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), session_options())
    (sums,) = session.run(["sums"], {"values": np.full((1, 64), 255, np.uint8)})
    assert (sums == 255 * 127 * 64).all()
