"""Reading only what is worth it gives the same guesses as reading everything."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.edit_labels import op_of
from unslant.neural.guessing import guesses, likely
from unslant.neural.regions import suggest, worth_a_look
from unslant.neural.spans import words

LABELS = ("keep", "delete", *(f"replace:w{at}" for at in range(12)), "before:some")
TEXT = "They claimed it was big"
OFFSETS = [(0, 4), (5, 9), (9, 12), (13, 15), (16, 19), (20, 23)]
VALUES = np.array([-8.0, -1.0, 0.0, 0.5, 2.0, 4.0])
# few different numbers, so that many are equal
LOGITS = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).choice(VALUES, (len(OFFSETS), len(LABELS)))
)


@settings(max_examples=60)
@given(LOGITS, st.floats(0, 1))
def test_words_that_stay_are_left_out_and_nothing_else(logits: np.ndarray, least: float) -> None:
    everything = guesses(TEXT, OFFSETS, logits, LABELS)
    assert [one.word for one in everything] == [word for _, word in words(TEXT, OFFSETS)]
    found = likely(TEXT, words(TEXT, OFFSETS), logits, LABELS, least=least)
    assert found == [one for one in everything if one.change >= least]


@settings(max_examples=60)
@given(LOGITS)
def test_the_likeliest_edits_come_first_and_of_equal_ones_the_first_label(logits: np.ndarray) -> None:
    for (index, _), guess in zip(words(TEXT, OFFSETS), guesses(TEXT, OFFSETS, logits, LABELS), strict=True):
        order = sorted(range(1, len(LABELS)), key=lambda at: (-logits[index][at], at))
        assert [op for op, _ in guess.ops] == [op_of(LABELS[at]) for at in order[:3]]


@settings(max_examples=60)
@given(LOGITS, st.sampled_from([0.3, 0.5, 0.95]))
def test_what_is_not_worth_a_look_changes_no_suggestion(logits: np.ndarray, threshold: float) -> None:
    few = likely(TEXT, words(TEXT, OFFSETS), logits, LABELS, least=worth_a_look(threshold))
    assert suggest(TEXT, few, threshold) == suggest(TEXT, guesses(TEXT, OFFSETS, logits, LABELS), threshold)


def test_nothing_is_guessed_of_nothing() -> None:
    assert likely("", [], np.zeros((0, 4)), LABELS, least=0.5) == []
    assert likely("a", [(0, Span(0, 1))], np.array([[9.0] + [0.0] * 14]), LABELS, least=0.5) == []
