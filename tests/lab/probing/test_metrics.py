"""Figures against values worked out by hand and against sacrebleu."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from unslant.lab.probing.items import ProbeItem
from unslant.lab.probing.metrics import (
    METRICS,
    bleu,
    bleu_counts,
    count_answer,
    decompose_variance,
    measure_calibration,
    meteor,
    summarize,
    token_f1,
)
from unslant.lab.probing.prompts import ProbeAnswer

WORDS = st.lists(st.sampled_from("the cat sat on a mat and ran".split()), max_size=9).map(" ".join)


def test_token_f1_counts_common_tokens_whatever_their_order_and_case() -> None:
    assert token_f1("The cat sat", ["sat the CAT"]) == 1
    assert token_f1("the cat", ["the dog"]) == 0.5
    assert token_f1("the the the", ["the"]) == pytest.approx(2 / 4)
    assert token_f1("dog", ["a cat", "a dog"]) == pytest.approx(2 / 3)
    assert token_f1("", ["a cat"]) == 0


def test_meteor_by_hand() -> None:
    # all of six words in one chunk: 1 - 0.5 * (1 / 6) ** 3
    assert meteor("the cat sat on a mat", ["the cat sat on a mat"]) == pytest.approx(1 - 0.5 / 216)
    # one word of one: as many chunks as matches
    assert meteor("cat", ["cat"]) == pytest.approx(0.5)
    # two matches of three words and of two, in two chunks: P 2/3, R 1
    mean = (2 / 3) / (0.9 * 2 / 3 + 0.1)
    assert meteor("cat the mat", ["mat cat"]) == pytest.approx(mean * 0.5)
    # the stem counts where the word differs
    assert meteor("cats running", ["cat runs"]) == pytest.approx(1 - 0.5 / 8)
    assert meteor("dog", ["cat"]) == 0
    assert meteor("dog", ["cat", "dog"]) == pytest.approx(0.5)


def test_a_repeated_word_goes_on_with_its_chunk() -> None:
    # "the" stands twice in the reference; the pairing that keeps the words together has a single chunk
    assert meteor("sat on the mat", ["the cat sat on the mat"]) == pytest.approx(
        (4 / 6) / (0.9 + 0.1 * 4 / 6) * (1 - 0.5 / 64)
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=6))
def test_bleu_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    counts = np.array([bleu_counts(said, [right]) for said, right in pairs])
    wanted = BLEU().corpus_score([said for said, _ in pairs], [[right for _, right in pairs]]).score
    assert float(bleu(counts.sum(axis=0))) == pytest.approx(wanted, abs=1e-6)


def _diagnosed(pairs: list[tuple[str, float]]) -> dict[str, float | None]:
    rows = [
        count_answer("diagnosis", ProbeItem("1", "x", (gold,)), ProbeAnswer("?", chance))
        for gold, chance in pairs
    ]
    counts = np.array([[rows]])
    return {metric.name: summarize(counts, metric.formula, 0).mean for metric in METRICS["diagnosis"]}


def test_accuracy_and_f1_of_yes_and_no() -> None:
    found = _diagnosed([("yes", 0.9), ("yes", 0.2), ("no", 0.1), ("no", 0.7), ("no", 0.5)])
    assert found["accuracy"] == pytest.approx(60)
    assert found["f1"] == pytest.approx(100 * 2 / 4)
    assert found["macro"] == pytest.approx((50 + 100 * 4 / 6) / 2)


def test_an_answer_that_was_set_aside_counts_nowhere() -> None:
    item = ProbeItem("1", "x", ("race",), "race")
    rows = [
        count_answer("identification", item, ProbeAnswer("race")),
        count_answer("identification", item, ProbeAnswer("?", valid=False)),
    ]
    assert summarize(np.array([[rows]]), METRICS["identification"][0].formula, 0).mean == 100
    assert len(count_answer("extraction", item, ProbeAnswer("", valid=False))) == len(
        count_answer("extraction", item, ProbeAnswer("x"))
    )


def test_mean_and_deviation_are_over_wordings_and_seeds() -> None:
    # one of three seeds is right about the only text: 33.3 ± 47.1, as the publication prints it
    counts = np.array([[[[1.0, 1.0]], [[1.0, 0.0]], [[1.0, 0.0]]]])
    found = summarize(counts, METRICS["identification"][0].formula)
    assert (round(found.mean or 0, 1), round(found.deviation or 0, 1)) == (33.3, 47.1)


def test_the_interval_holds_the_mean_and_narrows_with_more_texts() -> None:
    rng = np.random.default_rng(0)

    def width(items: int) -> float:
        right = (rng.random((3, 2, items)) < 0.4).astype(float)
        counts = np.stack([np.ones_like(right), right], axis=-1)
        found = summarize(counts, METRICS["identification"][0].formula, 400)
        assert found.low is not None
        assert found.high is not None
        assert found.mean is not None
        assert found.low < found.mean < found.high
        return found.high - found.low

    assert width(400) < width(40) / 2


def test_a_figure_over_nothing_is_undefined() -> None:
    assert summarize(np.zeros((1, 1, 3, 2)), METRICS["identification"][0].formula).mean is None


def test_the_shares_of_the_variance() -> None:
    scores = np.zeros((2, 1, 4))
    scores[1] = 1
    assert decompose_variance(scores) == pytest.approx({"wording": 1, "seed": 0, "text": 0, "rest": 0})
    text = np.zeros((2, 1, 4))
    text[:, :, :2] = 1
    assert decompose_variance(text) == pytest.approx({"wording": 0, "seed": 0, "text": 1, "rest": 0})
    both = np.array([[[0.0, 1.0]], [[1.0, 0.0]]])
    assert decompose_variance(both) == pytest.approx({"wording": 0, "seed": 0, "text": 0, "rest": 1})
    assert decompose_variance(np.ones((2, 1, 3))) is None


def test_calibration_by_hand() -> None:
    found = measure_calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False])
    assert found["ece"] == pytest.approx((2 * 0.1 + 2 * 0.4) / 4)
    assert found["brier"] == pytest.approx((0.01 + 0.01 + 0.01 + 0.81) / 4)
    assert [row["count"] for row in found["bins"]] == [2, 2]
    assert measure_calibration([0.5] * 4, [True, False] * 2)["brier"] == 0.25
    assert measure_calibration([1.0], [True])["ece"] == 0
    assert measure_calibration([], [])["ece"] is None


@given(WORDS, WORDS.filter(bool))
def test_overlap_lies_between_0_and_1(said: str, right: str) -> None:
    for figure in (token_f1(said, [right]), meteor(said, [right])):
        assert 0 <= figure <= 1
        assert math.isfinite(figure)
