"""Texts on their way into a network: as samples with a place in the training, and as rows of pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unslant.core.example import Example
from unslant.lab.detector.recipe import Part
from unslant.neural.group_masking import GroupMask, MaskedText

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Row", "Sample", "Soft", "encode"]


@dataclass(frozen=True, slots=True)
class Soft:
    """What a teacher says of one text, for one head."""

    values: np.ndarray[Any, Any]
    """Logits: (classes,) for the text, (pieces, classes) for its pieces."""
    starts: tuple[int, ...] = ()
    """Where in the text the teacher's pieces begin; empty for a head that speaks of the whole text."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A text with its labels and how they are used."""

    example: Example
    part: Part
    split: str
    soft: Mapping[str, Soft] = field(default_factory=dict)
    """What teachers say, by head."""
    copy_of: int | None = None
    """For a counterfactual copy: the index of its original among the samples of the epoch."""
    rewritten: str | None = None
    """What an editor made of the text; the text itself where nothing needs a change, None where nobody says."""

    def teaches(self, type_: str) -> bool:
        """Say whether heads of this type may learn from it."""
        return not self.part.labels or type_ in self.part.labels


@dataclass(frozen=True, slots=True)
class Row:
    """A sample as the encoder sees it."""

    sample: Sample
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    """Where each piece stands in the text; empty for marks of the tokenizer and for the prefix."""

    @property
    def text(self) -> str:
        """The text, without prefix."""
        return self.sample.example.text


def encode(
    tokenizer: Callable[..., Any],
    samples: Sequence[Sample],
    max_length: int,
    prefix: str = "",
    *,
    mask: GroupMask | None = None,
) -> list[Row]:
    """Cut texts into pieces; positions are those of the text, whatever stands before it or is covered in it."""
    if not samples:
        return []
    masked = [_mask(sample, mask) for sample in samples]
    encoded = tokenizer(
        [prefix + text.text for text in masked],
        truncation=True,
        max_length=max_length,
        return_offsets_mapping=True,
    )
    shift = len(prefix)
    rows = []
    pieces = zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
    for sample, text, (ids, offsets) in zip(samples, masked, pieces, strict=True):
        rows.append(Row(sample, tuple(ids), tuple(_place(text, shift, *offset) for offset in offsets)))
    return rows


def _mask(sample: Sample, mask: GroupMask | None) -> MaskedText:
    text = sample.example.text
    return MaskedText(text) if mask is None else mask.mask(text)


def _place(masked: MaskedText, shift: int, start: int, end: int) -> tuple[int, int]:
    """Return where a piece stands in the text; marks of the tokenizer and the prefix stand nowhere."""
    start, end = max(start - shift, 0), max(end - shift, 0)
    return masked.original(start, end) if start < end else (0, 0)
