"""The distance, by hand, by its laws, and against an independent implementation."""

from __future__ import annotations

import math

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.lab.audit.design import coupling, sliced_wasserstein

numbers = st.floats(0, 1, allow_nan=False)
samples = st.lists(numbers, min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([0.0], [1.0], 1.0),
        ([0, 0, 0], [1, 1], 1.0),
        ([0.2, 0.6], [0.6, 0.2], 0.0),
        ([0.1, 0.5], [0.2, 0.6], 0.1),  # everything moves by a tenth
        ([0, 1], [0, 0], math.sqrt(1 / 2)),  # half of it moves all the way
        ([0, 1], [0.5], 0.5),  # both halves move half the way
        # thirds onto halves: 1/3 moves by 0, 1/6 by 1 and 1/2 by 0
        ([0, 1, 1], [0, 1], math.sqrt(1 / 6)),
    ],
)
def test_by_hand(a: list[float], b: list[float], expected: float) -> None:
    assert sliced_wasserstein(a, b) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60)
@given(samples, samples)
def test_one_dimension_is_what_pot_says(a: list[float], b: list[float]) -> None:
    ours = sliced_wasserstein(a, b)
    exact = ot.wasserstein_1d(np.array(a), np.array(b), p=2) ** 0.5
    sliced = ot.sliced_wasserstein_distance(
        np.array(a)[:, None], np.array(b)[:, None], n_projections=3, seed=1
    )
    assert ours == pytest.approx(float(exact), abs=1e-7)
    assert ours == pytest.approx(float(sliced), abs=1e-7)


@pytest.mark.parametrize("sizes", [(40, 40), (40, 25), (7, 90)])
def test_several_dimensions_are_what_pot_says_for_the_same_directions(sizes: tuple[int, int]) -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(sizes[0], 3)), generator.normal(0.5, 2, size=(sizes[1], 3))
    directions = np.random.default_rng(7).normal(size=(3, 50))
    directions /= np.linalg.norm(directions, axis=0)
    theirs = ot.sliced_wasserstein_distance(a, b, projections=directions)
    assert sliced_wasserstein(a, b, projections=50, seed=7) == pytest.approx(float(theirs), rel=1e-9)


@settings(max_examples=50)
@given(samples, samples, samples)
def test_it_is_a_distance(a: list[float], b: list[float], c: list[float]) -> None:
    assert sliced_wasserstein(a, a) == 0
    assert sliced_wasserstein(a, b) == pytest.approx(sliced_wasserstein(b, a))
    assert sliced_wasserstein(a, c) <= sliced_wasserstein(a, b) + sliced_wasserstein(b, c) + 1e-9
    assert 0 <= sliced_wasserstein(a, b) <= 1


@settings(max_examples=30)
@given(samples, samples, st.integers(2, 4))
def test_only_the_distribution_counts_not_the_size(a: list[float], b: list[float], times: int) -> None:
    assert sliced_wasserstein(a * times, b) == pytest.approx(sliced_wasserstein(a, b), abs=1e-9)


@settings(max_examples=40)
@given(st.integers(1, 40), st.integers(1, 40))
def test_a_coupling_moves_everything_once(n: int, m: int) -> None:
    left, right, weights = coupling(n, m)
    assert np.bincount(left, weights) == pytest.approx([1 / n] * n)
    assert np.bincount(right, weights) == pytest.approx([1 / m] * m)
    assert (np.diff(left) >= 0).all()
    assert (np.diff(right) >= 0).all()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([], [0.5], "empty"),
        ([0.5], [math.nan], "not a number"),
        ([[0.1, 0.2]], [[0.1]], "dimensions"),
    ],
)
def test_what_has_no_distance_is_refused(a: list[float], b: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sliced_wasserstein(a, b)
