from __future__ import annotations

import random

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.core.errors import InputError
from unslant.lab.annotation.coefficients import Level, Ratings, RatingScale, alpha
from unslant.lab.stats.bootstrap import Resampling

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), section C: four observers, twelve units.
PUBLISHED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""

Triples = list[tuple[str, str, str]]


def triples_of(table: str) -> Triples:
    return [
        (str(unit), str(observer), value)
        for observer, row in enumerate(table.strip().splitlines())
        for unit, value in enumerate(row.split())
        if value != "."
    ]


def alpha_of(triples: Triples, level: Level = "nominal") -> float | None:
    return alpha(Ratings.from_triples(triples), RatingScale(level)).value


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level: Level, expected: float) -> None:
    assert alpha_of(triples_of(PUBLISHED), level) == pytest.approx(expected, abs=0.0005)


def test_a_nominal_example_by_hand() -> None:
    # Units aa, ab, bb: each contributes its pairs. n_a = n_b = 3, n = 6.
    # D_o = 2/6 (the two orders of the one unequal pair); D_e = 2*3*3 / (6*5) = 0.6; alpha = 1 - (1/3)/0.6 = 4/9.
    assert alpha_of(triples_of("a a b\na b b")) == pytest.approx(4 / 9)


def test_an_interval_example_by_hand() -> None:
    # Units (1,1), (1,3), (3,3): D_o = 2*4/6 = 4/3; D_e = 2*3*3*4 / 30 = 2.4; alpha = 1 - (4/3)/2.4 = 4/9.
    assert alpha_of(triples_of("1 1 3\n1 3 3"), "interval") == pytest.approx(4 / 9)


def test_an_ordinal_example_by_hand() -> None:
    # Units (1,1), (1,2), (3,3), (3,3): n_1 = 3, n_2 = 1, n_3 = 4, n = 8, mid-ranks 1.5, 3.5 and 6.
    # D_o = 2*(2)^2 / 8 = 1; D_e = 2*(3*1*4 + 3*4*20.25 + 1*4*6.25) / (8*7) = 2*(12 + 243 + 25)/56 = 10; alpha = 0.9.
    assert alpha_of(triples_of("1 1 3 3\n1 2 3 3"), "ordinal") == pytest.approx(0.9)


def test_a_scale_in_words_counts_its_steps() -> None:
    words = [
        (item, who, {"1": "low", "2": "mid", "3": "high"}[value])
        for item, who, value in triples_of("1 1 3\n1 3 3")
    ]
    scale = RatingScale("interval", ("low", "mid", "high"))
    assert alpha(Ratings.from_triples(words), scale).value == pytest.approx(4 / 9)


def test_a_label_that_is_not_on_the_scale_is_named() -> None:
    ratings = Ratings.from_triples(triples_of("1 1 3\n1 3 3"))
    with pytest.raises(InputError, match="'3' is not on the scale; the scale has 1, 2"):
        alpha(ratings, RatingScale("ordinal", ("1", "2")))
    with pytest.raises(InputError, match="needs numbers or an order"):
        alpha(Ratings.from_triples(triples_of("a b\na a")), RatingScale("interval"))


def test_nothing_to_compare_is_undefined_rather_than_zero() -> None:
    assert alpha_of([]) is None
    assert alpha_of([("1", "x", "a"), ("2", "x", "b")]) is None
    assert alpha_of(triples_of("a a a\na a a")) is None
    assert alpha_of(triples_of("0.1 0.1 0.1\n0.1 0.1 0.1"), "interval") is None


def test_a_second_rating_by_the_same_annotator_is_an_error() -> None:
    with pytest.raises(InputError, match="annotator x rated the item 1 twice"):
        Ratings.from_triples([("1", "x", "a"), ("1", "x", "b")])


@st.composite
def tables(draw: st.DrawFn) -> Triples:
    cell = st.sampled_from(["1", "2", "3", "5", "."])
    rows = draw(st.lists(st.lists(cell, min_size=4, max_size=9), min_size=2, max_size=5))
    return triples_of("\n".join(" ".join(row) for row in rows))


LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_and_names_of_annotators_and_items_do_not_matter(
    triples: Triples, generator: random.Random
) -> None:
    names = {str(place): f"n{place}" for place in range(10)}
    mixed = [(names[item], names[who], label) for item, who, label in triples]
    generator.shuffle(mixed)
    for level in LEVELS:
        before, after = alpha_of(triples, level), alpha_of(mixed, level)
        assert (before is None) == (after is None)
        assert before is None or after == pytest.approx(before, abs=1e-9)


@given(st.lists(st.sampled_from("123"), min_size=2, max_size=12).filter(lambda labels: len(set(labels)) > 1))
@settings(max_examples=40, deadline=None)
def test_perfect_agreement_is_one(labels: list[str]) -> None:
    row = " ".join(labels)
    for level in LEVELS:
        assert alpha_of(triples_of(f"{row}\n{row}\n{row}"), level) == pytest.approx(1)


def random_triples(items: int, annotators: int, share: float = 1.0, seed: int = 0) -> Triples:
    generator = random.Random(seed)
    return [
        (str(item), str(who), str(generator.randint(0, 4)))
        for item in range(items)
        for who in range(annotators)
        if generator.random() < share
    ]


def test_chance_is_near_zero() -> None:
    for level in LEVELS:
        assert alpha_of(random_triples(2000, 5), level) == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_holds_the_truth_about_as_often_as_it_says(level: Level) -> None:
    held = 0
    for seed in range(60):
        ratings = Ratings.from_triples(random_triples(150, 4, seed=seed))
        found = alpha(ratings, RatingScale(level), Resampling(200))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    # 95 % of 60 are 57; 50 or fewer would come in one of a thousand runs of a right interval.
    assert held > 50


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(3))
def test_the_value_is_that_of_the_krippendorff_package(level: Level, seed: int) -> None:
    triples = random_triples(60, 4, share=0.6, seed=seed)
    matrix = np.full((4, 60), np.nan)
    for item, who, label in triples:
        matrix[int(who), int(item)] = float(label)
    expected = krippendorff.alpha(reliability_data=matrix, level_of_measurement=level)
    assert alpha_of(triples, level) == pytest.approx(expected, abs=1e-9)


def test_the_cost_grows_no_faster_than_the_ratings() -> None:
    def all_levels(triples: Triples) -> None:
        for level in LEVELS:
            alpha(Ratings.from_triples(triples), RatingScale(level))

    assert_linear(all_levels, lambda items: random_triples(items, 5), 450)
    # eight times the ratings of every item are 64 times the pairs
    assert_linear(all_levels, lambda annotators: random_triples(400, annotators), 20)


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    ratings = Ratings.from_triples(triples_of(PUBLISHED))
    first = alpha(ratings, RatingScale(), Resampling(200, seed=1))
    assert first == alpha(ratings, RatingScale(), Resampling(200, seed=1))
    assert first != alpha(ratings, RatingScale(), Resampling(200, seed=2))


def test_the_interval_narrows_with_more_items() -> None:
    def width(items: int) -> float:
        generator = random.Random(3)
        triples = []
        for item in range(items):
            truth = generator.choice("ab")
            for who in range(3):
                label = truth if generator.random() < 0.8 else generator.choice("ab")
                triples.append((str(item), str(who), label))
        found = alpha(Ratings.from_triples(triples), RatingScale(), Resampling(400))
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    # Four times the items halve the interval.
    assert width(800) == pytest.approx(width(200) / 2, rel=0.3)
