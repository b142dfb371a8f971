"""What editors did, edit by edit, and what of it is worth learning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Edit, Span
from unslant.lab.detector.data import Data
from unslant.lab.detector.edits import (
    CHANGED,
    Hints,
    KnownEdit,
    coverage,
    fold_words,
    known_edits,
    no_hints,
    rule_hints,
    token_edits,
    vocabulary,
)
from unslant.lab.detector.recipe import HeadPlan, Part, Recipe, Stage
from unslant.neural.checkpoint import DELETE, KEEP, labelled_edit
from unslant.text.edits import apply_edits
from unslant.text.words import PART


def known(source: str, target: str, names: Sequence[str], hints: Hints = no_hints) -> list[KnownEdit]:
    starts = {match.start(): at for at, match in enumerate(PART.finditer(source))}
    return known_edits(source, target, {name: at for at, name in enumerate(names)}, starts, hints)


def rebuilt(source: str, target: str, names: Sequence[str]) -> str | None:
    """Number the edits of a pair, then make them; None where the vocabulary lacks one."""
    found = known(source, target, names)
    changed = token_edits(source, target)
    if any(item.edit < 0 for item in found) or any(edit.start == len(source) for edit in changed):
        return None
    if len(found) != max(len(changed), 1):
        return None
    spans = [Span(*match.span()) for match in PART.finditer(source)]
    edits = [
        labelled_edit(names[item.edit], Span(spans[item.first].start, spans[item.first + item.more].end))
        for item in found
        if item.edit
    ]
    # spaces do not count where words are compared
    return apply_edits(source, [replace(edit, replacement=f" {edit.replacement} ") for edit in edits])


def words_of(text: str, edit: Edit) -> list[str]:
    return PART.findall(text[edit.start : edit.end])


def test_an_edit_says_what_went_and_what_came() -> None:
    source = "He boldly claimed that an awful war began."
    first, second = token_edits(source, "He said that a war began.")
    assert (words_of(source, first), first.replacement) == (["boldly", "claimed"], "said")
    # a and an follow from the next word: only the adjective went
    assert (words_of(source, second), second.replacement) == (["awful"], "")


def test_case_and_white_space_are_no_change() -> None:
    assert token_edits("The  War began", "the war began") == ()
    assert fold_words("An Apple,  a pear") == ("a", "apple", ",", "a", "pear")


def test_something_put_in_belongs_to_the_next_word() -> None:
    assert token_edits("Experts agree.", "Some experts agree.") == (Edit(0, 0, "Some"),)
    assert token_edits("They agree", "They agree today") == (Edit(10, 10, "today"),)


PAIRS = [
    ("He claimed it.", "He said it."),
    ("She claimed more.", "She said more."),
    ("Experts agree.", "Some experts agree."),
    ("Doctors agree.", "Some doctors agree."),
    ("It was a tragedy.", "It was a Boston event."),
    ("It was a disaster.", "It was a Boston event."),
    ("He died in agony.", "He died in 1918."),
    ("She died in pain.", "She died in 1918."),
    ("They met rarely.", "They met seldom."),
]


def test_what_occurs_often_is_learned_but_no_names_and_numbers() -> None:
    found = vocabulary(PAIRS, 100, 2)
    assert found[:2] == (KEEP, DELETE)
    assert set(found[2:]) == {"replace:said", "before:some"}
    assert "replace:seldom" in vocabulary(PAIRS, 100, 1)


def test_the_vocabulary_has_a_size_and_one_order() -> None:
    assert len(vocabulary(PAIRS, 3, 1)) == 3
    assert vocabulary(PAIRS, 100, 1) == vocabulary(PAIRS[::-1], 100, 1)


def test_edits_are_numbered_by_their_words_and_by_the_vocabulary() -> None:
    names = (KEEP, DELETE, "replace:said", "before:soon")
    assert known("He boldly claimed it.", "He said it.", names) == [KnownEdit(1, 1, 2)]
    assert known("He boldly claimed it.", "He claimed.", names) == [KnownEdit(1, 0, 1), KnownEdit(3, 0, 1)]
    assert known("He boldly claimed it.", "He wrote it.", names) == [KnownEdit(1, 1, CHANGED)]
    assert known("It ended.", "It soon ended.", names) == [KnownEdit(1, 0, 3)]
    # what was put in and is not known has no words that could be pointed at
    assert known("It ended.", "It never ended.", names) == []
    assert known("It ended.", "it  ended.", names) == [KnownEdit(0, 0, 0)]


def test_a_hint_stands_beside_an_edit_that_is_not_known() -> None:
    source, target = "The chairman of it left.", "Its boss left."

    def hints(text: str) -> list[Edit]:
        return [
            edit for edit in token_edits(text, text.replace("chairman", "chair")) if edit.start < edit.end
        ]

    names = (KEEP, DELETE, "replace:chair")
    without = known(source, target, names)
    assert [item.edit for item in without] == [CHANGED]
    assert known(source, target, names, hints) == [*without, KnownEdit(1, 0, 2)]
    # where the editor left the words alone, a hint says nothing
    assert known(source, "The chairman of it.", names, hints) == [KnownEdit(4, 0, 1)]


def test_the_rules_give_hints() -> None:
    text = "The chairman spoke."
    found = [(words_of(text, hint), hint.replacement) for hint in rule_hints(text)]
    assert (["chairman"], "chair") in found
    assert rule_hints("The road is long.") == ()
    assert rule_hints("") == ()


def test_coverage_counts_edits_and_whole_sentences() -> None:
    pairs = [("He claimed it.", "He said it."), ("A nice old town.", "A town."), ("It fell.", "It sank.")]
    assert coverage(pairs, (KEEP, DELETE, "replace:said")) == {"edits": 2 / 3, "sentences": 2 / 3}
    # there is no word that something at the very end could stand before
    assert coverage([("It fell", "It fell down")], (KEEP, DELETE, "before:down"))["edits"] == 0
    assert coverage([], (KEEP, DELETE)) == {"edits": 0.0, "sentences": 0.0}


WORDS = st.sampled_from(
    ["the", "town", "a", "an", "very", "old", "grew", "1918", "(", ")", ",", "so", "-", "called"]
)
SENTENCES = (
    st.lists(WORDS, min_size=1, max_size=10).map(" ".join).map(lambda text: re.sub(r" (?=[,)])", "", text))
)


@settings(max_examples=150)
@given(SENTENCES, SENTENCES)
def test_making_the_edits_of_a_pair_gives_its_target(source: str, target: str) -> None:
    """Whatever the vocabulary covers comes out as the editor wrote it: case, space and article aside."""
    # a sentence that would lose its first words may also lose the comma that they leave behind
    if target.startswith(",") or re.search(r"[,(] ?,", target):
        return
    found = vocabulary([(source, target)] * 2, 100, 2)
    after = rebuilt(source, target, found)
    assert after is None or fold_words(after) == fold_words(target)
    assert (source == target) <= (known(source, target, found) == [KnownEdit(0, 0, 0)])


@pytest.mark.shared
def test_the_pairs_of_wikibias_come_back(shared_data: Path) -> None:
    recipe = Recipe("", "", {"edits": HeadPlan("edits")}, (Stage("s", (Part("wikibias"),)),))
    samples = Data(recipe, shared_data).samples([Part("wikibias")], training=False)
    pairs = [
        (sample.example.text, sample.rewritten)
        for sample in samples
        if sample.rewritten is not None and sample.rewritten != sample.example.text
    ]
    names = vocabulary(pairs, 800, 2)
    covered = [
        (target, after) for source, target in pairs if (after := rebuilt(source, target, names)) is not None
    ]
    assert len(covered) > 0.5 * len(pairs)
    assert all(fold_words(after) == fold_words(target) for target, after in covered)
