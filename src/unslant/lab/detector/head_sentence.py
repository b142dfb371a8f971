"""The head that says how likely a text is slanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from unslant.core.example import Example
from unslant.lab.detector.calibrate import calibration_error, fit_platt
from unslant.lab.detector.heads import DecodedRow, tower
from unslant.lab.detector.losses import Target, soft_yes_no_loss, yes_no_loss
from unslant.lab.detector.rows import Row
from unslant.lab.detector.scores import macro_f1

__all__ = ["SentenceHead"]


@dataclass(frozen=True, slots=True)
class _SentenceHeadOptions:
    soft: float = 0.0
    """How much the share of annotators counts beside their majority: 0 only the majority, 1 only the share."""
    positive: float = 1.0
    """How much a slanted text counts."""
    negative: float = 1.0
    """How much a neutral text counts."""
    smoothing: float = 0.0
    """How far a hard label is moved towards one half."""
    hidden: int = 0
    """The width of a layer in between; 0: none."""


class SentenceHead(nn.Module):
    """One logit a text."""

    Options = _SentenceHeadOptions
    level: ClassVar[Literal["text", "subword"]] = "text"
    labels: ClassVar[tuple[str, ...]] = ("slanted",)
    exclusive: ClassVar[bool] = False

    def __init__(self, options: _SentenceHeadOptions, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, 1, options.hidden, dropout)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch,)."""
        logits: Tensor = self.layers(pooled).squeeze(-1)
        return logits

    def wanted(self, example: Example) -> float | None:
        """Return the probability to learn; None where nobody has judged."""
        soft = self.options.soft
        if example.label is None:
            return example.share if soft else None
        hard = self.options.smoothing / 2 + float(example.label) * (1 - self.options.smoothing)
        return hard if example.share is None else (1 - soft) * hard + soft * example.share

    def targets(self, rows: Sequence[Row], length: int) -> Target:  # noqa: ARG002
        """Return (batch,) probabilities and weights."""
        values, weights = [], []
        for row in rows:
            wanted = self.wanted(row.sample.example) if row.sample.teaches("sentence") else None
            values.append(wanted or 0.0)
            side = self.options.positive if (wanted or 0.0) >= 0.5 else self.options.negative
            weights.append(0.0 if wanted is None else side * row.sample.part.trust)
        return Target(torch.tensor(values), torch.tensor(weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy against hard or soft labels."""
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
        """Fit scale and offset of the logit, so that probabilities are shares."""
        judged = [(float(output), row) for output, row in zip(outputs, rows, strict=True) if _is_judged(row)]
        logits = [logit for logit, _ in judged]
        labels = [bool(row.sample.example.label) for _, row in judged]
        if len(set(labels)) < 2:
            return {}
        scale, offset = fit_platt(logits, labels)
        return {"scale": scale, "offset": offset, "threshold": 0.5}

    def measure(
        self,
        decoded: Sequence[DecodedRow],
        decision: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, float]:
        """Macro-F1, accuracy, calibration, and how often a source scores above its target."""
        judged = [one for one in decoded if _is_judged(one.row)]
        if not judged:
            return {}
        labels = [bool(one.row.sample.example.label) for one in judged]
        guesses = [one.prediction.slanted for one in judged]
        found = {
            "macro_f1": macro_f1([int(label) for label in labels], [int(guess) for guess in guesses]),
            "accuracy": sum(a == b for a, b in zip(labels, guesses, strict=True)) / len(labels),
            "calibrated": 1 - calibration_error([one.prediction.score for one in judged], labels),
        }
        pairs = _pairs(decoded)
        if pairs:
            found["pairwise"] = sum(source > target for source, target in pairs) / len(pairs)
        return found


def _is_judged(row: Row) -> bool:
    return row.sample.example.label is not None and row.sample.teaches("sentence")


def _pairs(decoded: Sequence[DecodedRow]) -> list[tuple[float, float]]:
    """Scores of the two sides of each pair whose source was judged slanted."""
    sides: dict[tuple[str, str], dict[str, float]] = {}
    slanted: set[tuple[str, str]] = set()
    for one in decoded:
        example = one.row.sample.example
        if example.pair is not None and example.side is not None and one.row.sample.teaches("sentence"):
            score = one.prediction.score
            sides.setdefault((example.source, example.pair), {})[example.side] = score
            if example.side == "source" and example.label:
                slanted.add((example.source, example.pair))
    return [
        (found["source"], found["target"])
        for pair, found in sides.items()
        if pair in slanted and len(found) == 2
    ]
