"""Figures over rewrites, by hand and against sacrebleu."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from unslant.core.types import Applicability, Edit
from unslant.lab.evaluation.rewrite import (
    bleu,
    changed_words,
    exact,
    facts_changed,
    normalize_marks,
    words_of,
)
from unslant.lab.evaluation.rewrite_systems import Output

sentences = st.lists(
    st.sampled_from("the town hall is very old , and it was built in 1901 .".split()), min_size=1, max_size=12
).map(" ".join)


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_bleu_is_that_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    outputs, references = [pair for pair, _ in pairs], [other for _, other in pairs]
    expected = BLEU(tokenize="13a").corpus_score(outputs, [references]).score / 100
    assert bleu(outputs, references).value == pytest.approx(expected, abs=1e-9)


def test_bleu_of_the_same_is_one_and_of_nothing_in_common_zero() -> None:
    same = ["The hall was built in 1901 ."]
    assert bleu(same, same).value == pytest.approx(1.0)
    assert bleu(["A b c d e"], ["v w x y z"]).value == 0


def test_marks_of_a_treebank_are_no_edits() -> None:
    assert normalize_marks("He called it `` old '' -LRB- twice -RRB- .") == 'He called it " old " ( twice ) .'
    assert exact(["He said “old”."], ["He said `` old '' ."]).value == 1
    assert exact(["He said old."], ["He said `` old '' ."]).value == 0
    assert words_of("It isn't (old).") == ["It", "isn", "'", "t", "(", "old", ")", "."]


def test_words_changed_count_what_is_gone_or_new() -> None:
    assert changed_words("The famous hall burned.", "The hall burned.") == 1
    assert changed_words("The hall burned.", "The hall burned.") == 0
    # three words for one: three are new
    assert changed_words("He claimed it.", "He wrote of seeing it.") == 3


@given(sentences, sentences)
@settings(max_examples=40, deadline=None)
def test_nothing_changes_only_where_nothing_changed(one: str, other: str) -> None:
    assert (changed_words(one, other) == 0) == (words_of(one) == words_of(other))
    assert facts_changed(one, one) == ()


@pytest.mark.parametrize(
    ("source", "output", "sorts"),
    [
        ("It cost 3.5 million.", "It cost 3 million.", ("numbers",)),
        ("It is not old.", "It is old.", ("denials",)),
        ("It isn't old.", "It is old.", ("denials",)),
        ("It may rain.", "It rains.", ("modal verbs",)),
        ('He said "very old" then.', 'He said "old" then.', ("quotations",)),
        ("See www.example.org now.", "See it now.", ("links",)),
        ("The great Ada Byron wrote.", "The great writer wrote.", ("names",)),
        ("The great anti-Roman play.", "The anti-Roman play.", ()),
        ("Sadly Ada wrote it.", "Ada wrote it.", ()),
        ("The famous hall burned.", "The hall burned.", ()),
    ],
)
def test_facts_are_distinguished_from_wording(source: str, output: str, sorts: tuple[str, ...]) -> None:
    assert facts_changed(source, output) == sorts


def test_safe_edits_are_looked_at_alone() -> None:
    source = "The famous hall cost 3 million."
    safe = Edit(4, 11, "", Applicability.SAFE)
    doubtful = Edit(21, 22, "4", Applicability.REVIEW)
    output = Output("whatever", (safe, doubtful))
    assert output.safe(source) == "The hall cost 3 million."
    assert Output("whatever").safe(source) is None
