"""The protocol and the registry of heads, and their losses.

A head is a ``torch`` module like :class:`LayeredHead`, with ``targets`` and ``measure`` of its own. The training loop
knows no head by name: a new type is a class and an entry in the registry.

A loss takes weights of the same shape as the labels, with 0 for items without a label. Without any label, the loss and
its gradient are 0.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.errors import UnknownName
from unslant.lab.detector.recipe import HeadPlan, build

if TYPE_CHECKING:
    from unslant.lab.detector.rows import EncodedRow, TrainingSample
    from unslant.neural.decoder import Prediction


class Target(NamedTuple):
    """The labels of a head and their weights."""

    values: Tensor
    weights: Tensor


def _mean(losses: Tensor, weights: Tensor) -> Tensor:
    # Divide by the number of labels, not by the sum of weights: a text with half the weight has half the gradient.
    return (losses * weights).sum() / (weights > 0).sum().clamp(min=1)


def yes_no_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the binary cross-entropy of independent labels, each between 0 and 1."""
    losses = functional.binary_cross_entropy_with_logits(logits, target.values, reduction="none")
    return _mean(losses, target.weights)


def choice_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the cross-entropy over the last axis; labels are class indices, and negative ones have weight 0."""
    classes = logits.shape[-1]
    losses = functional.cross_entropy(
        logits.reshape(-1, classes), target.values.reshape(-1).clamp(min=0), reduction="none"
    )
    return _mean(losses.view_as(target.weights), target.weights)


def distribution_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the cross-entropy over the last axis against probabilities, which are one-hot for hard labels."""
    losses = -(target.values * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return _mean(losses, target.weights)


def soft_yes_no_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Compute the binary cross-entropy against a teacher's logits; minimal if both agree."""
    wanted = torch.sigmoid(teacher.values / temperature)
    losses = functional.binary_cross_entropy_with_logits(logits / temperature, wanted, reduction="none")
    # A temperature shrinks gradients by its square (Hinton et al. 2015).
    return _mean(losses, teacher.weights) * temperature**2


def soft_choice_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Compute the cross-entropy against a teacher's distribution over the last axis; minimal if both agree."""
    wanted = torch.softmax(teacher.values / temperature, dim=-1)
    losses = -(wanted * torch.log_softmax(logits / temperature, dim=-1)).sum(dim=-1)
    return _mean(losses, teacher.weights) * temperature**2


def pair_loss(logits: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    """Rank each source above its target; ``sources`` and ``targets`` are rows of the batch."""
    if not len(sources):
        return logits.sum() * 0
    return functional.softplus(logits[targets] - logits[sources]).mean()


_TYPES = {
    "sentence": "unslant.lab.detector.text_heads:SentenceHead",
    "kinds": "unslant.lab.detector.text_heads:KindsHead",
    "dimension": "unslant.lab.detector.text_heads:DimensionHead",
    "opinion": "unslant.lab.detector.text_heads:OpinionHead",
    "spans": "unslant.lab.detector.span_heads:SpanHead",
    "span_kinds": "unslant.lab.detector.span_heads:SpanKindsHead",
    "technique": "unslant.lab.detector.span_heads:TechniqueHead",
    "edits": "unslant.lab.detector.edit_head:EditHead",
}


@dataclass(frozen=True, slots=True)
class DecodedRow:
    """A labelled row with what the network predicts for it."""

    row: EncodedRow
    prediction: Prediction
    """The prediction, decoded as in the product, with this head among the selected ones."""
    output: Tensor
    """The head's own logits."""


def register(name: str, target: str) -> None:
    """Register a head type; ``target`` is ``"module:Class"``, imported on first use."""
    _TYPES[name] = target


def head_types() -> tuple[str, ...]:
    """Return the known types, sorted."""
    return tuple(sorted(_TYPES))


def make_head(plan: HeadPlan, width: int, dropout: float) -> Any:
    """Build the module of a plan."""
    return _class(plan)(_options(plan), width, dropout)


def fit_head(plan: HeadPlan, samples: Callable[[], Sequence[TrainingSample]]) -> HeadPlan:
    """Return the plan with options fitted to the training data, such as a vocabulary.

    A type with such options has a class method ``fit(options, samples)``; ``samples`` is called only for these.
    """
    fit = getattr(_class(plan), "fit", None)
    if fit is None:
        return plan
    # through JSON, as in a saved network
    fitted = json.loads(json.dumps(asdict(fit(_options(plan), samples()))))
    return replace(plan, options=fitted)


def _class(plan: HeadPlan) -> Any:
    if plan.type not in _TYPES:
        raise UnknownName("head type", plan.type, _TYPES)
    module, _, name = _TYPES[plan.type].partition(":")
    return getattr(importlib.import_module(module), name)


def _options(plan: HeadPlan) -> Any:
    return build(_class(plan).Options, plan.options, f"options of the head {plan.type!r}")


def tower(width: int, outputs: int, hidden: int, dropout: float) -> nn.Sequential:
    """Return the layers of a head: one linear layer, or two with a GELU in between."""
    if not hidden:
        return nn.Sequential(nn.Dropout(dropout), nn.Linear(width, outputs))
    return nn.Sequential(
        nn.Dropout(dropout),
        nn.Linear(width, hidden),
        nn.GELU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, outputs),
    )


class LayeredHead(nn.Module):
    """A head of one or two layers; what the heads for texts and for subwords share."""

    Options: ClassVar[type]
    """The dataclass of the ``options`` in a recipe."""
    level: ClassVar[Literal["text", "subword"]] = "text"
    """Whether it labels the text or each subword."""
    labels: ClassVar[tuple[str, ...]]
    """The names of its outputs, in order."""
    exclusive: ClassVar[bool]
    """Whether the labels are exclusive or independent."""

    def __init__(self, options: Any, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.layers = tower(width, len(self.labels), options.hidden, dropout)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        """Return logits, (batch, labels) or (batch, subwords, labels); without the last axis for a single label."""
        logits: Tensor = self.layers(hidden if self.level == "subword" else pooled)
        return logits if len(self.labels) > 1 else logits.squeeze(-1)

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Return the cross-entropy against the labels."""
        return choice_loss(logits, target) if self.exclusive else yes_no_loss(logits, target)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Return the cross-entropy against the teacher."""
        loss = soft_choice_loss if self.exclusive else soft_yes_no_loss
        return loss(logits, teacher, temperature)

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[EncodedRow], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose thresholds and calibration on development data; by default none: the most probable label is taken.

        ``gates`` holds, for each row, the probability of the sentence head that gates this one, if any does.
        """
        return {}
