"""Reading together gives what reading alone gives."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import torch

from unslant.lab.probing.constraints import AnswerTrie, DecodingRequest, DocumentSpans
from unslant.lab.probing.generator import PackedGenerator

from .tiny_models import tiny_model

pytestmark = pytest.mark.torch


def _requests(count: int = 14, vocabulary: int = 400) -> list[DecodingRequest]:
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
        DecodingRequest(
            prompt, constraints[at % 3], max_tokens=6, temperature=0.7 * (at % 2), top_k=20, seed=str(at)
        )
        for at, prompt in enumerate(prompts)
    ]


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma"])
def test_packed_answers_are_those_of_single_prompts(family: str) -> None:
    model = tiny_model(family)
    packed, plain = PackedGenerator(model, [0]), PackedGenerator(model, [0], packed=False)
    assert packed.packed
    requests = _requests()
    together, alone = packed.generate(requests), plain.generate(requests)
    for answer, other in zip(together, alone, strict=True):
        assert (answer.tokens, answer.state, answer.ended) == (other.tokens, other.state, other.ended)
        assert answer.probability == pytest.approx(other.probability, abs=1e-4)
        assert answer.first == pytest.approx(other.first, abs=1e-4)
    assert packed.tokens_read < plain.tokens_read / 2


def test_half_precision_is_packed_but_a_model_that_ignores_the_mask_is_not() -> None:
    model = copy.deepcopy(tiny_model()).to(torch.bfloat16)
    assert PackedGenerator(model, [0]).packed
    whole = model.forward

    def blind(input_ids: torch.Tensor, position_ids: torch.Tensor | None = None, **given: Any) -> Any:
        return whole(input_ids=input_ids, position_ids=position_ids, **{**given, "attention_mask": None})

    model.forward = blind
    assert not PackedGenerator(model, [0]).packed


def test_prompts_longer_than_a_sliding_window_are_read_one_by_one() -> None:
    model = tiny_model("gemma")
    requests = [
        DecodingRequest([3 + (at * step) % 390 for at in range(100)], max_tokens=4) for step in (7, 11)
    ]
    packed, plain = PackedGenerator(model, [0]), PackedGenerator(model, [0], packed=False)
    assert [answer.tokens for answer in packed.generate(requests)] == [
        answer.tokens for answer in plain.generate(requests)
    ]
    assert packed.packed  # shorter prompts are packed again


def test_an_answer_does_not_depend_on_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model()
    requests = _requests()
    together = [completion.tokens for completion in PackedGenerator(model, [0]).generate(requests)]
    assert [PackedGenerator(model, [0]).generate([request])[0].tokens for request in requests] == together
    # small groups hand what they have read on to the next
    monkeypatch.setattr("unslant.lab.probing.generator._BUDGET", 8)
    monkeypatch.setattr("unslant.lab.probing.generator._CHUNK", 5)
    assert [completion.tokens for completion in PackedGenerator(model, [0]).generate(requests)] == together
    assert [
        completion.tokens for completion in PackedGenerator(model, [0]).generate(requests[::-1])
    ] == together[::-1]


def test_the_first_choice_has_the_models_own_probabilities() -> None:
    model = tiny_model()
    prompt = [3, 4, 5, 6]
    (completion,) = PackedGenerator(model, [0]).generate(
        [DecodingRequest(prompt, AnswerTrie({"yes": [7], "no": [8]}))]
    )
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([prompt])).logits[0, -1]
    wanted = torch.softmax(logits[[7, 8]], 0).tolist()
    assert completion.first == pytest.approx({7: wanted[0], 8: wanted[1]}, abs=1e-5)
    assert completion.probability == pytest.approx(max(wanted), abs=1e-5)


def test_what_is_certain_is_not_asked() -> None:
    reader = PackedGenerator(tiny_model(), [0])
    before = reader.tokens_read
    (completion,) = reader.generate([DecodingRequest([3, 4], AnswerTrie({"only": [5, 6, 7]}))])
    assert (completion.tokens, completion.ended, completion.probability) == ([5, 6, 7], True, 1.0)
    assert reader.tokens_read == before


def test_a_model_with_windows_of_its_own_reads_prompt_by_prompt_and_still_answers() -> None:
    reader = PackedGenerator(tiny_model("gpt-neo"), [0])
    requests = _requests(6)
    plain = PackedGenerator(tiny_model("gpt-neo"), [0], packed=False)
    assert [completion.tokens for completion in reader.generate(requests)] == [
        completion.tokens for completion in plain.generate(requests)
    ]


def test_groups_are_reported_as_they_are_done() -> None:
    heard: list[int] = []
    requests = _requests()
    found = PackedGenerator(tiny_model(), [0]).generate(requests, lambda places, _: heard.extend(places))
    assert sorted(heard) == list(range(len(requests)))
    assert len(found) == len(requests)
    assert PackedGenerator(tiny_model(), [0]).generate([]) == []
