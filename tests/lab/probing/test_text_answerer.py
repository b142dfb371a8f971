"""A model that only writes is believed as far as its answers fit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unslant.core.errors import ConfigError, ModelError
from unslant.core.generation import Generation, Sampling
from unslant.core.types import Span
from unslant.lab.lm import open_model
from unslant.lab.probing.answerers import TextAnswerer, open_answerer
from unslant.lab.probing.descriptions import ProbeAnswer, ProbeQuestion


class Parrot:
    """Says always the same, and scores nothing."""

    name = "parrot"

    def __init__(self, said: str) -> None:
        self._said = said

    def digest(self) -> str:
        return "parrot"

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        assert sampling.max_tokens > 0
        return [
            Generation(prompt, self._said, seed, 1, "end")
            for prompt, seed in zip(prompts, seeds, strict=True)
        ]

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        raise ModelError(f"does not score {len(prompts)} {len(continuations)} {chat}")


def _asked(said: str, task: str, decoding: str, document: str = "the awful council met") -> ProbeAnswer:
    (answer,) = TextAnswerer(Parrot(said)).answer([ProbeQuestion(task, "p", document, " ", decoding)])
    return answer


@pytest.mark.parametrize(
    ("said", "text"), [(" Yes", "yes"), ("No.", "no"), ("yes, it is", "yes"), ("NO\nmore", "no")]
)
def test_yes_and_no_are_understood(said: str, text: str) -> None:
    assert _asked(said, "diagnosis", "choice") == ProbeAnswer(text)


@pytest.mark.parametrize("said", ["", "Maybe", "No idea", "Yesterday", "I cannot say yes", "\n"])
def test_anything_else_is_set_aside(said: str) -> None:
    assert not _asked(said, "diagnosis", "choice").valid


def test_a_dimension_must_be_one_to_the_letter() -> None:
    assert _asked(" Political affiliation.", "identification", "choice").text == "political affiliation"
    assert _asked("perceived negative groups", "identification", "choice").text == "perceived negative group"
    assert not _asked("politics", "identification", "choice").valid
    assert not _asked("gender and race", "identification", "choice").valid


def test_a_span_must_stand_in_the_document_to_the_letter() -> None:
    assert _asked("awful council", "extraction", "span") == ProbeAnswer("awful council", None, Span(4, 17))
    assert _asked(' "awful"', "extraction", "span").span == Span(4, 9)
    for said in ("Awful", "awful  council", "awful the", "", '""'):
        assert not _asked(said, "extraction", "span").valid


def test_free_words_are_taken_as_they_are() -> None:
    assert _asked(" the council met\nand so on", "rephrasing", "unconstrained") == ProbeAnswer(
        "the council met"
    )
    assert not _asked(" ", "rephrasing", "unconstrained").valid
    with pytest.raises(ConfigError, match="use --decoding span"):
        _asked("x", "extraction", "constrained")


def test_a_model_that_scores_is_asked_for_probabilities() -> None:
    answerer = open_answerer(open_model("mock:probe"))
    assert isinstance(answerer, TextAnswerer)
    yes, dimension = answerer.answer(
        [
            ProbeQuestion("diagnosis", "p", "the council met", " ", "choice"),
            ProbeQuestion("identification", "p", "the council met", " ", "choice"),
        ]
    )
    assert yes.probability is not None
    assert (yes.text == "yes") == (yes.probability > 0.5)
    assert 0 < (dimension.probability or 0) < 1
    assert answerer.context_length is None
