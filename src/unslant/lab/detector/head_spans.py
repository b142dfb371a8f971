"""The head that marks the words that slant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn

from unslant.core.types import Span
from unslant.lab.detector.heads import DecodedRow, tower
from unslant.lab.detector.losses import Target, choice_loss, soft_choice_loss
from unslant.lab.detector.rows import Row
from unslant.lab.detector.scores import span_f1
from unslant.neural.decoder import PredictedSpan, decode_span_head, merge_spans
from unslant.neural.subwords import IGNORED, OUTSIDE, TAGS, find_words, tag_subwords

__all__ = ["SpanHead", "gold"]

_THRESHOLDS = [step / 20 for step in range(4, 17)]
_GROWN = (0.9, 0.8, 0.7, 0.6)
"""How much less it takes, as a share of the threshold, to be marked beside a marked word."""


@dataclass(frozen=True, slots=True)
class _SpanHeadOptions:
    marked: float = 1.0
    """How much a marked word counts beside an unmarked one."""
    slanted_only: bool = False
    """Whether only texts with a mark teach it."""
    hidden: int = 0
    """The width of a layer in between; 0: none."""


class SpanHead(nn.Module):
    """Begin, inside or outside, for the first subword of each word."""

    Options = _SpanHeadOptions
    level: ClassVar[Literal["text", "subword"]] = "subword"
    labels: ClassVar[tuple[str, ...]] = TAGS
    exclusive: ClassVar[bool] = True

    def __init__(self, options: _SpanHeadOptions, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, len(TAGS), options.hidden, dropout)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, subwords, 3)."""
        logits: Tensor = self.layers(hidden)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:
        """Return (batch, subwords) tags and weights."""
        values = torch.full((len(rows), length), IGNORED)
        for at, row in enumerate(rows):
            spans = gold(row)
            if spans is None or (self.options.slanted_only and not spans):
                continue
            values[at, : len(row.ids)] = torch.tensor(tag_subwords(row.text, row.offsets, spans))
        trust = torch.tensor([row.sample.part.trust for row in rows]).unsqueeze(1)
        weights = (values != IGNORED).float() * trust
        return Target(values, torch.where(values > OUTSIDE, weights * self.options.marked, weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy over the words of texts that were marked."""
        return choice_loss(logits, target)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Cross-entropy against the teacher's tags."""
        return soft_choice_loss(logits, teacher, temperature)

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[Row], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose the decision at which exact and overlap F1 together are best, behind the gate that the product has."""
        if not any(gold(row) for row in rows):
            return {}
        tagged = [
            _tagged(output, row, spans, gate)
            for output, row, gate in zip(outputs, rows, gates or [None] * len(rows), strict=True)
            if (spans := gold(row)) is not None
        ]
        decisions = [{"threshold": one, "whole": whole} for one in _THRESHOLDS for whole in (False, True)]
        best = _best(decisions, tagged)
        grown = [best | {"grow": round(best["threshold"] * share, 4)} for share in _GROWN]
        return _best([best, *grown], tagged)

    def measure(
        self,
        decoded: Sequence[DecodedRow],
        decision: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, float]:
        """Exact and overlap F1."""
        marked = [(spans, one.prediction.spans) for one in decoded if (spans := gold(one.row)) is not None]
        if not any(spans for spans, _ in marked):
            return {}
        exact, overlap = span_f1(
            [spans for spans, _ in marked], [[one.span for one in predicted] for _, predicted in marked]
        )
        return {"exact_f1": exact, "overlap_f1": overlap}


class _Tagged(NamedTuple):
    """A row with the probabilities of its words' tags."""

    text: str
    words: list[Span]
    probabilities: list[list[float]]
    gate: float | None
    gold: list[Span]


def gold(row: Row) -> list[Span] | None:
    """Return the marked spans; None where the corpus does not mark."""
    marked = row.sample.example.spans
    if marked is None or not row.sample.teaches("spans"):
        return None
    return [one.span for one in marked]


def _tagged(output: Tensor, row: Row, spans: list[Span], gate: float | None) -> _Tagged:
    words = find_words(row.text, row.offsets)
    probabilities = torch.softmax(output, dim=-1).tolist()
    return _Tagged(
        row.text, [word for _, word in words], [probabilities[index] for index, _ in words], gate, spans
    )


def _best(decisions: Sequence[dict[str, Any]], tagged: Sequence[_Tagged]) -> dict[str, Any]:
    """Return the best decision; among equals the one nearest to even odds, then the first."""
    gold_spans = [one.gold for one in tagged]
    scores = [sum(span_f1(gold_spans, [_decode(one, decision) for one in tagged])) for decision in decisions]
    return max(
        zip(scores, decisions, strict=True),
        key=lambda scored: (scored[0], -abs(scored[1]["threshold"] - 0.5)),
    )[1]


def _decode(tagged: _Tagged, decision: Mapping[str, Any]) -> list[Span]:
    found = decode_span_head(tagged.text, tagged.words, tagged.probabilities, decision, gate=tagged.gate)
    merged = merge_spans(tagged.text, [PredictedSpan(span, None, chance) for span, chance in found])
    return [one.span for one in merged]
