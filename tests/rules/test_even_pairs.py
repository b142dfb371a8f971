"""Political labels: what one side gets, the other gets as well."""

from __future__ import annotations

import re

import pytest

import unslant
from unslant.core.types import Applicability
from unslant.rules.analyzer import rules_for
from unslant.rules.rule import WrittenRule
from unslant.spec import Spec

PAIRED = [rule for rule in rules_for(Spec()) if rule.pairs]
SPEC = Spec(analyzers=("rules",), threshold=0.0)
AS_NOUN = ("They met the {} today.", "Nobody spoke of the {} on Monday.", "He fears the {}.")
AS_VERB = ("They {} the others.", "Nobody will {} on Monday.")
BEFORE_NOUN = ("They met the {} voters today.", "The {} group left.")


def plain(term: str) -> str:
    """The words of a term, in its shortest reading."""
    text = re.sub(r"\s*\{\w+\}", "", term)
    text = re.sub(r"\(([^|()]*)[^()]*\)\?|\w+(@\w+)?\?", "", text)
    while "(" in text:
        text = re.sub(r"\(([^|()]*)[^()]*\)", r"\1", text)
    return " ".join(re.sub(r"@\w+|\^", "", text).split())


def treatment(sentence: str) -> list[tuple[object, ...]]:
    """What a writer sees of each finding: the rule, how severe and sure it is, and how far its edit can be trusted."""
    return [
        (
            finding.rule,
            finding.severity,
            finding.probability,
            finding.edits[0].applicability if finding.edits else None,
        )
        for finding in unslant.check(sentence, spec=SPEC).findings
    ]


def templates(term: str) -> tuple[str, ...]:
    if "{noun}" in term:
        return BEFORE_NOUN
    return AS_VERB if "@v" in term else AS_NOUN


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_both_sides_get_the_same_findings_severity_and_edits(rule: WrittenRule) -> None:
    uneven = []
    for pair, other in rule.pairs:
        for template in templates(pair):
            left, right = treatment(template.format(plain(pair))), treatment(template.format(plain(other)))
            if left != right or not left:
                uneven.append((template, pair, left, other, right))
    assert uneven == []


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_no_label_is_replaced_without_review(rule: WrittenRule) -> None:
    """Whether a wording is fair to both sides is for the writer to decide."""
    assert rule.applicability is not Applicability.SAFE


@pytest.mark.parametrize("rule", PAIRED, ids=lambda rule: rule.id)
def test_both_terms_of_a_pair_are_equally_sure(rule: WrittenRule) -> None:
    assert [pair for pair in rule.pairs if (pair[0] in rule.weak) != (pair[1] in rule.weak)] == []
