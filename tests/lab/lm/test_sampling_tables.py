"""Temperature, top-k and top-p on a vocabulary of four, with probabilities that can be added up by hand."""

from __future__ import annotations

import math

import pytest
import torch

from unslant.core.generation import Sampling
from unslant.lab.lm.decoding import Dice, draw_tokens, restrict_logits

pytestmark = pytest.mark.torch

# probabilities 0.1, 0.2, 0.3 and 0.4
LOGITS = torch.log(torch.tensor([[0.1, 0.2, 0.3, 0.4]]))


def left(**settings: object) -> list[int]:
    """The tokens that can still be drawn."""
    found = restrict_logits(LOGITS.clone(), Sampling(**settings))  # type: ignore[arg-type]
    return [at for at, value in enumerate(found[0].tolist()) if value > -math.inf]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"temperature": 1.0, "top_k": 0, "top_p": 1.0}, [0, 1, 2, 3]),
        ({"temperature": 0.0, "top_k": 0, "top_p": 1.0}, [3]),
        ({"temperature": 1.0, "top_k": 1, "top_p": 1.0}, [3]),
        ({"temperature": 1.0, "top_k": 2, "top_p": 1.0}, [2, 3]),
        ({"temperature": 1.0, "top_k": 9, "top_p": 1.0}, [0, 1, 2, 3]),
        # the likeliest alone has 0.4, the two likeliest 0.7, three 0.9
        ({"temperature": 1.0, "top_k": 0, "top_p": 0.3}, [3]),
        ({"temperature": 1.0, "top_k": 0, "top_p": 0.5}, [2, 3]),
        ({"temperature": 1.0, "top_k": 0, "top_p": 0.8}, [1, 2, 3]),
        ({"temperature": 1.0, "top_k": 0, "top_p": 0.95}, [0, 1, 2, 3]),
    ],
)
def test_which_tokens_can_be_drawn(settings: dict[str, object], expected: list[int]) -> None:
    assert left(**settings) == expected


@pytest.mark.parametrize(
    ("roll", "token"),
    [(0.0, 0), (0.05, 0), (0.15, 1), (0.29, 1), (0.31, 2), (0.59, 2), (0.61, 3), (0.999, 3)],
)
def test_a_roll_falls_on_a_token(roll: float, token: int) -> None:
    sampling = Sampling(temperature=1.0, top_k=0, top_p=1.0)
    rolls = torch.tensor([roll], dtype=torch.float64)
    assert draw_tokens(LOGITS.clone(), rolls, sampling).tolist() == [token]


@pytest.mark.parametrize(
    ("roll", "token"),
    # of the two likeliest, token 2 has 3/7 and token 3 has 4/7
    [(0.0, 2), (0.42, 2), (0.44, 3), (0.99, 3)],
)
def test_a_roll_among_the_likeliest(roll: float, token: int) -> None:
    rolls = torch.tensor([roll], dtype=torch.float64)
    by_k = draw_tokens(LOGITS.clone(), rolls, Sampling(temperature=1.0, top_k=2, top_p=1.0))
    by_p = draw_tokens(LOGITS.clone(), rolls, Sampling(temperature=1.0, top_k=0, top_p=0.5))
    assert by_k.tolist() == by_p.tolist() == [token]


def test_without_temperature_the_likeliest_is_drawn_whatever_the_roll() -> None:
    for roll in (0.0, 0.5, 0.99):
        rolls = torch.tensor([roll], dtype=torch.float64)
        assert draw_tokens(LOGITS.clone(), rolls, Sampling(temperature=0.0)).tolist() == [3]


def test_a_high_temperature_flattens_and_a_low_one_sharpens() -> None:
    flat = restrict_logits(LOGITS.clone(), Sampling(temperature=2.0, top_k=0, top_p=1.0)).softmax(1)[0]
    sharp = restrict_logits(LOGITS.clone(), Sampling(temperature=0.5, top_k=0, top_p=1.0)).softmax(1)[0]
    roots = [math.sqrt(share) for share in (0.1, 0.2, 0.3, 0.4)]
    squares = [share**2 for share in (0.1, 0.2, 0.3, 0.4)]
    assert flat.tolist() == pytest.approx([root / sum(roots) for root in roots], abs=1e-6)
    assert sharp.tolist() == pytest.approx([square / sum(squares) for square in squares], abs=1e-6)


def test_a_text_does_not_depend_on_its_neighbours() -> None:
    alone, together = Dice([7]), Dice([3, 7])
    for _ in range(5):
        assert float(alone.roll()[0]) == float(together.roll()[1])
    assert float(Dice([7], "other").roll()[0]) != float(Dice([7]).roll()[0])
