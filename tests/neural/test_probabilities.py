"""From logits to probabilities, and from probabilities to words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Edit, Span
from unslant.neural.calibrate import (
    describe_probability,
    even_odds,
    percentage,
    sentence_probability,
    sigmoid,
    softmax,
)
from unslant.neural.checkpoint import DELETE, KEEP, edit_label, labelled_edit
from unslant.neural.span_edits import suggest


@pytest.mark.parametrize(
    ("logit", "probability"),
    [
        (0.0, 0.5),
        (math.log(3), 0.75),
        (-math.log(3), 0.25),
        (math.log(9), 0.9),
        (1000.0, 1.0),
        (-1000.0, 0.0),
    ],
)
def test_sigmoid(logit: float, probability: float) -> None:
    assert sigmoid(logit) == pytest.approx(probability)


@given(st.floats(-700, 700))
def test_sigmoid_is_symmetric(logit: float) -> None:
    assert sigmoid(logit) + sigmoid(-logit) == pytest.approx(1)


@pytest.mark.parametrize(
    ("logits", "probabilities"),
    [
        ([0.0, 0.0], [0.5, 0.5]),
        ([0.0, math.log(3)], [0.25, 0.75]),
        ([1000.0, 0.0], [1.0, 0.0]),
        ([5.0], [1.0]),
        ([math.log(1), math.log(2), math.log(7)], [0.1, 0.2, 0.7]),
    ],
)
def test_softmax(logits: list[float], probabilities: list[float]) -> None:
    assert softmax(logits) == pytest.approx(probabilities)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=6), st.floats(-50, 50))
def test_adding_the_same_to_all_logits_changes_nothing(logits: list[float], shift: float) -> None:
    assert softmax(logits) == pytest.approx(softmax([logit + shift for logit in logits]), abs=1e-9)
    assert sum(softmax(logits)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("score", "threshold", "expected"),
    [
        (0.3, 0.3, 0.5),
        (0.15, 0.3, 0.25),
        (0.65, 0.3, 0.75),
        (0.0, 0.3, 0.0),
        (1.0, 0.3, 1.0),
        (0.4, 0.5, 0.4),
        (0.4, 0.0, 0.4),
        (0.4, 1.0, 0.4),
        (0.8, 0.8, 0.5),
        (0.9, 0.8, 0.75),
    ],
)
def test_a_threshold_becomes_even_odds(score: float, threshold: float, expected: float) -> None:
    assert even_odds(score, threshold) == pytest.approx(expected)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_even_odds_keep_the_order(one: float, other: float, threshold: float) -> None:
    low, high = sorted((one, other))
    assert even_odds(low, threshold) <= even_odds(high, threshold)
    assert 0 <= even_odds(low, threshold) <= 1


@pytest.mark.parametrize(
    ("logit", "decision", "expected"),
    [
        (0.0, {}, 0.5),
        (math.log(3), {}, 0.75),
        # scaled to ln 9, and 0.9 lies halfway between 0.8 and 1
        (math.log(3), {"scale": 2.0, "threshold": 0.8}, 0.75),
        (0.0, {"offset": math.log(3)}, 0.75),
        (0.0, {"offset": -math.log(3), "threshold": 0.25}, 0.5),
    ],
)
def test_a_sentence_is_calibrated(logit: float, decision: dict[str, float], expected: float) -> None:
    assert sentence_probability(logit, decision) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "very likely"),
        (0.9, "very likely"),
        (0.89, "likely"),
        (0.7, "likely"),
        (0.69, "rather likely"),
        (0.5, "rather likely"),
        (0.49, "possibly"),
        (0.0, "possibly"),
    ],
)
def test_probabilities_in_words(probability: float, words: str) -> None:
    assert describe_probability(probability) == words


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0.0, "1%"), (0.004, "1%"), (0.5, "50%"), (0.876, "88%"), (0.994, "99%"), (1.0, "99%")],
)
def test_a_percentage_never_claims_certainty(probability: float, shown: str) -> None:
    assert percentage(probability) == shown


@pytest.mark.parametrize(
    ("label", "change"),
    [
        (DELETE, (3, 8, "")),
        ("replace:said", (3, 8, "said")),
        ("before:reportedly", (3, 3, "reportedly")),
        ("replace:so-called", (3, 8, "so-called")),
    ],
)
def test_a_label_is_an_edit_and_back(label: str, change: tuple[int, int, str]) -> None:
    edit = labelled_edit(label, Span(3, 8), 0.5)
    assert edit.change == change
    assert edit.probability == 0.5
    assert edit_label(edit) == label


@pytest.mark.parametrize("label", [KEEP, "", "replace:", "before: ", "append:x", "Delete"])
def test_a_label_that_is_no_edit_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="no such edit"):
        labelled_edit(label, Span(0, 1))


@pytest.mark.parametrize(
    ("text", "edit", "widened"),
    [
        ("a self-proclaimed king", (2, 6, ""), (2, 17, "")),
        ("a self-proclaimed king", (7, 17, ""), (2, 17, "")),
        ("a far-right mayor", (2, 5, "new"), (2, 11, "new")),
        ("a far-left mayor", (2, 5, "new"), (2, 10, "new")),
        ("a so called king", (2, 4, ""), (2, 4, "")),
        ("a well-to-do man", (7, 9, ""), (2, 12, "")),
        ("an old - very old - man", (9, 13, ""), (9, 13, "")),
        ("a far-right mayor", (6, 6, "new"), (2, 2, "new")),
    ],
)
def test_an_edit_takes_all_of_a_hyphenated_word(
    text: str, edit: tuple[int, int, str], widened: tuple[int, int, str]
) -> None:
    (found,) = suggest(text, [Edit(*edit, probability=0.5)], 0.5)
    assert found.change == widened


def test_suggestions_are_rescaled_and_each_is_made_once() -> None:
    text = "a far-right mayor"
    chosen = [
        Edit(2, 5, "", probability=0.4),
        Edit(6, 11, "", probability=0.3),
        Edit(12, 17, "", probability=0.1),
    ]
    found = suggest(text, chosen, 0.2)
    assert [edit.change for edit in found] == [(2, 11, ""), (12, 17, "")]
    assert [edit.probability for edit in found] == pytest.approx([0.5 + 0.5 * 0.2 / 0.8, 0.25])


def test_an_edit_that_would_leave_nothing_is_not_suggested() -> None:
    assert suggest("Radical!", [Edit(0, 7, "", probability=0.9)], 0.5) == []
