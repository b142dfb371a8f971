"""The formats that other tools read, against what those tools document."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from tests.report.report_samples import PRAISE, finding, outcome, rendered
from tests.report.report_strategies import runs
from unslant.core.types import Applicability, Edit, Severity
from unslant.report import Outcome
from unslant.report.table import COLUMNS, guard_formula, run_fingerprint

SCHEMAS = Path(__file__).with_name("schemas")
SOURCE = "Fine.\nDas 𐐀 legendary show.\n"
FLAGGED = outcome(SOURCE, finding(SOURCE, "legendary", "noted"), path="docs/a.md")
FAILED = Outcome("gone.txt", error="'gone.txt' does not exist; check the spelling")


def schema(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    return loaded


def validated(name: str, text: str) -> Any:
    data = json.loads(text)
    Draft202012Validator(schema(name)).validate(data)
    return data


def validated_xml(text: str, name: str = "junit") -> ET.Element:
    known = schema(name)
    root = ET.fromstring(text)  # noqa: S314 - our own output
    assert root.tag == list(known)[1]
    for element in root.iter():
        rule = known[element.tag]
        assert set(rule["required"]) <= set(element.attrib) <= {*rule["required"], *rule["optional"]}
        assert {child.tag for child in element} <= set(rule["children"])
    return root


def validated_junit(text: str) -> ET.Element:
    root = validated_xml(text)
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite)
        assert int(suite.attrib["failures"]) == len(suite.findall(".//failure"))
        assert int(suite.attrib["errors"]) == len(suite.findall(".//error"))
    return root


def test_concise_is_one_line_per_finding_and_nothing_else() -> None:
    assert rendered("concise", FLAGGED, FAILED, outcome("Fine.")) == (
        f"docs/a.md:2:7: warning framing/praise-adjective: “legendary”: {PRAISE} Try: “noted”.\n"
    )


def test_concise_keeps_a_finding_over_several_lines_on_one() -> None:
    source = "A truly\nlegendary show."
    text = rendered("concise", outcome(source, finding(source, "truly\nlegendary", why="x\ny"), path="a\nb"))
    assert text == "a b:1:3: warning framing/praise-adjective: “truly legendary”: x y\n"


def test_gitlab_issues_follow_the_documented_form() -> None:
    (issue, failure) = validated("gitlab", rendered("gitlab", FLAGGED, FAILED))
    assert issue["check_name"] == "framing/praise-adjective"
    assert issue["location"] == {
        "path": "docs/a.md",
        "positions": {"begin": {"line": 2, "column": 7}, "end": {"line": 2, "column": 16}},
    }
    assert (failure["description"], failure["severity"]) == (FAILED.error, "major")


@pytest.mark.parametrize(
    ("severity", "gitlab", "rdjson"),
    [
        (Severity.SUGGESTION, "info", "INFO"),
        (Severity.WARNING, "minor", "WARNING"),
        (Severity.ERROR, "major", "ERROR"),
    ],
)
def test_each_severity_has_its_name(severity: Severity, gitlab: str, rdjson: str) -> None:
    run = outcome(SOURCE, finding(SOURCE, "legendary", severity=severity))
    assert validated("gitlab", rendered("gitlab", run))[0]["severity"] == gitlab
    assert validated("rdjson", rendered("rdjson", run))["diagnostics"][0]["severity"] == rdjson


def test_equal_sentences_in_two_files_have_two_fingerprints_in_gitlab() -> None:
    """GitLab shows one of several issues with the same fingerprint."""
    runs = [outcome(SOURCE, finding(SOURCE, "legendary"), path=path) for path in ("a.md", "b.md")]
    assert len({issue["fingerprint"] for issue in json.loads(rendered("gitlab", *runs))}) == 2


def test_reviewdog_counts_columns_in_bytes() -> None:
    (diagnostic,) = validated("rdjson", rendered("rdjson", FLAGGED))["diagnostics"]
    assert diagnostic["location"]["range"] == {
        "start": {"line": 2, "column": 10},
        "end": {"line": 2, "column": 19},
    }
    assert diagnostic["code"] == {"value": "framing/praise-adjective"}
    assert "suggestions" not in diagnostic  # the edit asks for a look


def test_reviewdog_is_given_the_safe_edits_as_suggestions() -> None:
    at = SOURCE.index("legendary")
    edits = (Edit(at, at + 10, "", Applicability.SAFE), Edit(at, at + 9, "noted", Applicability.REVIEW))
    run = outcome(SOURCE, finding(SOURCE, "legendary", edits=edits))
    (diagnostic,) = validated("rdjson", rendered("rdjson", run, judged=True))["diagnostics"]
    ends = {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 20}}
    assert diagnostic["suggestions"] == [{"range": ends, "text": ""}]
    assert "suggestions" not in rendered("rdjson", run)  # check has not judged its edits


def test_checkstyle_has_an_element_per_file() -> None:
    flagged, failed, fine = validated_xml(
        rendered("checkstyle", FLAGGED, FAILED, outcome("Fine.")), "checkstyle"
    )
    assert flagged.attrib == {"name": "docs/a.md"}
    assert flagged[0].attrib == {
        "line": "2",
        "column": "7",
        "severity": "warning",
        "message": f"“legendary”: {PRAISE} Try: “noted”.",
        "source": "unslant.framing/praise-adjective",
    }
    assert (failed[0].attrib["severity"], failed[0].attrib["message"]) == ("error", FAILED.error)
    assert list(fine) == []


def safe(source: str, word: str, replacement: str) -> Edit:
    at = source.index(word)
    return Edit(at, at + len(word), replacement, Applicability.SAFE)


def reviewed(source: str, *words: str) -> list[dict[str, Any]]:
    found = [finding(source, word, edits=(safe(source, word, "X"),)) for word in words]
    review = validated("github-review", rendered("github-review", outcome(source, *found, path="a.md")))
    comments: list[dict[str, Any]] = review["comments"]
    return comments


def test_a_review_suggests_whole_lines_with_all_their_edits() -> None:
    source = "Fine.\r\nA iconic, legendary show.\r\nFine.\r\nA famed hall.\r\n"
    first, second = reviewed(source, "iconic", "legendary", "famed")
    assert (first["line"], "start_line" in first) == (2, False)
    assert first["body"].endswith("\n\n```suggestion\nA X, X show.\n```")
    assert first["body"].startswith(f"“iconic”: {PRAISE}")
    assert (second["line"], second["body"].splitlines()[-2]) == (4, "A X hall.")


def test_a_review_names_the_lines_of_an_edit_over_several() -> None:
    (comment,) = reviewed("Fine.\nA truly\nlegendary show.\nFine.", "truly\nlegendary")
    assert (comment["start_line"], comment["line"]) == (2, 3)
    assert comment["body"].endswith("```suggestion\nA X show.\n```")


def test_a_suggestion_with_a_fence_in_it_has_a_longer_one() -> None:
    (comment,) = reviewed("A ```legendary``` show.", "legendary")
    assert comment["body"].endswith("\n\n````suggestion\nA ```X``` show.\n````")


def test_a_review_without_safe_edits_says_so() -> None:
    review = validated("github-review", rendered("github-review", FLAGGED))
    assert (review["comments"], review["body"]) == ([], "unslant: no safe edits to suggest")


def test_junit_has_a_suite_per_file() -> None:
    flagged, failed, fine = validated_junit(rendered("junit", FLAGGED, FAILED, outcome("Fine.")))
    case = flagged[0]
    assert case.attrib == {"name": "2:7 framing/praise-adjective", "classname": "docs/a.md"}
    assert case[0].attrib["message"] == f"“legendary”: {PRAISE} Try: “noted”."
    assert failed[0][0].attrib["message"] == FAILED.error
    assert (fine[0].attrib["name"], list(fine[0])) == ("no findings", [])


def test_junit_survives_what_xml_cannot_write() -> None:
    source = 'A <b>\x00"legendary\x1b[31m\ud800 show.'
    words = '<b>\x00"legendary\x1b[31m\ud800'
    run = outcome(source, finding(source, words), path='a&"\n<b>.md')
    validated_junit(rendered("junit", run))
    validated_xml(rendered("checkstyle", run), "checkstyle")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_one_row_per_finding() -> None:
    (row,) = rows(rendered("csv", FLAGGED, FAILED))
    assert tuple(row) == COLUMNS
    assert (row["path"], row["line"], row["column"], row["text"]) == ("docs/a.md", "2", "7", "legendary")
    assert (row["dimension"], row["probability"], row["suggestions"]) == ("", "", "“noted”")


@pytest.mark.parametrize("words", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("x")'])
def test_a_cell_never_runs_as_a_formula(words: str) -> None:
    source = f"See {words} now."
    (row,) = rows(rendered("csv", outcome(source, finding(source, words), path="=a.md")))
    assert row["text"] == f"'{words}"
    assert row["path"] == "'=a.md"


def test_other_text_stays_as_it_is() -> None:
    assert guard_formula("a = b") == "a = b"
    assert guard_formula("") == ""


@settings(max_examples=40, deadline=None)
@given(run=runs)
def test_any_run_is_valid(run: tuple[Outcome, ...]) -> None:
    validated("gitlab", rendered("gitlab", *run))
    validated("rdjson", rendered("rdjson", *run))
    validated_junit(rendered("junit", *run))
    findings = sum(len(each.report.findings) for each in run if each.report)
    assert len(rows(rendered("csv", *run))) == findings
    assert rendered("concise", *run).count("\n") == findings


def test_statistics_count_by_rule_and_by_file() -> None:
    source = "A legendary, legendary, iconic show."
    praise = [finding(source, "legendary", nth=nth) for nth in (0, 1)]
    run = (outcome(source, *praise, finding(source, "iconic", rule="framing/other"), path="b.md"), FLAGGED)
    assert rendered("text", *run, statistics=True) == (
        "Findings by rule\n\n  3  framing/praise-adjective\n  1  framing/other\n\n"
        "Findings by file\n\n  3  b.md\n  1  docs/a.md\n\n"
        "2 files checked, 4 findings: 4 warnings.\n"
    )
    counts = json.loads(rendered("json", *run, statistics=True))
    assert counts["rules"] == {"framing/praise-adjective": 3, "framing/other": 1}
    assert counts["files"] == {"b.md": 3, "docs/a.md": 1}


def test_without_source_the_text_format_is_shorter() -> None:
    text = rendered("text", FLAGGED, source=False)
    assert "𐐀" not in text
    assert PRAISE in text


def test_equal_findings_of_two_files_have_two_names() -> None:
    assert run_fingerprint("a.md", "f") == run_fingerprint("a.md", "f") != run_fingerprint("b.md", "f")
