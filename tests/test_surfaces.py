"""Every surface shows the same findings and the same wordings: a finding carries what was decided about its edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant.core.types import Report
from unslant.editor.checker import distinct_edits
from unslant.integrations.mcp import Tools
from unslant.lab import corpora
from unslant.spec import Spec
from unslant.tables.scoring import ScoreRows, ScoreSpec
from unslant.tables.sources import Row

OWN = [
    "The legendary singer slammed the plan.",
    "Sadly, the radical plan failed, and critics blasted the mayor's disastrous record.",
    "The economy was slammed by sanctions.",
    "The chairman claimed that the so-called reform was a stunning, shameful failure.",
    "Unfortunately, the notorious gang, who famously robbed banks, was caught.",
    "The council met on Monday.",
]
"""Sentences that are always checked; *slammed by sanctions* has no wording."""

Shown = list[tuple[int, int, str, list[tuple[str, str]]]]


def shown(report: Report) -> Shown:
    return [
        (
            finding.span.start,
            finding.span.end,
            finding.rule or finding.kind,
            [(edit.replacement, edit.applicability.value) for edit in finding.edits],
        )
        for finding in report.findings
    ]


def from_wire(findings: list[dict[str, Any]]) -> Shown:
    return [
        (
            each["span"]["start"],
            each["span"]["end"],
            each["rule"] or each["kind"],
            [(edit["replacement"], edit["applicability"]) for edit in each["edits"]],
        )
        for each in findings
    ]


def compare(texts: list[str], spec: Spec) -> None:
    tools, rows = (
        Tools("rules" if spec.analyzers == ("rules",) else "all"),
        ScoreRows(ScoreSpec(spec, findings=True)),
    )
    for number, text in enumerate(texts):
        report = unslant.check(text, spec=spec)
        wanted = shown(report)
        assert from_wire(tools.check(text)["findings"]) == wanted
        scored = rows([Row("a.csv", number, text)])
        assert [(row["start"], row["end"], row["replacement"]) for row in scored] == [
            (start, end, edits[0][0] if edits else None) for start, end, _, edits in wanted
        ]
        # what an editor offers, and what fix shows, are the same wordings
        fixed = unslant.fix(text, spec=spec)
        known = {edit.change for finding in report.findings for edit in finding.edits}
        for suggestion in fixed.edits:
            assert {edit.change for edit in suggestion.alternatives} <= known
        for finding in report.findings:
            assert {edit.change for edit in distinct_edits(text, finding.edits)} <= known


@pytest.mark.parametrize("analyzers", [("rules",), ("rules", "model")])
def test_surfaces_agree_on_own_sentences(analyzers: tuple[str, ...]) -> None:
    compare(OWN, Spec(analyzers=analyzers))


def test_formats_agree() -> None:
    sources = {
        "text": "\n\n".join(OWN),
        "markdown": "\n\n".join(OWN),
        "html": "".join(f"<p>{text}</p>\n" for text in OWN),
    }
    found = {
        form: [
            (finding.text, [(edit.replacement, edit.applicability) for edit in finding.edits])
            for finding in unslant.check(source, format=form).findings
        ]
        for form, source in sources.items()
    }
    assert found["text"] == found["markdown"] == found["html"]
    assert any(edits for _, edits in found["text"])


def test_a_bulk_score_decides_nothing() -> None:
    (report,) = unslant.Pipeline(Spec(analyzers=("rules",)), decide=False).check([unslant.read(OWN[0])])
    assert len(report.findings) == 2
    assert all(not finding.edits for finding in report.findings)


@pytest.mark.shared
def test_surfaces_agree_on_real_sentences(shared_data: Path) -> None:
    examples = [each for each in corpora.load("editor", shared_data) if each.split == "dev" and each.spans]
    compare([each.text for each in examples[:300]], Spec())
