"""The output of ``unslant fix``: totals and the next step for people, one object or one line per file for programs."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant.core.types import Applicability
from unslant.edits.result import Fixed
from unslant.report.edits import Look
from unslant.workspace.fix_output import ENVELOPE, RENDERERS, FixRun
from unslant.workspace.run import FixOutcome

RULES = unslant.Spec(analyzers=("rules",), profile="news")
SAFE, REVIEW = Applicability.SAFE, Applicability.REVIEW


@pytest.fixture(scope="module")
def fixed() -> Fixed:
    """One finding with an edit, which some test then calls safe or not."""
    found = unslant.fix("They slammed the plan.", spec=RULES)
    assert [suggestion.edit.replacement for suggestion in found.edits] == ["criticized"]
    return found


def judged(fixed: Fixed, verdict: Applicability, *, applied: bool = False) -> Fixed:
    """The same result with another verdict."""
    findings = tuple(
        replace(finding, edits=tuple(replace(edit, applicability=verdict) for edit in finding.edits))
        for finding in fixed.report.findings
    )
    edits = tuple(
        replace(
            suggestion,
            edit=replace(suggestion.edit, applicability=verdict),
            findings=findings,
            applied=applied,
        )
        for suggestion in fixed.edits
    )
    return replace(fixed, edits=edits, report=replace(fixed.report, findings=findings))


def rendered(name: str, *outcomes: FixOutcome, mode: str = "diff", unsafe: bool = False, **more: Any) -> str:
    stream = io.StringIO()
    run = FixRun(stream, Look(), mode, unsafe, Path.cwd(), "0.0", {}, **more)
    assert RENDERERS[name](iter(outcomes), run) == list(outcomes)
    return stream.getvalue()


def closing(*outcomes: FixOutcome, **options: Any) -> list[str]:
    """The lines after the last empty one."""
    return rendered("text", *outcomes, **options).rpartition("\n\n")[2].splitlines()


def test_without_files_there_is_nothing_to_do() -> None:
    assert rendered("text") == "0 files checked; 0 safe edits, 0 to review.\n"


@pytest.mark.parametrize(
    ("verdict", "counts"),
    [(SAFE, "1 safe edit, 0 to review"), (REVIEW, "0 safe edits, 1 to review")],
)
def test_a_diff_counts_the_edits_and_says_how_to_apply_them(
    fixed: Fixed, verdict: Applicability, counts: str
) -> None:
    assert closing(FixOutcome("a.txt", judged(fixed, verdict))) == [
        f"1 file checked; {counts}.",
        "Nothing was written. Apply the safe edits with --write, or decide one by one with --interactive.",
    ]


def test_a_text_without_findings_needs_no_next_step() -> None:
    clean = unslant.fix("They met on Monday.", spec=RULES)
    assert rendered("text", FixOutcome("a.txt", clean)) == "1 file checked; 0 safe edits, 0 to review.\n"


def test_after_writing_the_applied_edits_are_counted(fixed: Fixed) -> None:
    applied = judged(fixed, SAFE, applied=True)
    assert closing(FixOutcome("a.txt", applied, written=True), mode="write") == [
        "1 file checked; 1 edit applied in 1 file."
    ]
    # what was decided but not written is not applied
    assert closing(FixOutcome("a.txt", applied, written=False), mode="write") == [
        "1 file checked; 0 edits applied in 0 files."
    ]


def test_after_writing_what_needs_review_is_named_unless_it_was_included(fixed: Fixed) -> None:
    outcome = FixOutcome("a.txt", judged(fixed, REVIEW))
    advice = "1 edit needs review: decide with --interactive, or apply all with --write --unsafe."
    assert closing(outcome, mode="write")[1:] == [advice]
    assert closing(outcome, mode="write", unsafe=True)[1:] == []
    assert closing(outcome, outcome, mode="write")[1].startswith("2 edits need review:")


def test_findings_without_an_edit_and_failed_files_are_counted(fixed: Fixed) -> None:
    unanswered = replace(fixed, edits=())
    failed = FixOutcome("b.txt", error="no such file")
    assert closing(FixOutcome("a.txt", unanswered), failed) == [
        "1 file checked; 0 safe edits, 0 to review; 1 finding has no suggestion; 1 file could not be fixed."
    ]
    assert "2 findings have no suggestion" in closing(*[FixOutcome("a.txt", unanswered)] * 2)[0]


def test_the_diff_stands_above_the_totals(fixed: Fixed) -> None:
    lines = rendered("text", FixOutcome("a.txt", judged(fixed, SAFE))).splitlines()
    assert lines[0].endswith("1 edit: 1 safe")
    assert lines[2] == "  1:6     They [-slammed-]{+criticized+} the plan."


class _Ascii(io.StringIO):
    encoding = "ascii"


def test_what_the_stream_cannot_encode_is_replaced(fixed: Fixed) -> None:
    stream = _Ascii()
    RENDERERS["text"](
        [FixOutcome("a.txt", judged(fixed, SAFE))], FixRun(stream, Look(), "diff", False, Path.cwd(), "0", {})
    )
    assert "?slammed? ? ?criticized?" in stream.getvalue()
    assert stream.getvalue().isascii()


def test_json_is_one_object_with_fixes_errors_and_totals(fixed: Fixed) -> None:
    wire = json.loads(
        rendered(
            "json",
            FixOutcome("a.txt", judged(fixed, SAFE, applied=True), written=True),
            FixOutcome("b.txt", error="no such file"),
            FixOutcome("c.txt", judged(fixed, REVIEW)),
            sent_to=("https://models.example.org",),
        )
    )
    assert wire["schema"] == ENVELOPE
    assert [fix["written"] for fix in wire["fixes"]] == [True, False]
    assert all(fix["sent_to"] == ["https://models.example.org"] for fix in wire["fixes"])
    assert wire["errors"] == [{"path": "b.txt", "message": "no such file"}]
    assert wire["summary"] == {
        "files": 2,
        "failed": 1,
        "written": 1,
        "applied": 1,
        "safe": 1,
        "review": 1,
        "display": 0,
        "unanswered": 0,
    }


def test_json_without_files_is_still_an_object() -> None:
    wire = json.loads(rendered("json"))
    assert (wire["fixes"], wire["errors"], wire["summary"]["files"]) == ([], [], 0)


def test_json_lines_have_a_line_for_each_file_in_order(fixed: Fixed) -> None:
    text = rendered(
        "jsonl", FixOutcome("b.txt", error="no such file"), FixOutcome("a.txt", judged(fixed, SAFE))
    )
    error, fix = map(json.loads, text.splitlines())
    assert (error["path"], error["message"]) == ("b.txt", "no such file")
    assert fix["edits"][0]["replacement"] == "criticized"
    assert fix["written"] is False


def test_each_file_is_written_before_the_next_is_read(fixed: Fixed) -> None:
    stream = io.StringIO()
    run = FixRun(stream, Look(), "diff", False, Path.cwd(), "0", {})
    lengths = []

    def outcomes() -> Any:
        for _ in range(3):
            lengths.append(len(stream.getvalue()))
            yield FixOutcome("a.txt", judged(fixed, SAFE))

    RENDERERS["jsonl"](outcomes(), run)
    assert lengths[0] == 0
    assert lengths == sorted(set(lengths))


@pytest.mark.parametrize("name", ["sarif", "rdjson"])
def test_formats_of_findings_offer_the_edit_with_the_verdict_of_the_gates(fixed: Fixed, name: str) -> None:
    text = rendered(name, FixOutcome("a.txt", judged(fixed, SAFE)), FixOutcome("b.txt", error="no such file"))
    assert "criticized" in text
    assert "no such file" in text
    json.loads(text)


def test_a_review_for_github_suggests_safe_edits_only(fixed: Fixed) -> None:
    safe = json.loads(rendered("github-review", FixOutcome("a.txt", judged(fixed, SAFE))))
    assert [comment["path"] for comment in safe["comments"]] == ["a.txt"]
    assert "They criticized the plan." in safe["comments"][0]["body"]
    review = json.loads(rendered("github-review", FixOutcome("a.txt", judged(fixed, REVIEW))))
    assert review["comments"] == []
