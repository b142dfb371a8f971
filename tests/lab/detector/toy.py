"""Samples and rows made by hand."""

from __future__ import annotations

from typing import Any

from unslant.core.example import Example
from unslant.lab.detector.recipe import Part
from unslant.lab.detector.rows import Row, Sample


def sample(text: str = "a b", /, part: Part | None = None, **labels: Any) -> Sample:
    """A text with some labels."""
    name = labels.pop("id", text)
    part = part or Part("toy")
    return Sample(Example(name, text, part.name, "", **labels), part, "train")


def row(text: str = "a b", /, part: Part | None = None, **labels: Any) -> Row:
    """The same as pieces: one a word, between two marks."""
    offsets, at = [(0, 0)], 0
    for word in text.split(" "):
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    offsets.append((0, 0))
    return Row(sample(text, part, **labels), tuple(range(len(offsets))), tuple(offsets))
