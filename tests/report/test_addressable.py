"""What a report prints can be selected, ignored, given a severity and explained, in every format."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from unslant.core.taxonomy import SENTENCE, model_findings, technique_of_rule, techniques
from unslant.core.types import Document, Finding, Report, Severity, Span
from unslant.report import Outcome, RenderSettings, render
from unslant.report.listings import explain_technique
from unslant.rules.analyzer import finding_cards, selectable_ids
from unslant.selection import Selection
from unslant.spec import Spec

TEXT = "The legendary singer spoke."
BY_KIND = [("model", "framing"), ("hf:some/model", "demographic"), ("llm:http://host", "epistemological")]


def _finding(origin: str, kind: str, rule: str | None) -> Finding:
    return Finding(Span(4, 13), "legendary", kind, "Why.", origin, rule, probability=0.8)


FINDINGS = [
    *(
        _finding("model", entry.kind, entry.id)
        for entry in model_findings().values()
        if entry.name in techniques()
    ),
    _finding("model", "framing", SENTENCE),
    *(_finding(origin, kind, None) for origin, kind in BY_KIND),
]


def _rendered(format_name: str, findings: Iterable[Finding]) -> str:
    stream = io.StringIO()
    document = Document(TEXT, TEXT, "a.md")
    settings = RenderSettings(root=Path.cwd(), rules=finding_cards(Spec()), verbose=True, width=100)
    outcomes = [Outcome("a.md", Report(document, findings=(finding,))) for finding in findings]
    render(format_name, iter(outcomes), stream, settings)
    return stream.getvalue()


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.id)
def test_every_id_is_known_to_every_setting(finding: Finding) -> None:
    assert finding.id in selectable_ids(())
    document = Document(TEXT, TEXT, "a.md")
    for selector in (finding.id, finding.id.partition("/")[0] + "/*"):
        assert Selection(document, Spec(select=(selector,))).keep([finding]) == [finding]
        assert Selection(document, Spec(ignore=(selector,))).keep([finding]) == []
        per_file = Spec(per_file_ignores=(("*.md", (selector,)),))
        assert Selection(document, per_file).keep([finding]) == []
        severe = Spec(severity=((selector, Severity.ERROR),))
        assert Selection(document, severe).keep([finding]) == [replace(finding, severity=Severity.ERROR)]


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding.id)
def test_every_id_is_explained(finding: Finding) -> None:
    described = technique_of_rule(finding.id)
    assert described is not None
    text = explain_technique(described)
    assert finding.id in text
    assert described.why in text


@pytest.mark.parametrize("format_name", ["text", "sarif", "github", "concise", "html"])
def test_every_format_prints_the_id(format_name: str) -> None:
    shown = _rendered(format_name, FINDINGS)
    for finding in FINDINGS:
        assert finding.id in shown


def test_the_wire_form_has_the_rule_or_the_kind() -> None:
    shown = json.loads(_rendered("json", FINDINGS[:1]))
    text = json.dumps(shown)
    assert FINDINGS[0].id in text


def test_sarif_describes_every_id() -> None:
    log = json.loads(_rendered("sarif", FINDINGS))
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == {finding.id for finding in FINDINGS}
    assert all(rule["fullDescription"]["text"] for rule in rules)
