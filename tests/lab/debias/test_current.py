"""Steering vectors, contrastive decoding and a system prompt, on tiny models; their equations by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch

import unslant
from tests.lab.lm.tiny import ARCHITECTURES, model, network, tokenizer
from unslant.core.errors import ConfigError, ModelError
from unslant.core.generation import Sampling
from unslant.lab.debias.contrast import ContrastiveModel
from unslant.lab.debias.model import PROMPT
from unslant.lab.debias.steering import layers_of, learn_vectors, steer_state, steered
from unslant.lab.lm.causal import CausalModel
from unslant.lab.lm.mock import MockModel

pytestmark = pytest.mark.torch

LEFT = ["the council said a road", "people vote in the town", "a river and a road"]
RIGHT = ["the town will vote", "a council and people", "the river said a town"]
PROMPTS = ["the council said", "a road and a river in the town will"]
SAMPLING = Sampling(max_tokens=10)


def test_the_equation_of_steering_by_hand() -> None:
    direction, midpoint = torch.tensor([0.6, 0.8]), torch.tensor([1.0, 1.0])
    state = torch.tensor([[3.0, 2.0]])
    # (h - m) · v = 2 · 0.6 + 1 · 0.8 = 2, so the part along v is (1.2, 1.6)
    assert torch.allclose(steer_state(state, direction, midpoint, 1.0), torch.tensor([[1.8, 0.4]]))
    assert torch.allclose(steer_state(state, direction, midpoint, 0.5), torch.tensor([[2.4, 1.2]]))
    assert torch.equal(steer_state(state, direction, midpoint, 0.0), state)
    exchanged = steer_state(state, direction, midpoint, 2.0)
    assert torch.allclose((exchanged - midpoint) @ direction, torch.tensor([-2.0])), "2 exchanges the sides"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_vector_points_from_one_side_to_the_other(architecture: str) -> None:
    tiny = model(architecture)
    vectors = learn_vectors(tiny, LEFT, RIGHT)
    assert len(vectors.directions) == len(layers_of(tiny))
    assert torch.allclose(vectors.directions.norm(dim=1), torch.ones(len(vectors.directions)))
    seen: list[torch.Tensor] = []
    handle = layers_of(tiny)[0].register_forward_hook(
        lambda _, __, out: seen.append(out[0] if isinstance(out, tuple) else out)
    )
    with torch.no_grad():
        for text in (*LEFT, *RIGHT):
            tiny.model(input_ids=torch.tensor([tiny.encode(text)]), use_cache=False)
    handle.remove()
    means = torch.stack([state[0].mean(0) for state in seen])
    gap = means[:3].mean(0) - means[3:].mean(0)
    assert torch.allclose(vectors.directions[0], gap / gap.norm(), atol=1e-5)
    assert torch.allclose(vectors.midpoints[0], means.mean(0), atol=1e-5)
    turned = learn_vectors(tiny, RIGHT, LEFT)
    assert torch.allclose(turned.directions, -vectors.directions, atol=1e-5)
    assert torch.allclose(turned.gaps, vectors.gaps, rtol=1e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_steering_lasts_as_long_as_its_context(architecture: str) -> None:
    tiny = model(architecture)
    vectors = learn_vectors(tiny, LEFT, RIGHT)
    before = tiny.generate(PROMPTS, [1, 2], SAMPLING)
    with steered(tiny, vectors, 0, 0.0):
        assert tiny.generate(PROMPTS, [1, 2], SAMPLING) == before, "strength 0 changes nothing"
    state = tiny.prefill(PROMPTS)
    with steered(tiny, vectors, 0, 20.0):
        assert not torch.allclose(tiny.prefill(PROMPTS).logits, state.logits)
    assert torch.equal(tiny.prefill(PROMPTS).logits, state.logits)
    with pytest.raises(ConfigError, match="there is no layer 9"), steered(tiny, vectors, 9, 1.0):
        pass


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_equation_of_contrast_token_by_token(architecture: str) -> None:
    base, expert, anti = (CausalModel(network(architecture, seed), tokenizer()) for seed in (0, 1, 2))
    contrast = ContrastiveModel(base, expert, anti, 0.5)
    states = [one.prefill(PROMPTS) for one in (base, expert, anti)]
    state = contrast.prefill(PROMPTS)
    for _ in range(4):
        by_hand = states[0].logits + 0.5 * (states[1].logits - states[2].logits)
        assert torch.allclose(state.logits, by_hand, atol=1e-5)
        tokens = state.logits.argmax(1)
        states = [one.step(own, tokens) for one, own in zip((base, expert, anti), states, strict=True)]
        state = contrast.step(state, tokens)
    same = ContrastiveModel(base, expert, expert, 5.0)
    assert same.generate(PROMPTS, [1, 2], SAMPLING) == base.generate(PROMPTS, [1, 2], SAMPLING)
    assert contrast.generate(PROMPTS, [1, 2], SAMPLING) == contrast.generate(PROMPTS, [1, 2], SAMPLING)


def test_models_with_other_tokens_are_no_experts() -> None:
    base, other = model("gpt2"), model("gpt2")
    words = tokenizer()
    words.add_tokens(["zebra"])
    other = CausalModel(other.model, words)
    with pytest.raises(ModelError, match="other tokens"):
        ContrastiveModel(base, base, other, 1.0)


def twinviews(at: Path) -> Path:
    """Write matched statements of the published form; return the folder of the corpora."""
    at.mkdir(parents=True)
    with gzip.open(at / "pairs.jsonl.gz", "wt") as file:
        for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            row = {"id": f"tv-{number}", "left": left, "right": right, "topic": "roads"}
            file.write(json.dumps(row) + "\n")
    return at.parent


def saved(folder: Path, seed: int) -> Path:
    network("gpt2", seed).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def test_each_mode_is_a_model_of_its_own(tmp_path: Path) -> None:
    tiny = model("gpt2")
    plain = tiny.generate(PROMPTS, [1, 2], SAMPLING)
    pair = f"{saved(tmp_path / 'expert', 1)},{saved(tmp_path / 'anti', 2)}"
    contrast = unslant.debias(tiny, "contrastive", guide=pair, strength=3.0)
    told = unslant.debias(tiny, "prompt", guide="the river said")
    data = twinviews(tmp_path / "data" / "twinviews")
    steering = unslant.debias(tiny, "steering", guide=data, layer=1)
    assert steering.name == "tiny gpt2 (steering, layer 1, strength 1)"
    assert steering.generate(PROMPTS, [1, 2], SAMPLING) != plain
    assert tiny.generate(PROMPTS, [1, 2], SAMPLING) == plain, "the model itself is as it was"
    with pytest.raises(ConfigError, match="layers 0 to 1"):
        unslant.debias(tiny, "steering", guide=data, layer=2)
    assert len({one.digest() for one in (tiny, contrast, told, steering)}) == 4
    assert contrast.generate(PROMPTS, [1, 2], SAMPLING) != plain
    assert (
        unslant.debias(tiny, "contrastive", guide=pair, strength=0.0).generate(PROMPTS, [1, 2], SAMPLING)
        == plain
    )
    texts = told.generate(PROMPTS, [1, 2], SAMPLING)
    assert [text.prompt for text in texts] == PROMPTS, "what it was told is no part of the text"
    assert texts != plain
    with pytest.raises(ConfigError, match="EXPERT,ANTIEXPERT"):
        unslant.debias(tiny, "contrastive")


def test_a_chat_is_told_by_its_system_prompt() -> None:
    asked: list[tuple[Any, Sampling]] = []

    class Asked(MockModel):
        def generate(self, prompts: Any, seeds: Any, sampling: Sampling) -> Any:
            asked.append((prompts, sampling))
            return super().generate(prompts, seeds, sampling)

    writer = unslant.debias(Asked("mock:x"), "prompt")
    writer.generate(["Write."], [0], Sampling(chat=True, system="Be brief."))
    assert asked == [(["Write."], Sampling(chat=True, system=f"{PROMPT} Be brief."))]
