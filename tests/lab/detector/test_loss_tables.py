"""Losses over labelled items, worked out by hand from logits whose probabilities are round numbers."""

from __future__ import annotations

import math

import pytest
import torch

from unslant.lab.detector.heads import (
    Target,
    choice_loss,
    distribution_loss,
    pair_loss,
    soft_choice_loss,
    soft_yes_no_loss,
    yes_no_loss,
)

pytestmark = pytest.mark.torch

THREE = math.log(3)  # a probability of 3/4
NINE = math.log(9)  # a probability of 9/10


def target(values: list[object], weights: list[object], kind: torch.dtype = torch.float32) -> Target:
    return Target(torch.tensor(values, dtype=kind), torch.tensor(weights, dtype=torch.float32))


@pytest.mark.parametrize(
    ("logits", "values", "weights", "expected"),
    [
        ([0.0], [1.0], [1.0], math.log(2)),
        ([THREE], [1.0], [1.0], -math.log(3 / 4)),
        ([THREE], [0.0], [1.0], -math.log(1 / 4)),
        # the mean of two
        ([THREE, NINE], [1.0, 1.0], [1.0, 1.0], (-math.log(3 / 4) - math.log(9 / 10)) / 2),
        # the second has no label
        ([THREE, NINE], [1.0, 1.0], [1.0, 0.0], -math.log(3 / 4)),
        # half the weight is half the loss, over the same number of labels
        ([THREE, THREE], [1.0, 1.0], [1.0, 0.5], -math.log(3 / 4) * 1.5 / 2),
        # a soft label
        ([THREE], [0.5], [1.0], -0.5 * math.log(3 / 4) - 0.5 * math.log(1 / 4)),
        # no label at all
        ([THREE], [1.0], [0.0], 0.0),
    ],
)
def test_yes_and_no(logits: list[float], values: list[float], weights: list[float], expected: float) -> None:
    found = yes_no_loss(torch.tensor(logits), target(values, weights))
    assert float(found) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("logits", "values", "weights", "expected"),
    [
        ([[0.0, 0.0]], [0], [1.0], math.log(2)),
        ([[0.0, THREE]], [1], [1.0], -math.log(3 / 4)),
        ([[0.0, THREE]], [0], [1.0], -math.log(1 / 4)),
        ([[0.0, THREE], [0.0, THREE]], [1, 0], [1.0, 1.0], -(math.log(3 / 4) + math.log(1 / 4)) / 2),
        # a negative label has weight 0
        ([[0.0, THREE], [0.0, THREE]], [1, -1], [1.0, 0.0], -math.log(3 / 4)),
        ([[math.log(1), math.log(2), math.log(7)]], [2], [1.0], -math.log(0.7)),
    ],
)
def test_one_of_several(
    logits: list[list[float]], values: list[int], weights: list[float], expected: float
) -> None:
    found = choice_loss(torch.tensor(logits), target(list(values), list(weights), torch.long))
    assert float(found) == pytest.approx(expected, abs=1e-6)


def test_a_distribution_that_is_one_hot_is_a_choice() -> None:
    logits = torch.tensor([[0.3, -1.0, 2.0], [1.0, 0.0, 0.5]])
    weights = [1.0, 1.0]
    soft = distribution_loss(logits, target([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], weights))
    hard = choice_loss(logits, target([2, 0], weights, torch.long))
    assert float(soft) == pytest.approx(float(hard), abs=1e-6)


def test_a_distribution_by_hand() -> None:
    # probabilities 1/4 and 3/4 against shares of 1/2 each
    found = distribution_loss(torch.tensor([[0.0, THREE]]), target([[0.5, 0.5]], [1.0]))
    assert float(found) == pytest.approx(-0.5 * math.log(1 / 4) - 0.5 * math.log(3 / 4), abs=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 2.0, 4.0])
def test_a_student_that_agrees_with_its_teacher_cannot_do_better(temperature: float) -> None:
    logits = torch.tensor([[0.5, -1.0, 2.0]])
    best = float(soft_choice_loss(logits, Target(logits, torch.ones(1)), temperature))
    for other in ([[0.0, 0.0, 0.0]], [[2.0, -1.0, 0.5]], [[0.5, -1.0, 3.0]]):
        assert float(soft_choice_loss(torch.tensor(other), Target(logits, torch.ones(1)), temperature)) > best
    yes = torch.tensor([1.5])
    best = float(soft_yes_no_loss(yes, Target(yes, torch.ones(1)), temperature))
    for value in (-1.5, 0.0, 3.0):
        assert float(soft_yes_no_loss(torch.tensor([value]), Target(yes, torch.ones(1)), temperature)) > best


def test_a_temperature_of_one_is_the_plain_loss_against_probabilities() -> None:
    student, teacher = torch.tensor([0.7]), torch.tensor([THREE])
    soft = soft_yes_no_loss(student, Target(teacher, torch.ones(1)), 1.0)
    hard = yes_no_loss(student, target([0.75], [1.0]))
    assert float(soft) == pytest.approx(float(hard), abs=1e-6)


@pytest.mark.parametrize(
    ("source", "other", "expected"),
    [(0.0, 0.0, math.log(2)), (THREE, 0.0, math.log(4 / 3)), (0.0, THREE, math.log(4)), (100.0, 0.0, 0.0)],
)
def test_a_source_ranks_above_its_target(source: float, other: float, expected: float) -> None:
    logits = torch.tensor([source, other])
    assert float(pair_loss(logits, torch.tensor([0]), torch.tensor([1]))) == pytest.approx(expected, abs=1e-6)


def test_without_pairs_there_is_no_loss_and_no_gradient() -> None:
    logits = torch.tensor([1.0, 2.0], requires_grad=True)
    empty = torch.tensor([], dtype=torch.long)
    loss = pair_loss(logits, empty, empty)
    loss.backward()
    assert float(loss.detach()) == 0
    assert logits.grad is not None
    assert logits.grad.tolist() == [0.0, 0.0]


def test_unlabelled_items_have_no_gradient() -> None:
    logits = torch.tensor([1.0, 2.0], requires_grad=True)
    yes_no_loss(logits, target([1.0, 1.0], [1.0, 0.0])).backward()
    assert logits.grad is not None
    assert logits.grad[0] != 0
    assert logits.grad[1] == 0
