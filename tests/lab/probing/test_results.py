"""Metrics against values computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from unslant.lab.probing.descriptions import ProbeAnswer
from unslant.lab.probing.items import ProbeItem
from unslant.lab.probing.results import (
    METRICS,
    count_answer,
    decompose_variance,
    measure_calibration,
    summarize,
)


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
    assert summarize(counts[:, :1], METRICS["identification"][0].formula).deviation is None


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
