"""The heads that say how a text, and how each word of it, slants: any of three kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from unslant.core.example import Example
from unslant.core.taxonomy import kinds
from unslant.lab.detector.heads import DecodedRow, tower
from unslant.lab.detector.losses import Target, soft_yes_no_loss, yes_no_loss
from unslant.lab.detector.rows import Row
from unslant.lab.detector.scores import best_threshold, f1
from unslant.neural.subwords import find_words

__all__ = ["KindsHead", "SpanKindsHead"]


@dataclass(frozen=True, slots=True)
class _KindsHeadOptions:
    conditional: bool = False
    """Hierarchical: learns only from slanted texts; its probabilities are multiplied with the sentence head's."""
    rare: float = 1.0
    """How much a kind that is present counts beside one that is absent."""
    hidden: int = 0
    """The width of a layer in between; 0: none."""


class KindsHead(nn.Module):
    """Three logits a text."""

    Options = _KindsHeadOptions
    level: ClassVar[Literal["text", "subword"]] = "text"
    labels: ClassVar[tuple[str, ...]] = kinds()
    exclusive: ClassVar[bool] = False

    def __init__(self, options: _KindsHeadOptions, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, len(self.labels), options.hidden, dropout)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, 3)."""
        logits: Tensor = self.layers(pooled)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:  # noqa: ARG002
        """Return (batch, 3) labels and weights."""
        values, weights = torch.zeros(len(rows), 3), torch.zeros(len(rows), 3)
        for at, row in enumerate(rows):
            found = _kinds(row)
            if found is None or (self.options.conditional and not found):
                continue
            values[at] = torch.tensor([float(one in found) for one in self.labels])
            weights[at] = row.sample.part.trust
        return Target(values, torch.where(values > 0, weights * self.options.rare, weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy of three yes-or-no questions."""
        return yes_no_loss(logits, target)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Cross-entropy against the teacher."""
        return soft_yes_no_loss(logits, teacher, temperature)

    def decide(
        self,
        outputs: Sequence[Tensor],
        rows: Sequence[Row],
        gates: Sequence[float | None] = (),  # noqa: ARG002
    ) -> dict[str, Any]:
        """Choose, kind by kind, the threshold with the best F1."""
        judged = [
            (torch.sigmoid(output).tolist(), kinds)
            for output, row in zip(outputs, rows, strict=True)
            if (kinds := self._gold(row)) is not None
        ]
        chances, truth = [one for one, _ in judged], [kinds for _, kinds in judged]
        if not any(truth):
            return {}
        return {
            "thresholds": {
                name: best_threshold([name in one for one in truth], [one[at] for one in chances])
                for at, name in enumerate(self.labels)
                if any(name in one for one in truth)
            }
        }

    def _gold(self, row: Row) -> frozenset[str] | None:
        kinds = _kinds(row)
        return None if self.options.conditional and not kinds else kinds

    def measure(
        self,
        decoded: Sequence[DecodedRow],
        decision: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, float]:
        """The F1 of each kind that occurs, and their mean; of slanted texts only, if the head is conditional."""
        judged = [
            (kinds, one.prediction.kinds) for one in decoded if (kinds := self._gold(one.row)) is not None
        ]
        if not any(kinds for kinds, _ in judged):
            return {}
        scores: dict[str, float] = {}
        for name in self.labels:
            gold = [name in kinds for kinds, _ in judged]
            guess = [name in kinds for _, kinds in judged]
            if any(gold):
                scores[name] = f1(
                    sum(a and b for a, b in zip(gold, guess, strict=True)), sum(guess), sum(gold)
                )
        # Given that a text is slanted is an easier question, and must not be mistaken for the other.
        before = "slanted_" if self.options.conditional else ""
        scores = {"macro_f1": sum(scores.values()) / len(scores), **scores}
        return {f"{before}{name}": value for name, value in scores.items()}


class SpanKindsHead(KindsHead):
    """Three logits a subword, learned on the words of spans whose kind is known."""

    level: ClassVar[Literal["text", "subword"]] = "subword"

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, subwords, 3)."""
        logits: Tensor = self.layers(hidden)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:
        """Return (batch, subwords, 3) labels and weights."""
        values, weights = torch.zeros(len(rows), length, 3), torch.zeros(len(rows), length, 3)
        for at, row in enumerate(rows):
            for subword, kind in _span_kinds(row):
                values[at, subword] = torch.tensor([float(name == kind) for name in self.labels])
                weights[at, subword] = row.sample.part.trust
        return Target(values, torch.where(values > 0, weights * self.options.rare, weights))

    def decide(
        self,
        outputs: Sequence[Tensor],  # noqa: ARG002
        rows: Sequence[Row],  # noqa: ARG002
        gates: Sequence[float | None] = (),  # noqa: ARG002
    ) -> dict[str, Any]:
        """Choose nothing: the likeliest kind of a span is its kind."""
        return {}

    def measure(
        self,
        decoded: Sequence[DecodedRow],
        decision: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, float]:
        """The share of marked words whose likeliest kind is right."""
        hits = [
            self.labels[int(one.output[subword].argmax())] == kind
            for one in decoded
            for subword, kind in _span_kinds(one.row)
        ]
        return {"accuracy": sum(hits) / len(hits)} if hits else {}


def _assumed(example: Example, assumed: str | None) -> frozenset[str] | None:
    if example.kinds is not None:
        return example.kinds
    if assumed is None or example.label is None:
        return None
    return frozenset({assumed}) if example.label else frozenset()


def _kinds(row: Row) -> frozenset[str] | None:
    if not row.sample.teaches("kinds"):
        return None
    return _assumed(row.sample.example, row.sample.part.kind)


def _span_kinds(row: Row) -> list[tuple[int, str]]:
    if not row.sample.example.spans or not row.sample.teaches("span_kinds"):
        return []
    marked = [(one.span, one.kind or row.sample.part.kind) for one in row.sample.example.spans]
    found = []
    for subword, word in find_words(row.text, row.offsets):
        kind = next((kind for span, kind in marked if span.overlaps(word)), None)
        if kind is not None:
            found.append((subword, kind))
    return found
