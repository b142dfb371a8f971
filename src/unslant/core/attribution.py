"""What a judgement of a sentence goes by, word by word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unslant.core.types import Span

__all__ = ["Attribution", "Weight"]


@dataclass(frozen=True, slots=True)
class Weight:
    """How much one word matters."""

    span: Span
    """In the text of the sentence."""
    change: float
    """How much the probability falls without the word; negative: it rises."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """One sentence, its judgement, and the weight of each of its words."""

    text: str
    probability: float
    words: tuple[Weight, ...]
    """In order, none overlapping another."""
    marked: tuple[Span, ...] = ()
    """The words that are reported."""
    answers: Mapping[str, str] | None = None
    """What else the model says of the sentence, by question."""
