"""Losses count what is labelled, and only that."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.lab.detector.losses import (
    Target,
    choice_loss,
    pair_loss,
    soft_choice_loss,
    soft_yes_no_loss,
    yes_no_loss,
)
from unslant.lab.detector.scores import best_threshold, f1, macro_f1, span_f1
from unslant.lab.detector.text_heads import fit_platt
from unslant.lab.stats.metrics import calibration_error

pytestmark = pytest.mark.torch

LOGITS = st.lists(st.floats(-5, 5), min_size=3, max_size=3)


def t(*values: float) -> torch.Tensor:
    return torch.tensor(values)


@given(LOGITS, st.floats(-50, 50))
def test_what_nobody_judged_moves_nothing(logits: list[float], other: float) -> None:
    target = Target(t(1.0, 0.0, 0.3), t(1.0, 1.0, 0.0))
    one = torch.tensor(logits, requires_grad=True)
    yes_no_loss(one, target).backward()
    assert one.grad is not None
    assert one.grad[2] == 0
    changed = torch.tensor([logits[0], logits[1], other])
    assert torch.isclose(yes_no_loss(torch.tensor(logits), target), yes_no_loss(changed, target))


def test_a_loss_over_nothing_is_zero() -> None:
    nothing = Target(t(0.0), t(0.0))
    assert yes_no_loss(t(3.0), nothing) == 0
    assert choice_loss(torch.ones(1, 3), Target(torch.tensor([-100]), t(0.0))) == 0


def test_a_soft_label_is_learned_as_a_share() -> None:
    target = Target(t(0.7), t(1.0))
    best = min((float(yes_no_loss(t(x / 100), target)), x / 100) for x in range(-300, 300))
    assert math.isclose(1 / (1 + math.exp(-best[1])), 0.7, abs_tol=0.01)


def test_a_text_that_counts_half_moves_half_as_much() -> None:
    full = yes_no_loss(t(2.0, 1.0), Target(t(0.0, 0.0), t(1.0, 1.0)))
    half = yes_no_loss(t(2.0, 1.0), Target(t(0.0, 0.0), t(0.5, 0.5)))
    assert torch.isclose(half, full / 2)


@given(LOGITS, LOGITS, st.sampled_from([1.0, 2.0, 4.0]))
def test_nothing_is_nearer_to_the_teacher_than_the_teacher(
    ours: list[float], theirs: list[float], heat: float
) -> None:
    student, teacher = torch.tensor([ours]), torch.tensor([theirs])
    whole, each = torch.ones(1), torch.ones(1, 3)
    assert (
        soft_choice_loss(teacher, Target(teacher, whole), heat)
        <= soft_choice_loss(student, Target(teacher, whole), heat) + 1e-4
    )
    assert (
        soft_yes_no_loss(teacher, Target(teacher, each), heat)
        <= soft_yes_no_loss(student, Target(teacher, each), heat) + 1e-4
    )


def test_a_pair_in_the_right_order_costs_less() -> None:
    sources, targets = torch.tensor([0]), torch.tensor([1])
    assert pair_loss(t(2.0, -2.0), sources, targets) < pair_loss(t(-2.0, 2.0), sources, targets)
    none = torch.tensor([], dtype=torch.long)
    assert pair_loss(t(2.0, -2.0), none, none) == 0


def test_calibration_takes_back_overconfidence() -> None:
    generator = torch.Generator().manual_seed(0)
    honest = torch.randn(2000, generator=generator, dtype=torch.float64) * 2
    labels = (torch.rand(2000, generator=generator, dtype=torch.float64) < torch.sigmoid(honest)).tolist()
    loud = honest * 3 + 1
    scale, offset = fit_platt(loud.tolist(), labels)
    assert math.isclose(scale, 1 / 3, rel_tol=0.15)
    assert math.isclose(offset, -1 / 3, abs_tol=0.15)
    before = calibration_error(torch.sigmoid(loud).tolist(), labels).value
    after = calibration_error(torch.sigmoid(loud * scale + offset).tolist(), labels).value
    assert before is not None
    assert after is not None
    assert after < 0.04 < before


@given(st.lists(st.tuples(st.floats(-3, 3), st.booleans()), min_size=4, max_size=30))
def test_calibration_keeps_the_order(cases: list[tuple[float, bool]]) -> None:
    scale, offset = fit_platt([logit for logit, _ in cases], [label for _, label in cases])
    assert scale > 0
    assert math.isfinite(offset)


def test_perfect_separation_does_not_ask_for_certainty() -> None:
    scale, offset = fit_platt([-2.0, -1.0, 1.0, 2.0], [False, False, True, True])
    assert 1 / (1 + math.exp(-(2 * scale + offset))) < 0.95


def test_scores_by_hand() -> None:
    assert f1(0, 0, 0) == 0
    assert macro_f1([0, 0, 1, 1], [0, 0, 1, 1]) == 1
    assert macro_f1([0, 0, 0, 1], [0, 0, 0, 0]) == pytest.approx(3 / 7)
    gold = [[Span(0, 3), Span(10, 12)], []]
    guess = [[Span(0, 3), Span(9, 12)], [Span(4, 5)]]
    exact, overlap = span_f1(gold, guess)
    assert exact == pytest.approx(2 / 5)
    assert overlap == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=20))
def test_no_other_threshold_is_better(cases: list[tuple[bool, float]]) -> None:
    gold, chances = [case for case, _ in cases], [case for _, case in cases]

    def value(threshold: float) -> float:
        guess = [chance >= threshold for chance in chances]
        return f1(sum(a and b for a, b in zip(gold, guess, strict=True)), sum(guess), sum(gold))

    best = value(best_threshold(gold, chances))
    if any(gold):
        assert best >= max(value(chance) for chance in chances) - 1e-9
