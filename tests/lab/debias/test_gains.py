"""Both gains: by hand, against the equations word by word, and their gradients against automatic ones."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.debias.guide import ClassifierGain, EmbeddingGain, Policy, gain_units
from unslant.lab.debias.reference import classifier_gain, distance_sums, embedding_gain, token_gain

from .made import debiaser

pytestmark = pytest.mark.torch

RANDOM = torch.Generator().manual_seed(3)
HEAD = torch.randn(50, 8, generator=RANDOM)
HIDDEN = torch.randn(4, 8, generator=RANDOM)
LEFT, RIGHT = HEAD[:6], HEAD[10:16]


def policy(hidden: Tensor, head: Tensor = HEAD) -> Policy:
    logits = hidden @ head.T
    return Policy(logits.logsumexp(1), logits.softmax(1) @ head)


def by_the_equations(
    hidden: list[float], head: list[list[float]], left: list[int], right: list[int]
) -> float:
    """Equations 5 and 6 in plain Python, one word after the other."""

    def dot(word: int) -> float:
        return sum(a * b for a, b in zip(hidden, head[word], strict=True))

    total = sum(math.exp(dot(word)) for word in range(len(head)))
    first, second = (sum(-math.log(math.exp(dot(word)) / total) for word in side) for side in (left, right))
    return first**2 + second**2 - abs(first - second)


def test_mode_1_by_hand() -> None:
    # three words with logits log 1, log 2, log 5: probabilities 1/8, 2/8, 5/8
    head, hidden = torch.tensor([[0.0], [math.log(2)], [math.log(5)]]), torch.ones(1, 1)
    gain = embedding_gain(hidden, (hidden @ head.T).logsumexp(1), head[:1], head[1:2])
    # distances log 8 and log 4: log(8)^2 + log(4)^2 - log 2
    assert float(gain) == pytest.approx(4.3240812 + 1.9218121 - 0.6931472, abs=1e-5)


def test_mode_1_is_that_of_plain_python() -> None:
    gain = embedding_gain(HIDDEN, policy(HIDDEN).log_partition, LEFT, RIGHT)
    for row, hidden in enumerate(HIDDEN.tolist()):
        wanted = by_the_equations(hidden, HEAD.tolist(), list(range(6)), list(range(10, 16)))
        assert float(gain[row]) == pytest.approx(wanted, rel=1e-5)


def in_units(hidden: Tensor, balance: float, units: tuple[Tensor, Tensor]) -> Tensor:
    """Equation 5 with its two terms in their units, for automatic differentiation."""
    to_left, to_right = distance_sums(hidden, (hidden @ HEAD.T).logsumexp(1), LEFT, RIGHT)
    return (to_left**2 + to_right**2) / units[0] - balance * (to_left - to_right).abs() / units[1]


def gradient_of(value: Tensor, at: Tensor) -> Tensor:
    (found,) = torch.autograd.grad(value.sum(), at, retain_graph=True)
    return found


def units_at(hidden: Tensor) -> tuple[Tensor, Tensor]:
    start = hidden.clone().requires_grad_()
    to_left, to_right = distance_sums(start, (start @ HEAD.T).logsumexp(1), LEFT, RIGHT)
    squares = to_left**2 + to_right**2
    return gain_units(squares.detach(), gradient_of(squares, start), gradient_of(to_left - to_right, start))


@pytest.mark.parametrize("balance", [0.0, 1.0, 20.0])
def test_mode_1_in_closed_form(balance: float) -> None:
    fast = EmbeddingGain(LEFT, RIGHT, balance)
    fast.begin(HIDDEN, policy(HIDDEN))
    moved = (HIDDEN + 0.3).requires_grad_()
    slow = in_units(moved, balance, units_at(HIDDEN))
    slow.sum().backward()
    value, gradient = fast(moved.detach(), policy(moved.detach()))
    assert torch.allclose(value, slow, rtol=1e-4, atol=1e-5)
    assert moved.grad is not None
    assert torch.allclose(gradient, moved.grad, rtol=1e-3, atol=1e-4 * float(moved.grad.abs().max()))


def test_mode_2_by_hand() -> None:
    # tanh(0) = 0, so the second layer's biases decide: probabilities 1/4 and 3/4
    flat = Debiaser(torch.zeros(2, 8), torch.zeros(2), torch.zeros(2, 2), torch.tensor([0.0, math.log(3)]))
    assert token_gain(HIDDEN, flat).tolist() == pytest.approx([-math.log(0.75)] * 4)
    even = Debiaser(torch.zeros(2, 8), torch.zeros(2), torch.zeros(2, 2), torch.zeros(2))
    assert token_gain(HIDDEN, even).tolist() == pytest.approx([math.log(2)] * 4), "the largest there is"
    # a window of three gains 0.1, 0.2, 0.4, the newest last: (0.81 * 0.1 + 0.9 * 0.2 + 0.4) / 3
    window = [torch.tensor([number]) for number in (0.1, 0.2, 0.4)]
    assert float(classifier_gain(window, 0.9)) == pytest.approx(0.661 / 3)


@pytest.mark.parametrize("window", [0, 1, 2, 5])
def test_mode_2_in_closed_form_over_a_window(window: int) -> None:
    guide = debiaser(8)
    fast = ClassifierGain(guide, window, 0.8)
    past: list[Tensor] = []
    for step in range(8):
        hidden = (HIDDEN + step / 3).requires_grad_()
        slow = classifier_gain([*past, token_gain(hidden, guide)], 0.8)
        slow.sum().backward()
        value, gradient = fast(hidden.detach(), policy(hidden.detach()))
        assert torch.allclose(value, slow, atol=1e-6)
        assert hidden.grad is not None
        assert torch.allclose(gradient, hidden.grad, atol=1e-6)
        fast.end(hidden.detach())
        past = [*past, token_gain(hidden.detach(), guide)][-window:] if window else []


def test_mode_2_with_a_side_that_is_choose_held_out() -> None:
    guide = debiaser(8)
    fast = ClassifierGain(guide, 0, 0.8, hold_side=True)
    fast.begin(HIDDEN, policy(HIDDEN))
    before = guide.margin(HIDDEN)[0]
    moved = HIDDEN.clone()
    for _ in range(400):
        moved += 0.3 * fast(moved, policy(moved))[1]
    moved.requires_grad_()
    slow = token_gain(moved, guide, (before > 0).float())
    slow.sum().backward()
    value, gradient = fast(moved.detach(), policy(moved.detach()))
    assert torch.allclose(value, slow, atol=1e-5)
    assert moved.grad is not None
    assert torch.allclose(gradient, moved.grad, atol=1e-5)
    assert (guide.margin(moved.detach())[0].sign() == -before.sign()).all(), "past the middle"
    assert (value > math.log(2)).all()


def test_mode_2_asks_for_a_state_that_cannot_be_placed() -> None:
    guide = debiaser(8)
    hidden = HIDDEN.clone()
    before = guide.margin(hidden)[0].abs()
    for _ in range(400):
        hidden += 0.3 * ClassifierGain(guide)(hidden, policy(hidden))[1]
    after = guide.margin(hidden)[0].abs()
    assert (after < before / 2).all()
    assert (after < 0.1).all(), "the odds of the sides are nearly even"
