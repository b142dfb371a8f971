"""The probing tasks for models that are not prompted: our own encoder, or the rules.

Predictions come from the product's decoder, like those of ``unslant check`` and ``unslant evaluate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unslant.core.errors import ConfigError
from unslant.lab.probing.descriptions import Description
from unslant.lab.probing.items import ProbeItem, ProbeItems
from unslant.lab.probing.prompts import ProbeAnswer
from unslant.lab.probing.runs import AnswerRecord
from unslant.neural.decoder import Prediction

__all__ = ["NEEDS", "PredictingModel", "answer_items", "encoder_description"]

_STEP = 256
NEEDS = {"diagnosis": "sentence", "identification": "dimension", "extraction": "spans"}
"""What a model has to predict to take part in a task."""


class PredictingModel(Protocol):
    """What is needed of a model."""

    @property
    def name(self) -> str:
        """The name beside its figures."""
        ...

    @property
    def answers(self) -> frozenset[str]:
        """What it predicts."""
        ...

    def predict(self, texts: Sequence[str], corpus: str = "") -> Sequence[Prediction]:
        """Return one prediction per text, in order."""
        ...


def encoder_description(task: str) -> Description:
    """Return the placeholder for a task description: this model reads none."""
    return Description(task, "model", 1, "")


def answer_items(model: PredictingModel, items: ProbeItems) -> list[AnswerRecord]:
    """Return a model's predictions as answers to the questions that language models are asked."""
    need = NEEDS.get(items.task)
    if need is None or need not in model.answers:
        raise ConfigError(f"{model.name}: does not answer {items.task!r}; leave it out of --task")
    found: list[AnswerRecord] = []
    name = encoder_description(items.task).id
    for start in range(0, len(items.evaluated), _STEP):
        some = items.evaluated[start : start + _STEP]
        for corpus in dict.fromkeys(_corpus(item) for item in some):
            own = [item for item in some if _corpus(item) == corpus]
            predictions = model.predict([item.text for item in own], corpus)
            found += [
                AnswerRecord(name, 0, 0, item.id, _answer(items.task, item, prediction))
                for item, prediction in zip(own, predictions, strict=True)
            ]
    return found


def _corpus(item: ProbeItem) -> str:
    return item.id.partition(":")[0]


def _answer(task: str, item: ProbeItem, prediction: Prediction) -> ProbeAnswer:
    if task == "diagnosis":
        return ProbeAnswer("yes" if prediction.slanted else "no", prediction.probability)
    if task == "identification":
        return ProbeAnswer(prediction.dimension or "")
    if not prediction.spans:
        return ProbeAnswer("")
    # the question asks for one span: the longest counts
    span = max((predicted.span for predicted in prediction.spans), key=len)
    return ProbeAnswer(item.text[span.start : span.end], None, span)
