"""Majority labels, soft labels and marked words, counted by hand."""

from __future__ import annotations

import pytest

from unslant.core.errors import InputError
from unslant.lab.annotation.aggregation import NO_AGREEMENT, class_shares, majority_labels, word_votes
from unslant.lab.corpora.dataset import Annotation


def votes(item: str, labels: str, task: str = "bias") -> list[Annotation]:
    """One annotation per letter: each annotator gives one label."""
    return [
        Annotation(item=item, annotator=f"a{number}", task=task, label=label, text=f"Text of {item}.")
        for number, label in enumerate(labels)
    ]


@pytest.mark.parametrize(
    ("labels", "most", "half"),
    [
        ("bbb", "b", "b"),
        ("bbn", "b", "b"),
        ("bn", None, None),
        ("bbnn", None, None),
        # two of five is the most, but not half
        ("bbnxy", "b", None),
        ("bbnn?", None, None),
        ("b", "b", "b"),
    ],
)
def test_the_majority_by_two_rules(labels: str, most: str | None, half: str | None) -> None:
    (by_most,) = majority_labels(votes("1", labels), "bias", "most")
    (by_half,) = majority_labels(votes("1", labels), "bias", "half")
    assert by_most.label == most
    assert by_half.label == half
    assert by_most.ratings == len(labels)


def test_soft_labels_are_shares_the_highest_first() -> None:
    (item,) = majority_labels(votes("1", "nbbn?bbb"), "bias")
    assert list(item.shares.items()) == [("b", 5 / 8), ("n", 2 / 8), ("?", 1 / 8)]
    assert item.to_dict() == {
        "item": "1",
        "label": "b",
        "shares": {"b": 5 / 8, "n": 2 / 8, "?": 1 / 8},
        "ratings": 8,
        "text": "Text of 1.",
    }


def test_items_stay_in_order_and_other_tasks_do_not_count() -> None:
    rows = votes("2", "bb") + votes("1", "nn") + votes("1", "bbbb", task="other")
    assert [(item.item, item.label) for item in majority_labels(rows, "bias")] == [("2", "b"), ("1", "n")]


def test_a_task_that_nobody_judged_is_named() -> None:
    with pytest.raises(InputError, match="nobody judged the task 'slant'; choose another with --task"):
        majority_labels(votes("1", "bb"), "slant")


def test_the_shares_of_classes_count_no_agreement_apart() -> None:
    rows = votes("1", "bb") + votes("2", "bb") + votes("3", "nn") + votes("4", "bn")
    assert class_shares(majority_labels(rows, "bias")) == {"b": 0.5, "n": 0.25, NO_AGREEMENT: 0.25}


def marks(item: str, *phrases: str) -> list[Annotation]:
    """Each phrase is written as annotator:words."""
    found = []
    for phrase in phrases:
        annotator, _, words = phrase.partition(":")
        found.append(Annotation(item=item, annotator=annotator, task="words", label=words, text="A text."))
    return found


@pytest.mark.parametrize(
    ("threshold", "mentions", "expected"),
    [
        (1, False, ("radical", "left", "vile")),
        (2, False, ("radical",)),
        (3, False, ()),
        (2, True, ("radical", "left")),
        (3, True, ("radical",)),
    ],
)
def test_words_that_enough_annotators_marked(
    threshold: int, mentions: bool, expected: tuple[str, ...]
) -> None:
    rows = marks("1", "a:radical left", "a:radical left", "b:radical", "b:vile")
    (found,) = word_votes(rows, threshold, mentions=mentions)
    assert found.words == expected
