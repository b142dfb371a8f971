"""The order of words: trigram scores worked out by hand on a tiny corpus."""

from __future__ import annotations

import math
from array import array

import pytest

from unslant.rewrite.edit_judge import EditJudge, features
from unslant.rewrite.word_order import ALIKE, EDGE, NAME, NUMBER, WordOrder, shape
from unslant.text.words import split_words

# classes: 0 other, 1 edge, 2 "the", 3 noun, 4 "."
CLASSES = {EDGE: 1, "the": 2, "dog": 3, "cat": 3, ".": 4}
SINGLE = [1, 4, 2, 3, 2]
PAIRS = {(1, 2): 2, (2, 3): 2, (3, 4): 2, (4, 1): 2, (3, 3): 1}
TRIPLES = {(1, 2, 3): 2, (2, 3, 4): 1, (3, 4, 1): 2}


@pytest.fixture
def order() -> WordOrder:
    size = 5
    pairs = array("I", [0] * size * size)
    for (first, second), count in PAIRS.items():
        pairs[first * size + second] = count
    keys = {
        (first * size + second) * size + third: count for (first, second, third), count in TRIPLES.items()
    }
    triples = array("I", sorted(keys))
    counts = array("I", [keys[key] for key in sorted(keys)])
    return WordOrder(CLASSES, {"ing": 3, "": 0}, size, array("I", SINGLE), pairs, triples, counts)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("The dog ran.", 0, "the"),
        ("The Dog ran.", 1, NAME),
        ("Yes, Ann ran.", 2, "ann"),
        ("He saw Ann.", 2, NAME),
        ("He has 52 dogs.", 2, NUMBER),
        ("The 1990s ended.", 1, NUMBER),
        ("Then I ran.", 1, "i"),
        ("The right won.", 1, "left"),
        ("The left won.", 1, "left"),
        ("The republicans won.", 1, "democrats"),
        ("The democrats won.", 1, "democrats"),
        ("The woman won.", 1, "man"),
    ],
)
def test_the_form_in_which_a_word_is_looked_up(text: str, at: int, expected: str) -> None:
    assert shape(split_words(text), at) == expected


def test_both_sides_are_read_as_one() -> None:
    assert ALIKE["right-wing"] == "left-wing"
    assert ALIKE["republican"] == "democratic"
    assert ALIKE["conservative"] == ALIKE["progressive"] == "liberal"


def test_classes_of_words(order: WordOrder) -> None:
    assert order.class_of("dog") == 3
    assert order.class_of("running") == 3  # by its ending
    assert order.class_of("blue") == 0  # the empty ending
    assert order.sequence(split_words("The dog.")) == [1, 2, 3, 4, 1]
    assert order.total == 12


def test_a_triple_that_was_seen(order: WordOrder) -> None:
    # "the dog" after the edge: 2 of the 2 pairs edge-the
    assert order.score([1, 2, 3], 2) == pytest.approx(math.log(2 / 2))
    # noun-stop after "the": 1 of the 2 pairs the-noun
    assert order.score([1, 2, 3, 4], 3) == pytest.approx(math.log(1 / 2))


def test_a_pair_that_was_seen_where_the_triple_was_not(order: WordOrder) -> None:
    # noun-noun was seen once among 3 nouns, never after "the"; backing off costs a factor of 0.4
    assert order.score([2, 3, 3], 2) == pytest.approx(math.log(0.4 * 1 / 3))


def test_a_pair_at_the_start_costs_nothing_more(order: WordOrder) -> None:
    assert order.score([1, 2], 1) == pytest.approx(math.log(2 / 4))


def test_what_was_never_seen_falls_back_to_the_word_alone(order: WordOrder) -> None:
    # "the the": 2 of 12 words, with two steps back
    assert order.score([1, 2, 2], 2) == pytest.approx(math.log(0.4 * 0.4 * 2 / 12))


def test_attraction_compares_with_chance(order: WordOrder) -> None:
    # the-noun: seen 2 times, by chance 2 * 3 / 12
    assert order.attraction(2, 3) == pytest.approx(math.log((2 + 0.5) / (0.5 + 0.5)))
    assert order.attraction(3, 2) == pytest.approx(math.log((0 + 0.5) / (0.5 + 0.5)))


def test_the_judge_is_a_logistic_regression(order: WordOrder) -> None:
    judge = EditJudge(order, {"bias": 0.5, "delete": -1.0, "out blue": 2.0}, 0.5, 0.4, 0.9, {})
    # 0.5 - 1.0 + 2.0
    assert judge.probability("The blue dog.", "The dog.") == pytest.approx(1 / (1 + math.exp(-1.5)))
    assert judge.probability("The old dog.", "The dog.") == pytest.approx(1 / (1 + math.exp(0.5)))
    assert judge.probability("The dog.", "The blue dog.") == pytest.approx(1 / (1 + math.exp(-0.5)))


def test_extreme_weights_are_bounded(order: WordOrder) -> None:
    sure = EditJudge(order, {"bias": 1e9}, 0.5, 0.4, 0.9, {})
    assert 0.999 < sure.probability("The dog.", "The cat.") <= 1
    assert EditJudge(order, {"bias": -1e9}, 0.5, 0.4, 0.9, {}).probability("The dog.", "The cat.") < 0.001


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ("The blue dog.", "The dog.", {"delete", "delete 1 0", "out blue", "delete loses 1", "delete -"}),
        ("The dog.", "The blue dog.", {"insert", "insert 0 1", "in blue", "insert loses 0"}),
        ("The dog.", "The cat.", {"replace", "replace 1 1", "out dog", "in cat", "dog > cat", "ending - -"}),
        ("Sadly, he ran.", "He ran.", {"delete", "out sadly", "delete at the start"}),
        ("He ran sadly.", "He ran.", {"delete ly", "delete before a mark"}),
        ("He did not run.", "He did run.", {"fact negation"}),
        ("He saw the dog.", "He saw the the dog.", {"problem two articles in a row", "problem a word twice"}),
    ],
)
def test_what_the_judge_looks_at(order: WordOrder, before: str, after: str, names: set[str]) -> None:
    assert names <= {name for name, _ in features(order, before, after)}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("The vile left won.", "The left won."), ("The vile right won.", "The right won.")),
        (
            ("Vile democrats came home.", "Democrats came home."),
            ("Vile republicans came home.", "Republicans came home."),
        ),
        (("A man slammed it.", "A man opposed it."), ("A woman slammed it.", "A woman opposed it.")),
    ],
)
def test_an_edit_is_judged_alike_whichever_side_it_is_about(
    order: WordOrder, left: tuple[str, str], right: tuple[str, str]
) -> None:
    assert features(order, *left) == features(order, *right)
