"""Word vectors, plain and blind to the sides."""

from __future__ import annotations

import random

import numpy as np
import pytest

from unslant.core.errors import ConfigError
from unslant.lab.debias.vectors import (
    GloveSettings,
    count_co_occurrences,
    nearest_words,
    train_vectors,
    vocabulary,
)
from unslant.lab.debias.words import BiasWords

pytestmark = pytest.mark.torch

WORDS = BiasWords(("amber", "birch"), ("cobalt", "drift"))
SMALL = GloveSettings(width=8, epochs=30, batch=512, window=4)


def texts(count: int = 300) -> list[list[str]]:
    """Sea and hill words keep to themselves; within each, some keep the company of one side."""
    rng = random.Random(0)
    sea, hill = "boat wave harbour sail".split(), "ridge peak trail summit".split()
    found = []
    for number in range(count):
        group, side = (sea, WORDS.left) if number % 2 else (hill, WORDS.right)
        found.append([rng.choice([*group, *group, *side]) for _ in range(12)])
    return found


def test_meetings_by_hand() -> None:
    known = ["a", "b", "c"]
    rows, columns, weights = count_co_occurrences([["a", "b", "x", "a"], ["c"]], known, 3)
    found = {
        (known[row], known[column]): weight
        for row, column, weight in zip(rows, columns, weights, strict=True)
    }
    # a-b one apart, b-a two apart, a-a three apart (once for each way); the second text meets nobody
    assert sum(weights) == pytest.approx(2 * (1 + 1 / 2 + 1 / 3))
    assert found["a", "b"] in (pytest.approx(1.0), pytest.approx(0.5))
    assert all("c" not in pair for pair in found)


def test_the_vocabulary_keeps_the_frequent_and_the_wanted() -> None:
    text = ["ant", "ant", "bee", "bee", "cow", "42", "42", "42", "u"]
    assert vocabulary([text], 2) == ["ant", "bee"]
    assert vocabulary([text], 2, {"cow", "never"}) == ["ant", "bee", "cow"]


def test_words_of_the_same_company_are_near() -> None:
    made = texts()
    known = vocabulary(made, 50)
    vectors = train_vectors(known, count_co_occurrences(made, known, SMALL.window), SMALL)
    (near,) = nearest_words(known, vectors, ["boat"], 3).values()
    assert set(near) <= {"wave", "harbour", "sail", "amber", "birch"}
    (other,) = nearest_words(known, vectors, ["boat"], 1, without=WORDS.all).values()
    assert other[0] in {"wave", "harbour", "sail"}


def test_neutral_vectors_keep_other_words_off_the_line_between_the_sides() -> None:
    made = texts()
    known = vocabulary(made, 50)
    pairs = count_co_occurrences(made, known, SMALL.window)

    def leaning(vectors: np.ndarray) -> float:
        place = {word: at for at, word in enumerate(known)}
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        line = unit[[place[word] for word in WORDS.left]].mean(0) - unit[
            [place[word] for word in WORDS.right]
        ].mean(0)
        line /= np.linalg.norm(line)
        rest = [place[word] for word in known if word not in WORDS.all]
        return float(np.abs(unit[rest] @ line).mean())

    plain, neutral = train_vectors(known, pairs, SMALL), train_vectors(known, pairs, SMALL, WORDS)
    assert plain.shape == neutral.shape == (len(known), 8)
    assert leaning(neutral) < leaning(plain)


def test_training_is_repeatable_and_refuses_what_it_cannot_use() -> None:
    made = texts(40)
    known = vocabulary(made, 50)
    pairs = count_co_occurrences(made, known, 2)
    few = GloveSettings(width=4, epochs=2)
    assert (train_vectors(known, pairs, few) == train_vectors(known, pairs, few)).all()
    with pytest.raises(ConfigError, match="no bias word of one of the sides"):
        train_vectors(known, pairs, few, BiasWords(("x",), ("y",)))
    with pytest.raises(ConfigError, match="no words co-occur"):
        train_vectors(["a"], count_co_occurrences([["a"]], ["a"], 2), few)
