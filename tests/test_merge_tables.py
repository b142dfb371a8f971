"""Findings about the same words become one, and what the writer ignores is not said by anyone else."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Document, Edit, Finding, Severity, Span
from unslant.selection import Selection, merge
from unslant.spec import Spec
from unslant.text.accepted import find_accepted, without_accepted

TEXT = "The truly radical left slammed the very cruel plan."
SUGGESTION, WARNING, ERROR = Severity.SUGGESTION, Severity.WARNING, Severity.ERROR


def rule(words: str, name: str = "framing/x", **more: object) -> Finding:
    start = TEXT.index(words)
    known = {"kind": name.partition("/")[0], "why": "why", "origin": "rules", "rule": name}
    return Finding(Span(start, start + len(words)), words, **(known | more))  # type: ignore[arg-type]


def model(words: str, probability: float = 0.8, **more: object) -> Finding:
    return rule(words, "model/praise", origin="model", probability=probability, kind="framing", **more)


def shown(findings: list[Finding]) -> list[tuple[str, str | None, str]]:
    return [(finding.text, finding.rule, finding.origin) for finding in findings]


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], []),
        ([rule("radical")], [("radical", "framing/x", "rules")]),
        (
            [rule("radical"), rule("cruel")],
            [("radical", "framing/x", "rules"), ("cruel", "framing/x", "rules")],
        ),
        # a rule speaks for a model
        ([model("radical"), rule("radical")], [("radical", "framing/x", "rules+model")]),
        ([model("truly radical left"), rule("radical")], [("radical", "framing/x", "rules+model")]),
        # of rules the longest speaks
        (
            [rule("radical", "framing/a"), rule("radical left", "framing/b")],
            [("radical left", "framing/b", "rules")],
        ),
        # of models the surest speaks
        ([model("radical", 0.6), model("radical left", 0.9)], [("radical left", "model/praise", "model")]),
        # words beside each other stay apart
        (
            [rule("truly"), rule("radical")],
            [("truly", "framing/x", "rules"), ("radical", "framing/x", "rules")],
        ),
        # one model over two rules joins neither of them with the other
        (
            [rule("truly"), rule("radical"), model("truly radical")],
            [("truly", "framing/x", "rules+model"), ("radical", "framing/x", "rules+model")],
        ),
    ],
)
def test_merging(findings: list[Finding], expected: list[tuple[str, str | None, str]]) -> None:
    assert shown(merge(findings)) == expected


@pytest.mark.parametrize(
    ("severities", "expected"),
    [((SUGGESTION, WARNING), WARNING), ((WARNING, SUGGESTION), WARNING), ((SUGGESTION, ERROR), ERROR)],
)
def test_another_rule_may_raise_the_severity(
    severities: tuple[Severity, Severity], expected: Severity
) -> None:
    first, second = severities
    (merged,) = merge([rule("radical left", "framing/a", severity=first), rule("radical", severity=second)])
    assert merged.severity is expected


def test_a_model_never_raises_the_severity_of_a_rule() -> None:
    (merged,) = merge([rule("radical", severity=SUGGESTION), model("radical", severity=ERROR)])
    assert merged.severity is SUGGESTION


def test_what_only_the_other_knows_is_kept() -> None:
    edit = Edit(4, 9, "")
    (merged,) = merge([rule("radical"), model("radical", 0.7, edits=(edit,), dimension="gender")])
    assert (merged.probability, merged.edits, merged.dimension) == (0.7, (edit,), "gender")


def test_of_two_rules_the_higher_probability_counts() -> None:
    (merged,) = merge([rule("radical left", probability=0.6), rule("radical", probability=0.8)])
    assert merged.probability == 0.8


def test_the_order_of_findings_does_not_matter() -> None:
    findings = [rule("truly"), rule("radical left", "framing/b"), model("radical"), rule("very cruel")]
    results = {tuple(shown(merge(list(order)))) for order in permutations(findings)}
    assert len(results) == 1


places = st.tuples(st.integers(0, 40), st.integers(1, 10), st.booleans(), st.integers(0, 10))


@given(st.lists(places, max_size=8))
def test_merged_findings_never_overlap_and_none_is_lost(rows: list[tuple[int, int, bool, int]]) -> None:
    findings = []
    for start, length, by_rule, tenths in rows:
        span = Span(start, min(start + length, len(TEXT)))
        origin, name = ("rules", "framing/x") if by_rule else ("model", "model/praise")
        text = TEXT[span.start : span.end]
        findings.append(Finding(span, text, "framing", "why", origin, name, probability=tenths / 10))
    merged = merge(findings)
    assert all(left.span.end <= right.span.start for left, right in pairwise(merged))
    for finding in findings:
        assert any(finding.span.overlaps(other.span) for other in merged)


def kept(spec: Spec, *findings: Finding) -> list[str]:
    return [finding.text for finding in Selection(Document(TEXT, TEXT), spec).keep(findings)]


NEWS = {"profile": "news", "analyzers": ("rules",)}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["radical", "slammed", "cruel"]),
        ({"select": ("framing",)}, ["radical", "cruel"]),
        ({"ignore": ("framing",)}, ["slammed"]),
        ({"select": ("framing",), "ignore": ("framing/x",)}, []),
        ({"select": ("framing/x", "epistemological/y")}, ["radical", "slammed", "cruel"]),
        ({"min_severity": WARNING}, ["radical", "slammed"]),
        ({"min_severity": ERROR}, []),
        ({"severity": (("framing", ERROR),), "min_severity": ERROR}, ["radical", "cruel"]),
        ({"severity": (("framing", ERROR), ("framing/x", SUGGESTION)), "min_severity": WARNING}, ["slammed"]),
        ({"per_file_ignores": (("*", ("framing",)),)}, ["slammed"]),
        ({"per_file_ignores": (("*.md", ("framing",)),)}, ["radical", "slammed", "cruel"]),
    ],
)
def test_settings_select(settings: dict[str, object], expected: list[str]) -> None:
    findings = (
        rule("radical"),
        rule("slammed", "epistemological/y"),
        rule("cruel", severity=SUGGESTION),
    )
    assert kept(Spec(**(NEWS | settings)), *findings) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ((), ["radical", "slammed", "cruel"]),
        (("radical",), ["slammed", "cruel"]),
        (("RADICAL", "Cruel"), ["slammed"]),
    ],
)
def test_rules_say_nothing_of_accepted_words(accept: tuple[str, ...], expected: list[str]) -> None:
    findings = (rule("radical"), rule("slammed", "epistemological/y"), rule("cruel", severity=SUGGESTION))
    accepted = find_accepted(TEXT, accept)
    assert [found.text for found in findings if without_accepted(found, accepted, ())] == expected


@pytest.mark.parametrize(
    ("ignored", "said_by_model", "expected"),
    [
        # the very words
        ("radical", "radical", []),
        # a finding of the same kind that overlaps
        ("radical", "truly radical", []),
        # other words
        ("radical", "cruel", ["cruel"]),
    ],
)
def test_what_is_ignored_as_a_rule_is_not_reported_by_a_model(
    ignored: str, said_by_model: str, expected: list[str]
) -> None:
    spec = Spec(ignore=("framing/x",), **NEWS)  # type: ignore[arg-type]
    assert kept(spec, rule(ignored), model(said_by_model)) == expected
