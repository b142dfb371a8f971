"""Edits compose: whichever of the offered edits are taken, in whatever order, the text comes out well formed."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import unslant
from tests.marked import apply_one_by_one
from unslant.core.types import Applicability, Edit
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed
from unslant.lab import corpora
from unslant.spec import TIERS, Spec
from unslant.text.edits import apply_edits, trim_edit
from unslant.text.tidy import tidy_edits

ALL = Spec(analyzers=TIERS["all"])
JOINED = re.compile(
    r"[a-z]{2}[.,;!?][a-z]{2}|  |(?<=\w) [,.;!?](?=\s)|,,|\b(?:an?|the) (?:an?|the)\b", re.IGNORECASE
)


def offered(fixed: Fixed) -> list[list[Edit]]:
    """Return the edits that can be taken for each place: the suggestion and its alternatives."""
    places = []
    for suggestion in fixed.edits:
        choices = [suggestion.edit, *suggestion.alternatives]
        usable = [edit for edit in choices if edit.applicability is not Applicability.DISPLAY]
        if usable:
            places.append(usable)
    return places


def check_composition(text: str, fixed: Fixed, generator: random.Random) -> None:
    for _ in range(4):
        chosen: list[Edit] = []
        for choices in offered(fixed):
            edit = generator.choice(choices)
            if generator.random() < 0.7 and not any(edit.conflicts(other) for other in chosen):
                chosen.append(edit)
        together = apply_edits(text, chosen)
        generator.shuffle(chosen)
        assert apply_one_by_one(text, chosen) == together
        new = set(JOINED.findall(together)) - set(JOINED.findall(text))
        assert not new, (text, together)
        for suggestion in fixed.edits:
            base, end = suggestion.sentence.start, suggestion.sentence.end
            inside = [edit.shift(-base) for edit in chosen if base <= edit.start and edit.end <= end]
            sentence = text[base:end]
            tidied = apply_edits(sentence, tidy_edits(sentence, inside)) if inside else sentence
            assert tidied == (apply_edits(sentence, inside) if inside else sentence)


@pytest.mark.parametrize(
    "text",
    [
        "The shameless, radical, conservative senator slammed the so-called reform.",
        "Sadly, the legendary, brilliant singer passed away in a stunning, beautiful hall.",
        "It was an utterly shocking and truly disgraceful vote, critics claimed.",
        "An iconic, infamous and outrageous scene shocked the brave firemen.",
    ],
)
@pytest.mark.parametrize("unsafe", [False, True])
def test_any_of_the_edits_can_be_taken(text: str, unsafe: bool) -> None:
    fixed = unslant.fix(text, spec=Spec(analyzers=("rules",)), unsafe=unsafe)
    check_composition(text, fixed, random.Random(1))


def check_that_nothing_made_is_offered_again(fixed: Fixed) -> None:
    made, offers = (
        [trim_edit(fixed.document.prose, each.edit).change for each in fixed.edits if each.applied is applied]
        for applied in (True, False)
    )
    assert not {*made} & {*offers}, fixed.document.source


def test_an_edit_that_becomes_safe_beside_another_answers_its_finding() -> None:
    text = "Clearly, the vote was a stunning victory."
    fixed = unslant.fix(text, spec=ALL)
    assert fixed.text == "The vote was a victory."
    assert [finding.text for each in fixed.edits for finding in each.findings] == [
        "Clearly",
        "stunning victory",
    ]
    check_that_nothing_made_is_offered_again(fixed)


@pytest.mark.shared
@pytest.mark.parametrize("unsafe", [False, True])
def test_any_of_the_edits_of_real_sentences_can_be_taken(shared_data: Path, unsafe: bool) -> None:
    examples = [each for each in corpora.load("editor", shared_data) if each.split == "dev" and each.spans]
    fixer, generator = Fixer(ALL, unsafe=unsafe), random.Random(0)
    texts = [each.text for each in examples]
    for text, fixed in zip(texts, fixer.fix(map(unslant.read, texts)), strict=True):
        check_composition(text, fixed, generator)
        check_that_nothing_made_is_offered_again(fixed)


@pytest.mark.shared
@pytest.mark.parametrize("unsafe", [False, True])
def test_fixing_real_sentences_twice_is_fixing_them_once(shared_data: Path, unsafe: bool) -> None:
    examples = [each for each in corpora.load("editor", shared_data) if each.split == "dev" and each.spans]
    fixer = Fixer(ALL, unsafe=unsafe)
    texts = [each.text for each in examples[:200]]
    once = [fixed.text for fixed in fixer.fix(map(unslant.read, texts))]
    twice = [fixed.text for fixed in fixer.fix(map(unslant.read, once))]
    assert twice == once
