"""The same evaluation for whatever judges sentences without being asked in words: our own encoder, or the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from unslant.core.errors import ConfigError
from unslant.core.example import LabelledSpan
from unslant.lab.probing.descriptions import Description
from unslant.lab.probing.items import ProbeItem, ProbeItems
from unslant.lab.probing.prompts import ProbeAnswer
from unslant.lab.probing.runs import AnswerRecord

__all__ = ["NEEDS", "AnalyzerModel", "encoder_description", "judge_items"]

_STEP = 256
NEEDS = {"diagnosis": "sentence", "identification": "dimension", "extraction": "spans"}
"""What a model has to judge to take part in a task."""


class Said(Protocol):
    """What is needed of a prediction."""

    @property
    def slanted(self) -> bool:
        """Whether the text is slanted."""
        ...

    @property
    def probability(self) -> float | None:
        """How likely it is."""
        ...

    @property
    def spans(self) -> tuple[LabelledSpan, ...]:
        """The words that slant."""
        ...

    @property
    def dimension(self) -> str | None:
        """Against whom."""
        ...


class AnalyzerModel(Protocol):
    """What is needed of a model."""

    @property
    def name(self) -> str:
        """What the figures are shown under."""
        ...

    @property
    def answers(self) -> frozenset[str]:
        """What it judges."""
        ...

    def predict(self, texts: Sequence[str], corpus: str = "") -> Sequence[Any]:
        """Return what it says of each text."""
        ...


def encoder_description(task: str) -> Description:
    """Return what stands in the place of a wording."""
    return Description(task, "model", 1, "")


def judge_items(model: AnalyzerModel, items: ProbeItems) -> list[AnswerRecord]:
    """Return what a model says of each text, as answers to the same questions."""
    need = NEEDS.get(items.task)
    if need is None or need not in model.answers:
        raise ConfigError(f"{model.name}: does not answer {items.task!r}; leave it out of --task")
    found: list[AnswerRecord] = []
    name = encoder_description(items.task).id
    for start in range(0, len(items.evaluated), _STEP):
        some = items.evaluated[start : start + _STEP]
        for corpus in dict.fromkeys(_corpus(item) for item in some):
            own = [item for item in some if _corpus(item) == corpus]
            said = model.predict([item.text for item in own], corpus)
            found += [
                AnswerRecord(name, 0, 0, item.id, _answer(items.task, item, one))
                for item, one in zip(own, said, strict=True)
            ]
    return found


def _corpus(item: ProbeItem) -> str:
    return item.id.partition(":")[0]


def _answer(task: str, item: ProbeItem, said: Said) -> ProbeAnswer:
    if task == "diagnosis":
        return ProbeAnswer("yes" if said.slanted else "no", said.probability)
    if task == "identification":
        return ProbeAnswer(said.dimension or "")
    if not said.spans:
        return ProbeAnswer("")
    # one stretch is asked for: the longest
    span = max((labelled.span for labelled in said.spans), key=len)
    return ProbeAnswer(item.text[span.start : span.end], None, span)
