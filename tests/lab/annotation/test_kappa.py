from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import UnknownName
from unslant.lab.annotation.coefficients import (
    Ratings,
    against_others_statistic,
    cohen_kappa,
    fleiss_kappa,
    mean_cohen_statistic,
    percent_agreement,
)
from unslant.lab.stats.bootstrap import Resampling, estimate

# Fleiss (1971): how many of 14 raters put each of 10 subjects into each of 5 categories.
FLEISS = """
0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7
"""


def ratings_of(*rows: str) -> Ratings:
    return Ratings.from_triples(
        (str(item), f"annotator {who}", label)
        for who, row in enumerate(rows)
        for item, label in enumerate(row)
        if label != "."
    )


def fleiss_example() -> Ratings:
    triples = []
    for item, row in enumerate(FLEISS.strip().splitlines()):
        labels = [str(label) for label, count in enumerate(map(int, row.split())) for _ in range(count)]
        triples += [(str(item), str(who), label) for who, label in enumerate(labels)]
    return Ratings.from_triples(triples)


def test_the_published_example_of_fleiss() -> None:
    assert fleiss_kappa(fleiss_example()).value == pytest.approx(0.210, abs=0.0005)
    assert percent_agreement(fleiss_example()).value == pytest.approx(0.378, abs=0.0005)


def test_cohen_by_hand() -> None:
    # Of 50, both say y 20 times and n 15 times; 5 times only the first says y, 10 times only the second.
    # p_o = 35/50 = 0.7; p_e = 25/50 * 30/50 + 25/50 * 20/50 = 0.5; kappa = 0.2/0.5 = 0.4.
    ratings = ratings_of("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15)
    assert cohen_kappa(ratings, "annotator 0", "annotator 1").value == pytest.approx(0.4)


def test_percent_by_hand_with_gaps() -> None:
    # Items: aab has 1 of 3 pairs, ab none of 1, a alone says nothing: (1/3 + 0) / 2.
    assert percent_agreement(ratings_of("aaa", "ab.", "b..")).value == pytest.approx(1 / 6)


def test_fleiss_by_hand() -> None:
    # Items aa, ab: P = 1/2; shares a 3/4, b 1/4: P_e = 10/16; kappa = (8/16 - 10/16) / (6/16) = -1/3.
    assert fleiss_kappa(ratings_of("aa", "ab")).value == pytest.approx(-1 / 3)


def test_items_that_only_one_rated_do_not_count() -> None:
    assert cohen_kappa(ratings_of("abab..", "ab..ba"), "annotator 0", "annotator 1").value == pytest.approx(1)


def test_undefined_is_not_zero() -> None:
    assert cohen_kappa(ratings_of("aa..", "..bb"), "annotator 0", "annotator 1").value is None
    assert cohen_kappa(ratings_of("aa", "aa"), "annotator 0", "annotator 1").value is None
    assert fleiss_kappa(ratings_of("aa", "aa")).value is None
    assert percent_agreement(ratings_of("ab")).value is None


def test_an_unknown_annotator_is_named() -> None:
    with pytest.raises(UnknownName, match="no annotator named 'annotator 7'"):
        cohen_kappa(ratings_of("ab", "ab"), "annotator 0", "annotator 7")


def test_the_mean_of_pairs_by_hand() -> None:
    # The first two always agree (1); each against the third, who says the opposite, is -1.
    ratings = ratings_of("abab", "abab", "baba")
    assert estimate(mean_cohen_statistic(ratings), 4, Resampling(0)).value == pytest.approx((1 - 1 - 1) / 3)


def test_an_annotator_who_answers_at_random_stands_out() -> None:
    generator = random.Random(1)
    truth = "".join(generator.choice("ab") for _ in range(3000))
    noise = "".join(generator.choice("ab") for _ in range(3000))
    ratings = ratings_of(truth, truth, noise)
    careful, _, careless = (
        estimate(against_others_statistic(ratings, who), 3000, Resampling(0)).value for who in range(3)
    )
    assert careful is not None
    assert careless == pytest.approx(0, abs=0.05)
    assert careful > 0.4


def test_one_annotator_against_one_other_is_cohens_kappa() -> None:
    ratings = ratings_of("aabbabba", "abbbabaa")
    pooled = estimate(against_others_statistic(ratings, 0), 8, Resampling(0)).value
    assert pooled == pytest.approx(cohen_kappa(ratings, "annotator 0", "annotator 1").value)


labels = st.text("abc", min_size=6, max_size=6)


@given(labels, labels, st.permutations(range(6)))
@settings(max_examples=50, deadline=None)
def test_order_does_not_matter(first: str, second: str, order: list[int]) -> None:
    mixed = ["".join(row[place] for place in order) for row in (first, second)]
    for measure in (fleiss_kappa, percent_agreement):
        before, after = measure(ratings_of(first, second)).value, measure(ratings_of(*reversed(mixed))).value
        assert before == (None if after is None else pytest.approx(after))
    there = cohen_kappa(ratings_of(first, second), "annotator 0", "annotator 1").value
    back = cohen_kappa(ratings_of(*mixed), "annotator 1", "annotator 0").value
    assert there == (None if back is None else pytest.approx(back))
    assert there is None or -1 - 1e-9 <= there <= 1 + 1e-9


@given(labels.filter(lambda text: len(set(text)) > 1))
@settings(max_examples=30, deadline=None)
def test_perfect_agreement_is_one(text: str) -> None:
    ratings = ratings_of(text, text)
    assert fleiss_kappa(ratings).value == pytest.approx(1)
    assert percent_agreement(ratings).value == pytest.approx(1)
    assert cohen_kappa(ratings, "annotator 0", "annotator 1").value == pytest.approx(1)


def test_chance_is_near_zero() -> None:
    generator = random.Random(5)
    rows = ["".join(generator.choice("abc") for _ in range(3000)) for _ in range(3)]
    assert fleiss_kappa(ratings_of(*rows)).value == pytest.approx(0, abs=0.03)
    assert cohen_kappa(ratings_of(*rows), "annotator 0", "annotator 2").value == pytest.approx(0, abs=0.03)
