"""The heads: what each answers, what it learns from, and how well it does.

A head is a ``torch`` module with a few more methods (:class:`Head`). The training loop knows no head by name: a new
type is a class and a line in the register.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

from torch import Tensor, nn

from unslant.core.errors import UnknownName
from unslant.lab.detector.losses import Target
from unslant.lab.detector.recipe import HeadPlan, build
from unslant.lab.detector.rows import Row, Sample
from unslant.neural.decoder import Prediction

__all__ = ["DecodedRow", "Head", "fit_head", "head_types", "make_head", "register", "tower"]

_TYPES = {
    "sentence": "unslant.lab.detector.head_sentence:SentenceHead",
    "spans": "unslant.lab.detector.head_spans:SpanHead",
    "kinds": "unslant.lab.detector.head_kinds:KindsHead",
    "span_kinds": "unslant.lab.detector.head_kinds:SpanKindsHead",
    "dimension": "unslant.lab.detector.head_choice:DimensionHead",
    "opinion": "unslant.lab.detector.head_choice:OpinionHead",
    "edits": "unslant.lab.detector.head_edits:EditHead",
}


@dataclass(frozen=True, slots=True)
class DecodedRow:
    """A labelled row with what the network predicts for it."""

    row: Row
    prediction: Prediction
    """Decoded as the product does, with this head among those that answer."""
    output: Tensor
    """The head's own logits."""


class Head(Protocol):
    """What the loop asks of a head."""

    Options: ClassVar[type]
    """Frozen settings; a recipe's ``options`` are read into them."""
    level: ClassVar[Literal["text", "subword"]]
    """Whether it judges the whole text or each subword."""
    labels: tuple[str, ...]
    """The names of its outputs, in order; of the class, or learned from the data of a recipe (see ``fit``)."""
    exclusive: ClassVar[bool]
    """Whether exactly one of the names is right, or each may be right or wrong by itself."""

    def __call__(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        """Turn (batch, subwords, width) and (batch, width) into logits."""
        ...

    def targets(self, rows: Sequence[Row], length: int) -> Target:
        """Return labels and weights, padded to ``length`` subwords where it judges subwords."""
        ...

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Return the mean loss over what is labelled."""
        ...

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Return the loss against a teacher's logits."""
        ...

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[Row], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose thresholds and calibration on development data; empty where nothing is labelled.

        ``gates`` holds, for each row, the probability of the sentence head that gates this one, if any does.
        """
        ...

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return figures on labelled data, 1 the best; empty where nothing is labelled."""
        ...


def register(name: str, target: str) -> None:
    """Add a type of head: ``target`` is ``"module:Class"``, imported when a recipe names it."""
    _TYPES[name] = target


def head_types() -> tuple[str, ...]:
    """Return the known types, sorted."""
    return tuple(sorted(_TYPES))


def make_head(plan: HeadPlan, width: int, dropout: float) -> Any:
    """Build the module that a plan asks for."""
    return _class(plan)(_options(plan), width, dropout)


def fit_head(plan: HeadPlan, samples: Callable[[], Sequence[Sample]]) -> HeadPlan:
    """Return the plan with the options that its type of head learns before training, such as a vocabulary.

    A type that learns some has a class method ``fit(options, samples)``; ``samples`` is not asked for others.
    """
    fit = getattr(_class(plan), "fit", None)
    if fit is None:
        return plan
    # through JSON, as a saved network has it
    fitted = json.loads(json.dumps(asdict(fit(_options(plan), samples()))))
    return replace(plan, options=fitted)


def _class(plan: HeadPlan) -> Any:
    if plan.type not in _TYPES:
        raise UnknownName("type of head", plan.type, _TYPES)
    module, _, name = _TYPES[plan.type].partition(":")
    return getattr(importlib.import_module(module), name)


def _options(plan: HeadPlan) -> Any:
    return build(_class(plan).Options, plan.options, f"options of the head {plan.type!r}")


def tower(width: int, outputs: int, hidden: int, dropout: float) -> nn.Sequential:
    """Return the layers of a head: a linear one, or two with a bend between."""
    if not hidden:
        return nn.Sequential(nn.Dropout(dropout), nn.Linear(width, outputs))
    return nn.Sequential(
        nn.Dropout(dropout),
        nn.Linear(width, hidden),
        nn.GELU(),
        nn.Dropout(dropout),
        nn.Linear(hidden, outputs),
    )
