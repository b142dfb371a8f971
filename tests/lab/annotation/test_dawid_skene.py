"""Labels from annotators of different reliability."""

from __future__ import annotations

import random

import pytest

from unslant.lab.annotation.aggregation import SummarySettings, disputed_items, majority_labels, summarize
from unslant.lab.annotation.dawid_skene import dawid_skene
from unslant.lab.corpora.dataset import Annotation


def test_two_careful_annotators_outvote_three_who_guess() -> None:
    """The truth is known here, and the majority misses it more often than the model does."""
    draw = random.Random(7)
    truth = {f"item {at}": "ab"[at % 2] for at in range(200)}
    right = {"careful 1": 0.95, "careful 2": 0.95, "guess 1": 0.5, "guess 2": 0.5, "guess 3": 0.5}

    def say(true: str, chance: float) -> str:
        return true if draw.random() < chance else "ba"["ab".index(true)]

    votes = [(item, who, say(true, chance)) for item, true in truth.items() for who, chance in right.items()]
    found = {item: next(iter(shares)) for item, shares in dawid_skene(votes).items()}
    annotations = [Annotation(item, who, label, "bias", text=item) for item, who, label in votes]
    majority = {one.item: one.label for one in majority_labels(annotations, "bias")}
    hits = sum(found[item] == true for item, true in truth.items())
    assert hits > sum(majority[item] == true for item, true in truth.items()) + 10
    assert hits >= 180


def test_probabilities_add_up_and_agreement_stays() -> None:
    votes = [("1", who, "a") for who in "xyz"] + [("2", who, "b") for who in "xyz"]
    for shares in dawid_skene(votes).values():
        assert sum(shares.values()) == pytest.approx(1)
    assert {item: next(iter(shares)) for item, shares in dawid_skene(votes).items()} == {"1": "a", "2": "b"}


def test_the_most_disputed_item_comes_first() -> None:
    def rated(item: str, labels: str) -> list[Annotation]:
        return [Annotation(item, str(who), label, "bias", text=item) for who, label in enumerate(labels)]

    annotations = [*rated("clear", "aaaa"), *rated("divided", "aabb"), *rated("nearly", "aaab")]
    assert [item.item for item in disputed_items(majority_labels(annotations, "bias"))] == [
        "divided",
        "nearly",
    ]
    summary = summarize("mine", annotations, "bias", SummarySettings("dawid-skene"))
    assert {row["item"] for row in summary.rows} == {"clear", "divided", "nearly"}
