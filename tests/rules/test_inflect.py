"""The inflected forms, against a library that knows them all."""

from __future__ import annotations

import re

import pytest
from lemminflect import getInflection

from unslant.rules.analyzer import rules_for
from unslant.rules.inflect import forms, inflect
from unslant.spec import Spec

_TAGS = {"s": "VBZ", "past": "VBD", "participle": "VBN", "ing": "VBG"}


def _tagged(pos: str) -> list[str]:
    """All words that the catalogue tags with a part of speech."""
    terms = [term for rule in rules_for(Spec()) for term in (*rule.all_terms(), *rule.unless)]
    wordings = [
        wording for rule in rules_for(Spec()) for wordings in rule.swap.values() for wording in wordings
    ]
    return sorted({word for text in terms + wordings for word in re.findall(rf"\b([a-z]+)@{pos}\b", text)})


def test_every_verb_of_the_catalogue_has_the_forms_that_the_reference_gives() -> None:
    verbs = _tagged("v")
    assert len(verbs) > 100
    wrong = [
        (verb, slot, inflect(verb, "v", slot))
        for verb in verbs
        for slot, tag in _TAGS.items()
        if (known := getInflection(verb, tag)) and inflect(verb, "v", slot) not in known
    ]
    assert wrong == [("torpedo", "s", "torpedoes")]  # the reference thinks that it takes no ending


def test_every_noun_of_the_catalogue_has_the_plural_that_the_reference_gives() -> None:
    nouns = _tagged("n")
    assert len(nouns) > 50
    wrong = [
        (noun, plural)
        for noun in nouns
        if (known := getInflection(noun, "NNS")) and (plural := inflect(noun, "n", "s")) not in known
    ]
    assert wrong == [("person", "people")]  # the reference has only the lawyers' plural


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("slam", {"slam", "slams", "slammed", "slamming"}),
        ("deny", {"deny", "denies", "denied", "denying"}),
        ("rage", {"rage", "rages", "raged", "raging"}),
        ("admit", {"admit", "admits", "admitted", "admitting"}),
        ("panic", {"panic", "panics", "panicked", "panicking"}),
        ("write", {"write", "writes", "wrote", "written", "writing"}),
        ("be", {"be", "am", "is", "are", "was", "were", "been", "being"}),
        ("withdraw", {"withdraw", "withdraws", "withdrew", "withdrawn", "withdrawing"}),
    ],
)
def test_verbs(verb: str, expected: set[str]) -> None:
    assert set(forms(verb, "v")) == expected


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("fireman", "firemen"),
        ("human", "humans"),
        ("housewife", "housewives"),
        ("cry", "cries"),
        ("boss", "bosses"),
    ],
)
def test_nouns(noun: str, plural: str) -> None:
    assert set(forms(noun, "n")) == {noun, plural}


def test_a_past_form_that_is_also_the_base_counts_as_the_base() -> None:
    assert forms("cut", "v")["cut"] == "base"
