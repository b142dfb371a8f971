"""Samples and rows made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from unslant.core.example import Example
from unslant.lab.detector.heads import DecodedRow
from unslant.lab.detector.predict import select_head
from unslant.lab.detector.recipe import Part
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.neural.checkpoint import HeadSpec
from unslant.neural.decoder import Decoder, NetworkOutput
from unslant.neural.span_edits import SpanEditDecoder
from unslant.neural.subwords import NormalizedText


def sample(text: str = "a b", /, part: Part | None = None, **labels: Any) -> TrainingSample:
    """A text with some labels."""
    name = labels.pop("id", text)
    part = part or Part("toy")
    return TrainingSample(Example(name, text, part.name, "", **labels), part, "train")


def row(text: str = "a b", /, part: Part | None = None, **labels: Any) -> EncodedRow:
    """The same as subwords: one a word, between two special tokens."""
    offsets, at = [(0, 0)], 0
    for word in text.split(" "):
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    offsets.append((0, 0))
    return EncodedRow(sample(text, part, **labels), tuple(range(len(offsets))), tuple(offsets))


def measure(
    head: Any,
    type_: str,
    outputs: Sequence[Tensor],
    rows: Sequence[EncodedRow],
    decision: Mapping[str, Any] | None = None,
) -> dict[str, float]:
    """Decode the outputs of a head by itself, and measure it."""
    spec = HeadSpec(type_, type_, head.level, tuple(head.labels), head.exclusive, decision or {})
    edits = {type_: SpanEditDecoder(head.tables(), head.labels)} if type_ == "edits" else {}
    decoder = Decoder({type_: spec}, select_head({type_: spec}, type_), span_edits=edits)
    decoded = []
    for row, output in zip(rows, outputs, strict=True):
        values = output.detach()
        per_text = {} if head.level == "subword" else {type_: values.reshape(-1).tolist()}
        per_subword = {type_: values.numpy()} if head.level == "subword" else {}
        made = NetworkOutput(NormalizedText.unchanged(row.text), row.offsets, per_text, per_subword)
        decoded.append(DecodedRow(row, decoder.decode(made), output))
    found: dict[str, float] = head.measure(decoded, decision or {})
    return found
