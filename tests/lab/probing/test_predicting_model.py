"""A model that is not prompted answers the same questions with its predictions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.probing.items import ProbeItem, ProbeItems
from unslant.lab.probing.probe import answer_items
from unslant.neural.decoder import PredictedSpan, Prediction


class Fixed:
    """Predicts the same for every text and remembers which corpus was named."""

    name = "fixed"

    def __init__(self, prediction: Prediction, *answers: str) -> None:
        self.answers = frozenset(answers)
        self.corpora: list[str] = []
        self._prediction = prediction

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        self.corpora.append(corpus)
        return [self._prediction for _ in texts]


def items(task: str) -> ProbeItems:
    evaluated = (
        ProbeItem("cad:1", "an awful, silly town", ("yes",)),
        ProbeItem("babe/sg2:2", "a b", ("no",)),
    )
    return ProbeItems(task, evaluated, (), ("cad",), None, False)


def test_a_verdict_is_yes_or_no_with_its_probability() -> None:
    model = Fixed(Prediction(slanted=True, probability=0.8), "sentence")
    records = answer_items(model, items("diagnosis"))
    assert [(record.item, record.answer.text, record.answer.probability) for record in records] == [
        ("cad:1", "yes", 0.8),
        ("babe/sg2:2", "yes", 0.8),
    ]
    assert model.corpora == ["cad", "babe/sg2"]


def test_the_longest_of_several_spans_answers_and_no_span_is_an_empty_answer() -> None:
    spans = (PredictedSpan(Span(3, 8)), PredictedSpan(Span(10, 20)))
    first, *_ = answer_items(Fixed(Prediction(spans=spans), "spans"), items("extraction"))
    assert (first.answer.text, first.answer.span) == ("silly town", Span(10, 20))
    first, *_ = answer_items(Fixed(Prediction(), "spans"), items("extraction"))
    assert first.answer.text == ""


def test_a_model_that_does_not_predict_what_a_task_needs_is_refused() -> None:
    with pytest.raises(ConfigError, match="fixed: does not answer 'identification'"):
        answer_items(Fixed(Prediction(), "sentence"), items("identification"))
