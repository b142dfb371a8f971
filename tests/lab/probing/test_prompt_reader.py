"""Reading together gives what reading alone gives."""

from __future__ import annotations

import random

import pytest
import torch

from unslant.lab.probing.constraints import AnswerTrie, DocumentSpans
from unslant.lab.probing.reading import PromptReader
from unslant.lab.probing.requests import Request

from .tiny_models import tiny_model

pytestmark = pytest.mark.torch


def _requests(count: int = 14, vocabulary: int = 400) -> list[Request]:
    """Prompts that share beginnings of different lengths, one of them the beginning of another."""
    rng = random.Random(3)
    shared = [rng.randrange(3, vocabulary) for _ in range(40)]
    prompts = [
        shared[: rng.randrange(5, 40)] + [rng.randrange(3, vocabulary) for _ in range(rng.randrange(9))]
        for _ in range(count)
    ]
    prompts.append(prompts[0][:3])
    document = [rng.randrange(3, 40) for _ in range(12)]
    constraints = [
        None,
        DocumentSpans(document),
        AnswerTrie({"a": [5, 6, 7], "b": [5, 6, 8], "c": [9]}),
    ]
    return [
        Request(prompt, constraints[at % 3], longest=6, temperature=0.7 * (at % 2), top_k=20, seed=str(at))
        for at, prompt in enumerate(prompts)
    ]


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_packed_answers_are_those_of_single_prompts(family: str) -> None:
    model = tiny_model(family)
    packed, plain = PromptReader(model, [0]), PromptReader(model, [0], packed=False)
    assert packed.packed
    requests = _requests()
    together, alone = packed.write(requests), plain.write(requests)
    for one, other in zip(together, alone, strict=True):
        assert (one.tokens, one.state, one.ended) == (other.tokens, other.state, other.ended)
        assert one.probability == pytest.approx(other.probability, abs=1e-4)
        assert one.first == pytest.approx(other.first, abs=1e-4)
    assert packed.tokens_read < plain.tokens_read / 2


def test_an_answer_does_not_depend_on_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    requests = _requests()
    together = [one.tokens for one in PromptReader(model, [0]).write(requests)]
    assert [PromptReader(model, [0]).write([one])[0].tokens for one in requests] == together
    # small groups hand what they have read on to the next
    monkeypatch.setattr("unslant.lab.probing.reading._BUDGET", 8)
    monkeypatch.setattr("unslant.lab.probing.reading._PIECE", 5)
    assert [one.tokens for one in PromptReader(model, [0]).write(requests)] == together
    assert [one.tokens for one in PromptReader(model, [0]).write(requests[::-1])] == together[::-1]


def test_the_first_choice_has_the_models_own_probabilities() -> None:
    model = tiny_model()
    prompt = [3, 4, 5, 6]
    (written,) = PromptReader(model, [0]).write([Request(prompt, AnswerTrie({"yes": [7], "no": [8]}))])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([prompt])).logits[0, -1]
    wanted = torch.softmax(logits[[7, 8]], 0).tolist()
    assert written.first == pytest.approx({7: wanted[0], 8: wanted[1]}, abs=1e-5)
    assert written.probability == pytest.approx(max(wanted), abs=1e-5)


def test_what_is_certain_is_not_asked() -> None:
    reader = PromptReader(tiny_model(), [0])
    before = reader.tokens_read
    (written,) = reader.write([Request([3, 4], AnswerTrie({"only": [5, 6, 7]}))])
    assert (written.tokens, written.ended, written.probability) == ([5, 6, 7], True, 1.0)
    assert reader.tokens_read == before


def test_a_model_with_windows_of_its_own_reads_prompt_by_prompt_and_still_answers() -> None:
    reader = PromptReader(tiny_model("gpt-neo"), [0])
    requests = _requests(6)
    plain = PromptReader(tiny_model("gpt-neo"), [0], packed=False)
    assert [one.tokens for one in reader.write(requests)] == [one.tokens for one in plain.write(requests)]


def test_groups_are_told_as_they_are_done() -> None:
    heard: list[int] = []
    requests = _requests()
    found = PromptReader(tiny_model(), [0]).write(requests, lambda places, _: heard.extend(places))
    assert sorted(heard) == list(range(len(requests)))
    assert len(found) == len(requests)
    assert PromptReader(tiny_model(), [0]).write([]) == []
