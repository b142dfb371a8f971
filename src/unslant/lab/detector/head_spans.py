"""The head that marks the words that slant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from unslant.core.types import Span
from unslant.lab.detector.heads import tower
from unslant.lab.detector.losses import Target, choice_loss, soft_choice_loss
from unslant.lab.detector.rows import Row
from unslant.lab.detector.scores import span_f1
from unslant.neural.spans import IGNORED, OUTSIDE, TAGS, decode_scores, tags

__all__ = ["SpanHead", "gold"]

_THRESHOLDS = [step / 20 for step in range(4, 17)]
_GROWN = (0.9, 0.8, 0.7, 0.6)
"""How much less it takes, as a share of the threshold, to be marked beside a marked word."""


@dataclass(frozen=True, slots=True)
class _Options:
    marked: float = 1.0
    """How much a marked word counts beside an unmarked one."""
    slanted_only: bool = False
    """Whether only texts with a mark teach it."""
    hidden: int = 0
    """The width of a layer in between; 0: none."""


class SpanHead(nn.Module):
    """Begin, inside or outside, for the first piece of each word."""

    Options = _Options
    level: ClassVar[Literal["text", "subword"]] = "subword"
    labels: ClassVar[tuple[str, ...]] = TAGS
    exclusive: ClassVar[bool] = True

    def __init__(self, options: _Options, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, len(TAGS), options.hidden, dropout)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, pieces, 3)."""
        logits: Tensor = self.layers(hidden)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:
        """Return (batch, pieces) tags and weights."""
        values = torch.full((len(rows), length), IGNORED)
        for at, row in enumerate(rows):
            spans = gold(row)
            if spans is None or (self.options.slanted_only and not spans):
                continue
            values[at, : len(row.ids)] = torch.tensor(tags(row.text, row.offsets, spans))
        trust = torch.tensor([row.sample.part.trust for row in rows]).unsqueeze(1)
        weights = (values != IGNORED).float() * trust
        return Target(values, torch.where(values > OUTSIDE, weights * self.options.marked, weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy over the words of texts that were marked."""
        return choice_loss(logits, target)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Cross-entropy against the teacher's tags."""
        return soft_choice_loss(logits, teacher, temperature)

    def decide(self, outputs: Sequence[Tensor], rows: Sequence[Row]) -> dict[str, Any]:
        """Choose the way of reading spans at which exact and overlap F1 together are best."""
        if not any(gold(row) for row in rows):
            return {}
        ways = [{"threshold": one, "whole": whole} for one in _THRESHOLDS for whole in (False, True)]
        best = _best(ways, outputs, rows)
        grown = [best | {"grow": round(best["threshold"] * share, 4)} for share in _GROWN]
        return _best([best, *grown], outputs, rows)

    def measure(
        self, outputs: Sequence[Tensor], rows: Sequence[Row], decision: Mapping[str, Any]
    ) -> dict[str, float]:
        """Exact and overlap F1."""
        if not any(gold(row) for row in rows):
            return {}
        exact, overlap = _scores(outputs, rows, decision)
        return {"exact_f1": exact, "overlap_f1": overlap}


def gold(row: Row) -> list[Span] | None:
    """Return the marked spans; None where the corpus does not mark."""
    marked = row.sample.example.spans
    if marked is None or not row.sample.teaches("spans"):
        return None
    return [one.span for one in marked]


def _best(ways: Sequence[dict[str, Any]], outputs: Sequence[Tensor], rows: Sequence[Row]) -> dict[str, Any]:
    """Return the best way; among equals the one nearest to even odds, then the first."""
    scores = [sum(_scores(outputs, rows, way)) for way in ways]
    return max(
        zip(scores, ways, strict=True), key=lambda scored: (scored[0], -abs(scored[1]["threshold"] - 0.5))
    )[1]


def _scores(
    outputs: Sequence[Tensor], rows: Sequence[Row], decision: Mapping[str, Any]
) -> tuple[float, float]:
    truth, guess = [], []
    for output, row in zip(outputs, rows, strict=True):
        spans = gold(row)
        if spans is not None:
            chances = torch.softmax(output, dim=-1).tolist()
            truth.append(spans)
            guess.append(decode_scores(row.text, row.offsets, chances, decision))
    return span_f1(truth, guess)
