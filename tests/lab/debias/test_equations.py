"""Equations 1 to 8 of Liu et al. (2021), each against an example worked by hand, with the direction of its pull."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from unslant.core.generation import Sampling
from unslant.lab.audit.bias import measure
from unslant.lab.audit.design import JudgedText
from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.debias.guide import Adam, ClassifierGain, EmbeddingGain, FastGuide, Policy
from unslant.lab.debias.reference import classifier_gain, distance_sums, embedding_gain, token_gain
from unslant.lab.debias.settings import DebiasSettings
from unslant.lab.lm.decoding import Decoding, draw_tokens
from unslant.lab.stats.bootstrap import Resampling

pytestmark = pytest.mark.torch

# Two dimensions and four tokens: a word of the left, one of the right, and two that belong to neither.
LEFT, RIGHT, UP, DOWN = range(4)
HEAD = torch.tensor([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
LEANING = torch.tensor([[0.5, 0.0]])
"""A state after which the word of the left is likelier: logits 1, -1, 0, 0."""


def policy(hidden: Tensor) -> Policy:
    logits = hidden @ HEAD.T
    return Policy(logits.logsumexp(1), logits.softmax(1) @ HEAD)


def climb(
    gain: EmbeddingGain | ClassifierGain, hidden: Tensor, steps: int = 300, rate: float = 0.01
) -> Tensor:
    gain.begin(hidden, policy(hidden))
    adam = Adam(hidden, rate)
    for _ in range(steps):
        adam.climb(gain(hidden + adam.value, policy(hidden + adam.value))[1])
    return hidden + adam.value


def classifier(steepness: float = 1.0) -> Debiaser:
    """Log odds of right against left: -steepness · tanh of the first coordinate."""
    return Debiaser(
        torch.tensor([[1.0, 0.0]]),
        torch.zeros(1),
        torch.tensor([[steepness / 2], [-steepness / 2]]),
        torch.zeros(2),
    )


def judged(side: str, values: dict[str, list[float]]) -> list[JudgedText]:
    return [
        JudgedText(f"{side}/{option}/{at}", "trade", option, side, "p", value)  # type: ignore[arg-type]
        for option, members in values.items()
        for at, value in enumerate(members)
    ]


def test_equation_1_draws_the_next_token_from_the_softmax() -> None:
    # probabilities 1/8, 2/8, 5/8: a number of [0, 1) picks where it falls in the cumulative sum
    logits = torch.log(torch.tensor([[1.0, 2.0, 5.0]])).repeat(4, 1)
    rolls = torch.tensor([0.12, 0.13, 0.37, 0.38], dtype=torch.float64)
    assert draw_tokens(logits, rolls, Sampling(top_k=0)).tolist() == [0, 1, 1, 2]


def test_equation_2_is_the_distance_of_an_option_from_all_options() -> None:
    # bakers 0.2 0.2, smiths 0.6 0.6; all: 0.2 0.2 0.6 0.6. Half of the mass of either moves by 0.4: √(0.5 · 0.16)
    texts = judged("indirect", {"bakers": [0.2, 0.2], "smiths": [0.6, 0.6]})
    bias = measure(texts, {"trade": ("bakers", "smiths")}, Resampling(0))
    assert bias.indirect.value == pytest.approx(math.sqrt(0.08))
    bakers, smiths = bias.attributes[0].options
    assert bakers.lean.value == pytest.approx(-0.2), "below 0: more liberal than all"
    assert smiths.lean.value == pytest.approx(0.2)


def test_equation_3_is_the_difference_between_the_sides_of_the_prompts() -> None:
    texts = [
        *judged("indirect", {"bakers": [0.5, 0.5], "smiths": [0.5, 0.5]}),
        *judged("liberal", {"bakers": [0.2, 0.2], "smiths": [0.6, 0.6]}),
        *judged("conservative", {"bakers": [0.5, 0.5], "smiths": [0.6, 0.6]}),
    ]
    bias = measure(texts, {"trade": ("bakers", "smiths")}, Resampling(0))
    assert bias.direct is not None
    # √0.08 under liberal prompts; under conservative ones half of the mass moves by 0.1: √(0.5 · 0.01)
    assert bias.direct.value == pytest.approx(math.sqrt(0.08) - math.sqrt(0.005))


def test_equation_4_weighs_the_gain_by_the_ratio_of_the_policies() -> None:
    """With one step, the shift has the sign of ratio · gain', and the ratio of an unmoved state is 1."""
    settings = DebiasSettings("classifier", steps=1, rate=0.1, strength=1.0, window=0, candidates=3)
    guide = FastGuide(HEAD, ClassifierGain(classifier(), 0), settings, [0], Sampling(top_k=0))
    logits = LEANING @ HEAD.T
    state = Decoding(None, torch.ones(1, 1), torch.ones(1), LEANING, logits)
    changed = guide.logits(state) - logits
    assert float(changed[0, LEFT]) < 0 < float(changed[0, RIGHT]), "away from the side that it is on"
    # Adam's first step is as long as the rate, in root mean squares of the state: 0.1 · √(0.25 / 2), times the row's 2
    assert float(changed[0, RIGHT]) == pytest.approx(2 * 0.1 * math.sqrt(0.125), rel=1e-3)


