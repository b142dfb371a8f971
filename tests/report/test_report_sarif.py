"""SARIF against the official schema, as a package of well-known schemas carries it."""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft7Validator

from tests.report.report_samples import ROLE, RULES, finding, outcome, rendered
from tests.report.report_strategies import runs
from unslant.core.types import Applicability, Edit, Note, Severity, Span
from unslant.report import Outcome

_OFFICIAL = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"


@cache
def validator() -> Draft7Validator:
    """The OASIS schema; the package keeps it inside saved responses, from which only the JSON is read."""
    store = Path(str(distribution("schemastore").locate_file("schemastore/cache.sqlite")))
    with sqlite3.connect(f"{store.as_uri()}?mode=ro&immutable=1", uri=True) as database:
        rows = database.execute("SELECT value FROM responses WHERE instr(value, ?)", (_OFFICIAL.encode(),))
        texts = [bytes(value).decode("utf-8", "replace") for (value,) in rows]
    database.close()
    decoder = json.JSONDecoder()
    schemas = [decoder.raw_decode(text, text.index("{"))[0] for text in texts]
    (schema,) = [schema for schema in schemas if schema.get("$id") == _OFFICIAL]
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


SOURCE = "Fine.\r\nThe 😀 legendary chairman spoke.\r\n"
CHAIR = finding(
    SOURCE,
    "chairman",
    "chair",
    kind="demographic",
    dimension="gender",
    rule="demographic/gendered-role",
    why=ROLE,
    severity=Severity.ERROR,
    probability=0.9,
)
CHECKED = outcome(
    SOURCE,
    finding(SOURCE, "legendary", ""),
    CHAIR,
    path="docs/a b é#1.md",
    notes=(Note("Unused.", Span(0, 4)),),
)
FAILED = Outcome("gone.txt", error="gone.txt does not exist.")


def run(*outcomes: Outcome, **options: Any) -> dict[str, Any]:
    log = json.loads(rendered("sarif", *outcomes, **options))
    validator().validate(log)
    assert log["version"] == "2.1.0"
    (only,) = log["runs"]
    return dict(only)


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_official_schema_refuses_what_is_not_sarif() -> None:
    log = json.loads(rendered("sarif", CHECKED))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not validator().is_valid(log)


def test_a_result_points_at_the_words_in_code_points() -> None:
    made = run(CHECKED)
    assert made["columnKind"] == "unicodeCodePoints"
    region = made["results"][1]["locations"][0]["physicalLocation"]["region"]
    assert region == {
        "startLine": 2,
        "startColumn": 17,
        "endLine": 2,
        "endColumn": 25,
        "charOffset": 23,
        "charLength": 8,
        "snippet": {"text": "chairman"},
    }


def test_a_result_says_what_why_and_how_sure() -> None:
    first, second = run(CHECKED)["results"]
    assert (first["level"], second["level"]) == ("warning", "error")
    assert second["message"]["text"] == f"“chairman”: {ROLE} Try: “chair”."
    assert second["partialFingerprints"] == {"unslant/v1": CHAIR.fingerprint}
    assert second["properties"] == {
        "kind": "demographic",
        "dimension": "gender",
        "probability": 0.9,
        "origin": "rules",
    }


def test_suggestions_are_notes() -> None:
    (result,) = run(outcome(SOURCE, finding(SOURCE, "legendary", severity=Severity.SUGGESTION)))["results"]
    assert result["level"] == "note"


def test_fixes_replace_or_delete_exactly_what_the_edit_covers() -> None:
    leave_out, chair = (result["fixes"][0]["artifactChanges"][0] for result in run(CHECKED)["results"])
    assert chair["artifactLocation"]["uri"] == "docs/a%20b%20%C3%A9%231.md"
    (replacement,) = chair["replacements"]
    start = replacement["deletedRegion"]["charOffset"]
    end = start + replacement["deletedRegion"]["charLength"]
    fixed = SOURCE[:start] + replacement["insertedContent"]["text"] + SOURCE[end:]
    assert fixed == "Fine.\r\nThe 😀 legendary chair spoke.\r\n"
    assert "insertedContent" not in leave_out["replacements"][0]


def test_edits_that_are_only_for_reading_are_no_fixes() -> None:
    shown = Edit(CHAIR.span.start, CHAIR.span.end, "chair", Applicability.DISPLAY)
    (result,) = run(outcome(SOURCE, finding(SOURCE, "chairman", edits=(shown,))))["results"]
    assert "fixes" not in result


def test_the_same_edit_offered_twice_is_one_fix() -> None:
    (result,) = run(outcome(SOURCE, finding(SOURCE, "legendary", "noted", "noted")))["results"]
    assert len(result["fixes"]) == 1


def test_files_are_named_relative_to_the_root(tmp_path: Path) -> None:
    def location(path: str) -> dict[str, Any]:
        (result,) = run(outcome(SOURCE, CHAIR, path=path), root=tmp_path / "project")["results"]
        return dict(result["locations"][0]["physicalLocation"]["artifactLocation"])

    assert location("project/a.md") == {"uri": "a.md", "uriBaseId": "%SRCROOT%"}
    assert location(str(tmp_path / "project" / "sub" / ".." / "b.md"))["uri"] == "b.md"
    assert location("project/a:b.md")["uri"] == "a%3Ab.md"
    assert location("project/bad\udcff.md")["uri"] == "bad%FF.md"
    assert location("other.md") == {"uri": (tmp_path / "other.md").as_uri()}
    assert location("<stdin>") == {"uri": "%3Cstdin%3E"}
    base = run(root=tmp_path / "project")["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    assert base == (tmp_path / "project").as_uri() + "/"


def test_rules_carry_their_help_and_results_their_index() -> None:
    made = run(CHECKED, rules=RULES, version="1.2.3")
    driver = made["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("unslant", "1.2.3")
    for result in made["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    role = driver["rules"][1]
    assert role["shortDescription"]["text"] == "Gendered role"
    assert role["help"]["text"] == f"{ROLE} Source: A paper."
    assert role["defaultConfiguration"]["level"] == "error"
    assert role["properties"]["tags"] == ["demographic", "gender"]


def test_a_finding_without_a_rule_is_named_after_its_origin() -> None:
    made = run(outcome(SOURCE, finding(SOURCE, "legendary", rule=None, origin="model")))
    assert made["results"][0]["ruleId"] == "model/framing"
    assert made["tool"]["driver"]["rules"][0]["id"] == "model/framing"


def test_files_that_failed_are_notifications() -> None:
    (invocation,) = run(CHECKED, FAILED)["invocations"]
    assert invocation["executionSuccessful"] is False
    note, error = invocation["toolExecutionNotifications"]
    assert (note["level"], note["message"]["text"]) == ("note", "Unused.")
    assert note["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert (error["level"], error["message"]["text"]) == ("error", "gone.txt does not exist.")
    assert error["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gone.txt"
    (invocation,) = run(CHECKED)["invocations"]
    assert invocation["executionSuccessful"] is True


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(runs)
def test_any_run_is_valid(outcomes: list[Outcome]) -> None:
    made = run(*outcomes, rules=RULES)
    assert len(made["results"]) == sum(len(item.report.findings) for item in outcomes if item.report)
