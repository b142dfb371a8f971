"""The cheap loop against the full one, on models with tied and untied heads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.lab.lm.tiny import ARCHITECTURES, model
from unslant.core.generation import Sampling
from unslant.lab.debias.counterpart import Counterpart
from unslant.lab.debias.guide import Adam, ClassifierGain, EmbeddingGain, FastGuide, Gain, divergence
from unslant.lab.debias.model import side_vectors
from unslant.lab.debias.reference import ReferenceGuide
from unslant.lab.debias.settings import DebiasSettings
from unslant.lab.lm.decoding import Decoding, Dice, draw_tokens

from .made import WORDS, counterpart, debiaser

pytestmark = pytest.mark.torch

PROMPTS = ["the council said", "a road and a river in the town will", "vote", "he or she"]
SAMPLING = Sampling(max_tokens=20, to_length=True)
ALL = 10_000


def guides(
    tiny: Any, settings: DebiasSettings, count: int, way: Counterpart | None = None
) -> tuple[FastGuide, ReferenceGuide]:
    gain: Gain
    sides: Any
    if settings.mode == "embedding":
        sides = side_vectors(tiny, WORDS)
        gain = EmbeddingGain(*sides, settings.balance)
    else:
        sides = replace(debiaser(32), counterpart=way)
        gain = ClassifierGain(sides, settings.window, settings.discount, hold_side=settings.hold_side)
    seeds = range(count)
    rows = tiny.head.weight.detach()
    return (
        FastGuide(rows, gain, settings, seeds, SAMPLING),
        ReferenceGuide(tiny.head, sides, settings, seeds, SAMPLING),
    )


def distances(
    tiny: Any, settings: DebiasSettings, steps: int = 6, way: Counterpart | None = None
) -> list[float]:
    """The total variation between the policies of the two loops along a text: one number a token and text."""
    fast, full = guides(tiny, settings, len(PROMPTS), way)
    state = tiny.prefill(PROMPTS)
    found: list[float] = []
    for _ in range(steps):
        first, second = fast.logits(state).softmax(1), full.logits(state).softmax(1)
        found += ((first - second).abs().sum(1) / 2).tolist()
        state = tiny.step(state, second.argmax(1))
    return found


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("mode", ["embedding", "classifier"])
@pytest.mark.parametrize("differentiated", [False, True])
def test_with_all_tokens_as_candidates_it_is_the_full_loop(
    architecture: str, mode: str, differentiated: bool
) -> None:
    settings = DebiasSettings(mode, candidates=ALL, differentiate_ratio=differentiated)
    assert max(distances(model(architecture), settings)) < 2e-3


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("hold", [False, True])
def test_either_way_of_deciding_the_side_is_that_of_the_full_loop(architecture: str, hold: bool) -> None:
    settings = DebiasSettings("classifier", strength=3.0, candidates=ALL, hold_side=hold)
    assert max(distances(model(architecture), settings)) < 2e-3


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_known_way_is_followed_as_in_the_full_loop(architecture: str) -> None:
    settings = DebiasSettings("classifier", strength=3.0, candidates=ALL)
    assert max(distances(model(architecture), settings, way=counterpart())) < 2e-3


def test_a_state_does_not_leave_a_known_way() -> None:
    tiny, way = model("gpt2"), counterpart()
    state = tiny.prefill(PROMPTS)
    settings = DebiasSettings("classifier", strength=30.0, rate=0.05, candidates=ALL)
    fast, _ = guides(tiny, settings, len(PROMPTS), way)
    changes = fast.logits(state).log_softmax(1) - state.logits.log_softmax(1)
    along = way(state.hidden) @ tiny.head.weight.detach().T
    for change, expected in zip(changes, along, strict=True):
        same = torch.corrcoef(torch.stack([change, expected]))[0, 1]
        assert abs(float(same)) > 0.999


def test_a_side_that_is_held_lets_the_state_pass_the_middle() -> None:
    tiny, found = model("llama"), {}
    state = tiny.prefill(PROMPTS)
    vanilla = state.logits.log_softmax(1)
    for hold in (False, True):
        fast, _ = guides(
            tiny, DebiasSettings("classifier", strength=50.0, rate=0.05, hold_side=hold), len(PROMPTS)
        )
        found[hold] = divergence(vanilla, fast.logits(state).log_softmax(1))
    assert (found[True] > found[False]).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("mode", ["embedding", "classifier"])
def test_with_half_of_the_tokens_it_stays_within_the_stated_tolerance(architecture: str, mode: str) -> None:
    tiny = model(architecture)
    found = distances(tiny, DebiasSettings(mode, candidates=tiny.head.weight.shape[0] // 2))
    assert 0 < sum(found) / len(found) < 0.02
    assert max(found) < 0.05


def test_a_sample_stands_for_the_tail_of_a_large_vocabulary() -> None:
    random = torch.Generator().manual_seed(3)
    # frequent tokens come first and are likelier, as in a real vocabulary; rare ones share a direction of their own
    rows = torch.randn(12_000, 24, generator=random) * 0.5
    rows[2000:, 0] += 2.0
    hidden = torch.randn(6, 24, generator=random)
    hidden[:, 0] = -0.5
    mask = torch.ones(6, 1, dtype=torch.long)
    state = Decoding(None, mask, mask[:, 0], hidden, hidden @ rows.T)
    settings = DebiasSettings("embedding", strength=2.0, candidates=128)
    sides = rows[100:120], rows[3000:3020]
    fast = FastGuide(rows, EmbeddingGain(*sides, 1.0), settings, range(6), SAMPLING)
    full = ReferenceGuide(lambda given: given @ rows.T, sides, settings, range(6), SAMPLING)
    first, second = fast.logits(state).softmax(1), full.logits(state).softmax(1)
    moved = ((second - state.logits.softmax(1)).abs().sum(1) / 2).mean()
    apart = ((first - second).abs().sum(1) / 2).mean()
    assert moved > 0.05
    assert apart < moved / 3, "without the sample it is two thirds of the way"


@pytest.mark.parametrize(("mode", "share"), [("embedding", 0.95), ("classifier", 0.85)])
def test_the_same_tokens_are_chosen(mode: str, share: float) -> None:
    tiny = model("llama")
    prompts = PROMPTS * 3
    fast, full = guides(tiny, DebiasSettings(mode, candidates=80), len(prompts))
    dice, state, alike = Dice(range(len(prompts))), tiny.prefill(prompts), []
    for _ in range(15):
        rolls = dice.roll()
        first, second = (draw_tokens(guide.logits(state), rolls, SAMPLING) for guide in (fast, full))
        alike += (first == second).tolist()
        state = tiny.step(state, second)
    assert sum(alike) / len(alike) > share


@pytest.mark.parametrize("mode", ["embedding", "classifier"])
def test_the_policy_moves_and_the_gain_grows(mode: str) -> None:
    tiny = model("gpt2")
    settings = DebiasSettings(mode, strength=5.0)
    fast, _ = guides(tiny, settings, len(PROMPTS))
    state = tiny.prefill(PROMPTS)
    vanilla = state.logits.log_softmax(1)
    moved = fast.logits(state).log_softmax(1)
    assert (divergence(vanilla, moved) > 0).all()
    assert (divergence(vanilla, moved) < 1).all()
    if mode == "embedding":
        sides = [tiny.tokenizer(f" {word}")["input_ids"][0] for word in sorted(WORDS.all)]
        assert (moved[:, sides].exp().sum(1) < vanilla[:, sides].exp().sum(1)).all(), (
            "farther from words of the sides"
        )


def test_rows_have_their_own_strength() -> None:
    tiny = model("neox")
    settings = DebiasSettings("classifier")
    together, _ = guides(tiny, settings, 4)
    state = tiny.prefill(PROMPTS)
    logits = together.logits(state)
    for row in range(4):
        single = FastGuide(
            tiny.head.weight.detach(),
            ClassifierGain(debiaser(32), settings.window, settings.discount, hold_side=settings.hold_side),
            settings,
            [row],
            SAMPLING,
        )
        own = single.logits(tiny.prefill([PROMPTS[row]]))
        assert torch.allclose(logits[row].softmax(0), own[0].softmax(0), atol=1e-4)


def test_adam_is_that_of_torch() -> None:
    random = torch.Generator().manual_seed(1)
    gradients = torch.randn(15, 3, 8, generator=random)
    ours = Adam(torch.zeros(3, 8), 0.02)
    theirs = torch.zeros(3, 8, requires_grad=True)
    optimizer = torch.optim.Adam([theirs], lr=0.02, maximize=True)
    for gradient in gradients:
        ours.climb(gradient)
        theirs.grad = gradient.clone()
        optimizer.step()
    assert torch.allclose(ours.value, theirs.detach(), atol=1e-6)
