"""Drawing tokens."""

from __future__ import annotations

import pytest
import torch

from unslant.core.errors import ConfigError
from unslant.core.generation import Sampling
from unslant.lab.lm.decoding import Dice, draw_tokens, restrict_logits

pytestmark = pytest.mark.torch

LOGITS = torch.tensor([[0.1, 0.2, 0.4, 0.05, 0.25]]).log()


def draws(sampling: Sampling, count: int = 4000) -> object:
    rolls = (torch.arange(count, dtype=torch.float64) + 0.5) / count
    drawn = draw_tokens(LOGITS.expand(count, -1), rolls, sampling)
    return pytest.approx((torch.bincount(drawn, minlength=5) / count).tolist(), abs=1e-3)


def test_a_fine_comb_of_rolls_draws_every_token_as_often_as_it_is_probable() -> None:
    assert draws(Sampling(top_k=0)) == [0.1, 0.2, 0.4, 0.05, 0.25]


def test_top_k_top_p_and_temperature_keep_what_they_promise() -> None:
    assert draws(Sampling(top_k=2)) == [0, 0, 0.615, 0, 0.385]
    assert draws(Sampling(top_k=0, top_p=0.6)) == [0, 0, 0.615, 0, 0.385]  # 0.4, then 0.65 with the next
    assert draws(Sampling(top_k=3, top_p=0.5)) == [0, 0, 0.615, 0, 0.385]  # 0.47, then 0.76 of the three
    assert draws(Sampling(temperature=0)) == [0, 0, 1, 0, 0]
    cold = torch.tensor([0.1, 0.2, 0.4, 0.05, 0.25]).square()
    assert draws(Sampling(top_k=0, temperature=0.5)) == (cold / cold.sum()).tolist()


def test_the_short_way_with_top_k_draws_as_the_long_one() -> None:
    logits = torch.randn(64, 300, generator=torch.Generator().manual_seed(0))
    rolls = Dice(range(64)).roll()
    short = draw_tokens(logits, rolls, Sampling(top_k=40, temperature=0.7))
    total = restrict_logits(logits, Sampling(top_k=40, temperature=0.7)).double().softmax(1).cumsum(1)
    assert short.tolist() == (total < rolls[:, None]).sum(1).tolist()


def test_each_stream_is_its_own() -> None:
    both, first = Dice([1, 2]), Dice([2])
    for _ in range(3):
        assert both.roll()[1] == first.roll()[0]
    assert Dice([1]).roll() != Dice([1], "trajectory").roll()


@pytest.mark.parametrize(
    "wrong",
    [{"max_tokens": 0}, {"temperature": -1}, {"temperature": float("nan")}, {"top_k": -1}, {"top_p": 0}],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        Sampling(**wrong)  # type: ignore[arg-type]
