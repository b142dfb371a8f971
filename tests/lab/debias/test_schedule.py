"""Lambda from token to token, and the divergence."""

from __future__ import annotations

import math

import pytest
import torch

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.debias.guide import divergence, next_strength
from unslant.lab.debias.settings import DebiasSettings

pytestmark = pytest.mark.torch

FREE = (0.0, math.inf)


def test_the_divergence_by_hand() -> None:
    vanilla = torch.tensor([[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]).log()
    debiased = torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]]).log()
    # 0; 0.5 log 2 + 0.5 log(2/3); log 2
    assert divergence(vanilla, debiased).tolist() == pytest.approx([0.0, 0.1438410, 0.6931472], abs=1e-6)


def test_the_divergence_is_that_of_torch() -> None:
    random = torch.Generator().manual_seed(0)
    vanilla, debiased = (torch.randn(5, 40, generator=random).log_softmax(1) for _ in range(2))
    wanted = torch.nn.functional.kl_div(debiased, vanilla, reduction="none", log_target=True).sum(1)
    assert torch.allclose(divergence(vanilla, debiased), wanted, atol=1e-6)


def test_strength_is_halved_and_doubled_at_the_papers_marks() -> None:
    sigma = 0.05
    seen = torch.tensor([0.0, 0.025, 0.026, 0.05, 0.099, 0.1, 3.0])
    found = next_strength(torch.full((7,), 0.6), seen, sigma, FREE)
    assert found.tolist() == pytest.approx([1.2, 1.2, 0.6, 0.6, 0.6, 0.3, 0.3])


def test_a_worked_sequence() -> None:
    strength = torch.tensor([0.6])
    found = []
    for seen in (0.2, 0.11, 0.07, 0.02, 0.01, 0.05):
        strength = next_strength(strength, torch.tensor([seen]), 0.05, FREE)
        found.append(float(strength))
    assert found == pytest.approx([0.3, 0.15, 0.15, 0.3, 0.6, 0.6])


def test_doubling_has_an_end() -> None:
    settings = DebiasSettings("classifier")
    strength = torch.tensor([settings.strength])
    for _ in range(200):
        strength = next_strength(strength, torch.tensor([0.0]), settings.sigma, settings.limits)
    assert float(strength) == pytest.approx(0.6 * 2**20)
    for _ in range(200):
        strength = next_strength(strength, torch.tensor([1.0]), settings.sigma, settings.limits)
    assert float(strength) == pytest.approx(settings.limits[0])


def test_the_defaults_are_the_papers() -> None:
    first, second = DebiasSettings("embedding"), DebiasSettings("classifier")
    assert (first.sigma, second.sigma) == (0.02, 0.05)
    assert (first.strength, first.steps, second.window) == (0.6, 15, 5)
    assert first.digest() == DebiasSettings("embedding").digest() != second.digest()
    assert second.digest() != DebiasSettings("classifier", hold_side=True).digest()
    assert second.digest() == DebiasSettings("classifier", rate=0.02, target=0.05).digest(), (
        "what is said is what is meant"
    )
    assert (first.step, second.step, DebiasSettings("classifier", rate=0.1).step) == (0.005, 0.02, 0.1)


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'classifier'"):
        DebiasSettings("classifyer")
    for wrong in (
        {"strength": -1.0},
        {"target": 0.0},
        {"discount": 0.0},
        {"steps": 0},
        {"strength": math.nan},
    ):
        with pytest.raises(ConfigError):
            DebiasSettings("embedding", **wrong)  # type: ignore[arg-type]