def test_equation_5_adds_the_squares_and_subtracts_the_difference() -> None:
    # log Z = log(e + 1/e + 2) = 2 log(e^½ + e^-½) = 1.6265; distances 0.6265 and 2.6265
    log_z = 2 * math.log(math.exp(0.5) + math.exp(-0.5))
    wanted = (log_z - 1) ** 2 + (log_z + 1) ** 2 - 2
    found = embedding_gain(LEANING, policy(LEANING).log_partition, HEAD[:1], HEAD[1:2])
    assert float(found) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("start", [0.5, -0.5])
def test_equation_5_pulls_to_equal_distance_from_either_side(start: float) -> None:
    state = torch.tensor([[start, 0.3]])
    gain = EmbeddingGain(HEAD[:1], HEAD[1:2], balance=1.0)
    gain.begin(state, policy(state))
    assert float(gain(state, policy(state))[1][0, 0]) * start < 0, "towards the middle"
    moved = climb(gain, state)
    to_left, to_right = distance_sums(moved, policy(moved).log_partition, HEAD[:1], HEAD[1:2])
    assert float((to_left - to_right).abs()) < 0.05, "as far from the one as from the other"
    before = policy(state).log_partition - (state @ HEAD.T)[:, [LEFT, RIGHT]].max()
    assert float(torch.minimum(to_left, to_right)) > float(before), "and farther from the nearer one"


def test_equation_5_without_its_balance_only_moves_away() -> None:
    """Ten words of the left, one of the right: the squares of the larger side win, and the gap widens."""
    head = torch.cat([HEAD[:1].repeat(10, 1), HEAD[1:]])
    state = torch.tensor([[0.0, 0.3]])

    def gap(balance: float) -> float:
        gain = EmbeddingGain(head[:10], head[10:11], balance)
        moved = climb(gain, state, 100)
        to_left, to_right = distance_sums(moved, policy(moved).log_partition, head[:10], head[10:11])
        return float((to_left - to_right).abs())

    to_left, to_right = distance_sums(state, policy(state).log_partition, head[:10], head[10:11])
    start = float((to_left - to_right).abs())
    assert gap(0.0) > start > gap(3.0)


def test_equation_6_is_minus_the_log_of_the_softmax() -> None:
    to_left, to_right = distance_sums(LEANING, policy(LEANING).log_partition, HEAD[:1], HEAD[1:2])
    chances = (LEANING @ HEAD.T).softmax(1)[0]
    assert math.exp(-float(to_left)) == pytest.approx(float(chances[LEFT]), rel=1e-5)
    assert math.exp(-float(to_right)) == pytest.approx(float(chances[RIGHT]), rel=1e-5)
    assert float(to_left) < float(to_right), "a likelier word is nearer"


def test_equation_7_averages_the_window_and_discounts_the_past() -> None:
    # gains 0.1, 0.2, 0.4, the newest last, and a discount of 0.5: (0.25 · 0.1 + 0.5 · 0.2 + 0.4) / 3
    window = [torch.tensor([gain]) for gain in (0.1, 0.2, 0.4)]
    assert float(classifier_gain(window, 0.5)) == pytest.approx(0.525 / 3)
    guide = ClassifierGain(classifier(), window=2, discount=0.5)
    states = [torch.tensor([[value, 0.0]]) for value in (0.2, -0.4, 0.6)]
    for state in states[:2]:
        guide.end(state)
    gains = [token_gain(state, classifier()) for state in states]
    assert float(guide(states[2], policy(states[2]))[0]) == pytest.approx(float(classifier_gain(gains, 0.5)))


def test_equation_8_is_largest_where_the_classifier_cannot_tell() -> None:
    # odds of 3 to 1 for the right: -log 3/4; even odds: log 2
    sure = Debiaser(torch.zeros(1, 2), torch.zeros(1), torch.zeros(2, 1), torch.tensor([0.0, math.log(3)]))
    assert float(token_gain(LEANING, sure)) == pytest.approx(-math.log(0.75))
    assert float(token_gain(torch.zeros(1, 2), classifier())) == pytest.approx(math.log(2))


@pytest.mark.parametrize("start", [0.5, -0.5])
def test_equation_8_pulls_to_one_half_and_not_beyond(start: float) -> None:
    guide = classifier(4.0)
    moved = climb(ClassifierGain(guide, 0), torch.tensor([[start, 0.0]]), rate=0.005)
    assert abs(float(guide.margin(moved)[0])) < 0.1, "even odds"
    held = climb(ClassifierGain(guide, 0, hold_side=True), torch.tensor([[start, 0.0]]), rate=0.005)
    assert float(guide.margin(held)[0]) * start > 1, "with the side held, it goes on to the other side"
