"""The heads that choose one of several: against whom a text slants, and whether it is opinion or fact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from unslant.core.taxonomy import dimensions
from unslant.lab.detector.heads import DecodedRow, tower
from unslant.lab.detector.losses import Target, choice_loss, soft_choice_loss
from unslant.lab.detector.rows import Row
from unslant.lab.detector.scores import macro_f1
from unslant.neural.decoder import Prediction

__all__ = ["DimensionHead", "OpinionHead"]

_OPINIONS = {
    "Entirely factual": "factual",
    "Somewhat factual but also opinionated": "mixed",
    "Expresses writer\u2019s opinion": "opinion",
    "Expresses writer's opinion": "opinion",
}


@dataclass(frozen=True, slots=True)
class _ChoiceHeadOptions:
    hidden: int = 0
    """The width of a layer in between; 0: none."""


class _ChoiceHead(nn.Module, ABC):
    """One of several names a text."""

    Options = _ChoiceHeadOptions
    level: ClassVar[Literal["text", "subword"]] = "text"
    labels: ClassVar[tuple[str, ...]]
    exclusive: ClassVar[bool] = True

    def __init__(self, options: _ChoiceHeadOptions, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, len(self.labels), options.hidden, dropout)

    @abstractmethod
    def name(self, row: Row) -> str | None:
        """Return the right name; None where nobody has judged."""

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, names)."""
        logits: Tensor = self.layers(pooled)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:  # noqa: ARG002
        """Return (batch,) places in ``labels`` and weights."""
        names = [self.name(row) for row in rows]
        values = [0 if name is None else self.labels.index(name) for name in names]
        weights = [
            0.0 if name is None else row.sample.part.trust for name, row in zip(names, rows, strict=True)
        ]
        return Target(torch.tensor(values), torch.tensor(weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy of the choice."""
        return choice_loss(logits, target)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Cross-entropy against the teacher's distribution."""
        return soft_choice_loss(logits, teacher, temperature)

    @abstractmethod
    def predicted(self, prediction: Prediction) -> str | None:
        """Return the predicted name; None where none is likelier than all others together."""

    def decide(
        self,
        outputs: Sequence[Tensor],  # noqa: ARG002
        rows: Sequence[Row],  # noqa: ARG002
        gates: Sequence[float | None] = (),  # noqa: ARG002
    ) -> dict[str, Any]:
        """Choose nothing: this head has no thresholds."""
        return {}

    def measure(
        self,
        decoded: Sequence[DecodedRow],
        decision: Mapping[str, Any],  # noqa: ARG002
    ) -> dict[str, float]:
        """Macro-F1 over the names that occur."""
        named = [(name, self.predicted(one.prediction)) for one in decoded if (name := self.name(one.row))]
        if not named:
            return {}
        truth = [self.labels.index(name) for name, _ in named]
        guess = [self.labels.index(name) if name in self.labels else -1 for _, name in named]
        return {"macro_f1": macro_f1(truth, guess)}


class DimensionHead(_ChoiceHead):
    """Against whom a text slants, if against anybody."""

    labels: ClassVar[tuple[str, ...]] = ("none", *dimensions())

    def name(self, row: Row) -> str | None:
        """Return the dimension; none only where the recipe says that texts without one have none."""
        if not row.sample.teaches("dimension"):
            return None
        return row.sample.example.dimension or ("none" if row.sample.part.no_dimension else None)

    def predicted(self, prediction: Prediction) -> str | None:
        """Return the dimension; an unclear one counts as none."""
        return prediction.dimension or "none"


class OpinionHead(_ChoiceHead):
    """Whether a text states facts, opinion or both."""

    labels: ClassVar[tuple[str, ...]] = ("factual", "mixed", "opinion")

    def name(self, row: Row) -> str | None:
        """Return what annotators agreed on."""
        if not row.sample.teaches("opinion"):
            return None
        return _OPINIONS.get(str(row.sample.example.extra.get("opinion")))

    def predicted(self, prediction: Prediction) -> str | None:
        """Return the opinion, if it is clear."""
        return prediction.opinion
