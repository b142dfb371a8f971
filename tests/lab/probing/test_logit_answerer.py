"""A local model answers in form, whatever its tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import ModelError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.answerers import LogitAnswerer, open_answerer
from unslant.lab.probing.descriptions import (
    ProbeQuestion,
    answer_prefix,
    build_prompt,
    builtin_descriptions,
    select,
)
from unslant.lab.probing.items import MeanEmbedder, ProbeItem

from .tiny_models import tiny_lm
from .tiny_tokenizers import SORTS

pytestmark = pytest.mark.torch

ANSWERERS = {sort: LogitAnswerer(tiny_lm(sort)) for sort in SORTS}
TEXT = st.text(st.sampled_from("the council awful café zog 😀 — … ŵ日 "), min_size=1, max_size=40).filter(
    str.strip
)


def _question(task: str, text: str, decoding: str, name: str = "question", **more: str) -> ProbeQuestion:
    description = select(builtin_descriptions(), task, [name])[0]
    prompt = build_prompt(ProbeItem("1", text, ("yes",)), (), description)
    return ProbeQuestion(task, prompt, " ".join(text.split()), answer_prefix(description), decoding, **more)


@pytest.mark.parametrize("sort", SORTS)
@settings(max_examples=15, deadline=None)
@given(text=TEXT, seed=st.integers(0, 99))
def test_a_span_is_always_a_range_of_the_document(sort: str, text: str, seed: int) -> None:
    question = _question("extraction", text, "span", seed=str(seed))
    (answer,) = ANSWERERS[sort].answer([question])
    if answer.valid:
        assert answer.span is not None
        start, end = answer.span.start, answer.span.end
        assert question.document[start:end] == answer.text != ""
        assert answer.text == answer.text.strip()
    else:
        assert sort != "byte-level"  # the others may know no token of a text


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("name", ["question", "completion", "null"])
def test_a_dimension_is_always_one_of_the_eleven(sort: str, name: str) -> None:
    texts = ["the council met", "they say 12 zogs came", "naïve café"]
    answers = ANSWERERS[sort].answer([_question("identification", text, "choice", name) for text in texts])
    assert all(answer.text in dimensions() for answer in answers)
    assert all(0 < (answer.probability or 0) <= 1 for answer in answers)


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("name", ["question", "null"])
def test_yes_and_no_share_the_probability(sort: str, name: str) -> None:
    (answer,) = ANSWERERS[sort].answer([_question("diagnosis", "the council met", "choice", name)])
    assert answer.probability is not None
    assert (answer.text == "yes") == (answer.probability > 0.5)


def test_constrained_answers_have_only_tokens_of_the_document() -> None:
    answerer = ANSWERERS["wordpiece"]
    (answer,) = answerer.answer([_question("extraction", "the council met on monday", "constrained")])
    assert set(answer.text.split()) <= set("the council met on monday".split())
    (answer,) = answerer.answer([_question("rephrasing", "the council met", "unconstrained")])
    assert "\n" not in answer.text


def test_the_same_seed_says_the_same_and_others_differ() -> None:
    said = ["the awful council met on monday and praised the plan of the café"] * 6
    questions = [_question("extraction", text, "span", seed=str(at)) for at, text in enumerate(said)]
    first = [answer.text for answer in ANSWERERS["byte-level"].answer(questions)]
    assert first == [answer.text for answer in ANSWERERS["byte-level"].answer(questions)]
    assert len(set(first)) > 1


def test_a_model_without_a_chat_form_says_so() -> None:
    answerer = open_answerer(tiny_lm(), chat=True)
    with pytest.raises(ModelError, match="no chat template"):
        answerer.answer([_question("diagnosis", "the council met", "choice")])


def test_the_room_and_the_cost() -> None:
    answerer = LogitAnswerer(tiny_lm(room=128))
    assert answerer.context_length == 128
    shared = "the council met on monday "
    assert answerer.tokens_to_read([shared + "a", shared + "b"]) < answerer.count_tokens(shared + "a") + 3


def test_texts_become_vectors_of_length_1_whatever_stands_beside_them() -> None:
    model = tiny_lm()
    embedder = MeanEmbedder(model.model, model.tokenizer)
    texts = ["the council met", "a", "the awful council met on monday and praised the plan"]
    together = embedder.embed(texts)
    assert together.shape == (3, 32)
    for row, text in zip(together, texts, strict=True):
        assert (row**2).sum() == pytest.approx(1, abs=1e-4)
        assert embedder.embed([text])[0] == pytest.approx(row, abs=1e-4)
