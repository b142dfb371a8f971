"""Rules that count: a paragraph full of puffery is one warning, a single phrase is a hint."""

from __future__ import annotations

from itertools import pairwise

import unslant
from unslant.core.types import Finding, Severity
from unslant.spec import Spec

RULE = "framing/puffery-cluster"
PUFFS = (
    "Nestled in the heart of the valley, this hidden gem offers breathtaking views. "
    "Our world-class, award-winning team will exceed your expectations."
)
PLAIN = "The hotel has 40 rooms. It opens in May. A train stops nearby. "


def _check(text: str, profile: str = "promotion", **settings: object) -> tuple[Finding, ...]:
    spec = Spec(analyzers=("rules",), profile=profile, **settings)  # type: ignore[arg-type]
    return unslant.check(text, spec=spec).findings


def test_a_cluster_is_one_warning_that_lists_its_phrases() -> None:
    findings = _check(PUFFS)
    (cluster,) = (finding for finding in findings if finding.rule == RULE)
    assert cluster.severity is Severity.WARNING
    assert "in two sentences" in cluster.why
    for phrase in ("hidden gem", "breathtaking", "world-class"):
        assert f"“{phrase}”" in cluster.why
    others = [finding for finding in findings if finding is not cluster]
    assert len(others) >= 4
    assert {finding.severity for finding in others} == {Severity.SUGGESTION}


def test_no_two_findings_overlap_and_every_one_has_its_own_fingerprint() -> None:
    findings = _check(f"{PUFFS}\n\n{PUFFS}")
    assert sum(finding.rule == RULE for finding in findings) == 2
    assert all(one.span.end <= other.span.start for one, other in pairwise(findings))
    assert len({finding.fingerprint for finding in findings}) == len(findings)


def test_single_phrases_in_a_long_text_are_no_cluster() -> None:
    text = f"{PLAIN}It has breathtaking views. {PLAIN}The hidden gem is open. {PLAIN}The team is world-class. {PLAIN}"
    assert RULE not in {finding.rule for finding in _check(text)}


def test_phrases_of_different_paragraphs_are_not_counted_together() -> None:
    text = "It has breathtaking views.\n\nThis hidden gem is open.\n\nThe team is world-class.\n\nIt is award-winning."
    assert RULE not in {finding.rule for finding in _check(text)}


def test_the_same_phrase_again_is_counted_once() -> None:
    text = "The views are breathtaking. Yes, breathtaking. So breathtaking. It is breathtaking."
    assert RULE not in {finding.rule for finding in _check(text)}


def test_ignored_rules_are_not_counted() -> None:
    assert RULE not in {finding.rule for finding in _check(PUFFS, ignore=(RULE,))}
    assert RULE not in {finding.rule for finding in _check(PUFFS, ignore=("framing",))}


def test_a_quotation_is_not_counted() -> None:
    assert _check(f'"{PUFFS}" the owner said.') == ()
