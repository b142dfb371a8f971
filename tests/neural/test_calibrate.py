"""Probabilities mean what they say."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.neural.calibrate import (
    describe_probability,
    even_odds,
    percentage,
    sentence_probability,
    sigmoid,
    softmax,
)

logits = st.floats(-1000, 1000)
shares = st.floats(0, 1)


@given(logits)
def test_a_sigmoid_lies_between_and_mirrors(logit: float) -> None:
    assert 0 <= sigmoid(logit) <= 1
    assert sigmoid(logit) + sigmoid(-logit) == pytest.approx(1)


@given(st.lists(logits, min_size=1, max_size=5))
def test_a_softmax_is_a_distribution_that_keeps_the_order(values: list[float]) -> None:
    chances = softmax(values)
    assert sum(chances) == pytest.approx(1)
    for (item, a), (other, b) in pairwise(zip(values, chances, strict=True)):
        assert a <= b if item <= other else a >= b


@given(shares, shares, st.floats(0.05, 0.95))
def test_even_odds_keep_order_and_ends(one: float, other: float, threshold: float) -> None:
    assert even_odds(threshold, threshold) == pytest.approx(0.5)
    assert (even_odds(0, threshold), even_odds(1, threshold)) == (0, 1)
    if one <= other:
        assert even_odds(one, threshold) <= even_odds(other, threshold) + 1e-12


def test_scale_and_offset_are_applied() -> None:
    odds = math.log(3)
    assert sentence_probability(odds, {}) == pytest.approx(0.75)
    assert sentence_probability(odds, {"scale": 2.0, "offset": -odds}) == pytest.approx(0.75)
    assert sentence_probability(0.0, {"offset": -odds}) == pytest.approx(0.25)
    assert sentence_probability(0.0, {"offset": -odds, "threshold": 0.25}) == pytest.approx(0.5)


def test_how_sure_in_words() -> None:
    said = [describe_probability(chance) for chance in (0.3, 0.5, 0.7, 0.89, 0.9)]
    assert said == ["possibly", "rather likely", "likely", "likely", "very likely"]
    assert [percentage(chance) for chance in (0, 0.5, 0.874, 1)] == ["1%", "50%", "87%", "99%"]
