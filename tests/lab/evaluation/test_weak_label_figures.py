"""The weak labeller against annotators."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.evaluation.weak_labels import (
    PUBLISHED,
    LabelCounts,
    fit,
    gold_pairs,
    measure,
    observations,
    report_text,
    tune,
    weak_labels,
)
from unslant.lab.wiki.edits import labeller_data
from unslant.lab.wiki.weak_labels import LabelledPair


def _example(text: str, label: bool | None, *spans: tuple[int, int]) -> Example:
    marked = tuple(LabelledSpan(Span(*span)) for span in spans)
    return Example("x", text, "own", "own", label=label, spans=marked)


def test_the_figures_follow_their_definition() -> None:
    counts = LabelCounts()
    text = "one two three four five"
    neutral = _example(text, False)
    slanted = _example(text, True, (0, 7), (19, 23))
    measure(counts, LabelledPair(text, "", (), (Span(4, 7), Span(8, 13)), 1.0), slanted, neutral)
    measure(counts, LabelledPair(text, "", (), (Span(0, 3),), 1.0), _example(text, None), neutral)
    measure(counts, LabelledPair(text, "", (), (), 0.0), slanted, neutral)
    figures = counts.to_dict()
    # three targets and two of the three sources have a label; of these sources one is found
    assert figures["accuracy"] == pytest.approx(4 / 5, abs=1e-4)
    assert figures["accuracy_source"] == 0.5
    assert figures["precision"] == pytest.approx(1 / 3, abs=1e-4)  # one of three spans meets a marked one
    assert figures["recall"] == 0.25
    assert figures["precision_among_slanted"] == 0.5
    assert figures["precision_exact"] == 0.0


def test_fitting_finds_what_tells() -> None:
    data = [({"telling": float(place % 2), "noise": place % 3 / 2}, bool(place % 2)) for place in range(60)]
    weights = fit(data)
    assert weights["telling"] > 1 > abs(weights["noise"])
    assert 0.5 < tune(data, weights) < 1
    assert tune(data, weights, kept=1.0) <= tune(data, weights, kept=0.5)


@pytest.mark.shared
def test_the_published_marks_are_met(shared_data: Path) -> None:
    figures = weak_labels(shared_data)
    assert figures["pairs"] == 4095
    assert {name: figures[name] >= mark for name, mark in PUBLISHED.items()} == dict.fromkeys(PUBLISHED, True)
    table = report_text(figures).splitlines()
    assert [line.split()[0] for line in table[1:-1]] == ["published", "all", "train", "dev", "test"]
    assert table[1].split()[1:] == ["87.0%", "84.7%", "76.6%"]
    test = figures["splits"]["test"]
    assert test["accuracy"] >= 0.87
    assert test["precision"] >= 0.8
    assert test["recall"] >= 0.766
    assert test["precision_among_slanted"] >= 0.847


@pytest.mark.shared
def test_what_ships_was_fitted_on_dev(shared_data: Path) -> None:
    seen = observations(pair for pair in gold_pairs(shared_data) if pair[0].split == "dev")
    weights = fit(seen)
    assert weights == pytest.approx(labeller_data().weights, abs=0.002)
    assert tune(seen, weights) == labeller_data().threshold
