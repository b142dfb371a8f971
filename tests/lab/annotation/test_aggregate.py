from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import InputError
from unslant.core.types import Span
from unslant.lab.annotation.aggregation import (
    NO_AGREEMENT,
    WORDS,
    WORDS_PER_ITEM,
    SummarySettings,
    class_shares,
    majority_labels,
    summarize,
    word_votes,
)
from unslant.lab.corpora.dataset import Annotation


def rated(item: str, labels: str) -> list[Annotation]:
    return [
        Annotation(item, str(who), label, "bias", text=f"text {item}") for who, label in enumerate(labels)
    ]


def marked(item: str, who: str, *phrases: str) -> list[Annotation]:
    return [Annotation(item, who, phrase, "words") for phrase in phrases]


@pytest.mark.parametrize(
    ("labels", "most", "half"),
    [
        ("aab", "a", "a"),
        ("ab", None, None),
        ("aabc", "a", None),
        ("aabb", None, None),
        ("aabbc", None, None),
        ("a", "a", "a"),
    ],
)
def test_majorities(labels: str, most: str | None, half: str | None) -> None:
    assert majority_labels(rated("1", labels), "bias")[0].label == most
    assert majority_labels(rated("1", labels), "bias", "half")[0].label == half


def test_a_soft_label_is_the_share_of_annotators() -> None:
    (majority,) = majority_labels(rated("1", "abba" + "b"), "bias")
    assert majority.shares == {"b": pytest.approx(0.6), "a": pytest.approx(0.4)}
    assert (majority.text, majority.ratings) == ("text 1", 5)


@given(st.text("abc", min_size=1, max_size=9), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_who_said_it_first_does_not_matter_and_shares_add_up(labels: str, generator: random.Random) -> None:
    mixed = list(labels)
    generator.shuffle(mixed)
    (one,), (other,) = (
        majority_labels(rated("1", labels), "bias"),
        majority_labels(rated("1", "".join(mixed)), "bias"),
    )
    assert (one.label, one.shares) == (other.label, other.shares)
    assert sum(one.shares.values()) == pytest.approx(1)


def test_items_without_agreement_are_counted_apart() -> None:
    annotations = [*rated("1", "aab"), *rated("2", "ab"), *rated("3", "bb"), *rated("4", "aa")]
    assert class_shares(majority_labels(annotations, "bias")) == {"a": 0.5, "b": 0.25, NO_AGREEMENT: 0.25}


def test_a_word_counts_from_the_threshold_of_annotators() -> None:
    annotations = [
        *marked("1", "x", "utter nonsense", "wild"),
        *marked("1", "y", "nonsense"),
        *marked("1", "z", "nonsense", "wild"),
        *marked("2", "x", "alone"),
    ]
    found = {vote.item: vote.words for vote in word_votes(annotations, 2)}
    assert found == {"1": ("nonsense", "wild"), "2": ()}
    assert {vote.item: vote.words for vote in word_votes(annotations, 3)} == {"1": ("nonsense",), "2": ()}


def test_a_word_marked_twice_by_one_annotator_is_one_vote_unless_mentions_count() -> None:
    annotations = marked("1", "x", "very bad", "very")
    assert word_votes(annotations, 2)[0].words == ()
    assert word_votes(annotations, 2, mentions=True)[0].words == ("very",)


def test_a_task_that_nobody_judged_is_named() -> None:
    with pytest.raises(InputError, match="nobody judged the task 'opinion'"):
        majority_labels(rated("1", "ab"), "opinion")


def test_one_person_is_no_majority_and_is_counted_as_left_out() -> None:
    annotations = [*rated("1", "aab"), *rated("2", "a")]
    summary = summarize("mine.csv", annotations, "bias", SummarySettings())
    assert (summary.items, summary.left_out) == (1, 1)
    assert summarize("mine.csv", annotations, "bias", SummarySettings(least=1)).items == 2
    with pytest.raises(InputError, match="has 9 judgements or more"):
        summarize("mine.csv", annotations, "bias", SummarySettings(least=9))


def test_words_are_summarized_with_their_count() -> None:
    annotations = [*marked("1", "x", "bad", "bad"), *marked("1", "y", "bad"), *marked("2", "y", "odd")]
    summary = summarize("mine.csv", annotations, "words", SummarySettings())
    assert summary.figures == {WORDS: 1, WORDS_PER_ITEM: 1}
    assert summary.compared == ()


def test_spans_have_no_majority() -> None:
    spans = [Annotation("1", "x", "a", "spans", span=Span(0, 2))]
    with pytest.raises(InputError, match="'unslant agree' compares them"):
        summarize("mine.csv", spans, "spans", SummarySettings())
