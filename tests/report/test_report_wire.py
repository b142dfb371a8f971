"""JSON and JSON Lines against the published schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from tests.report.report_samples import finding, rendered, report
from tests.report.report_strategies import runs
from unslant.core.types import Note, Report, Span
from unslant.report import Outcome
from unslant.report.wire import schema

SOURCE = "An iconic café."
REPORT = report(
    SOURCE, finding(SOURCE, "iconic", "noted"), path="a.txt", notes=(Note("Unused.", Span(0, 2)),)
)
OUTCOMES = (
    Outcome("a.txt", REPORT),
    Outcome("gone.txt", error="gone.txt does not exist."),
)
VALIDATOR = Draft202012Validator(schema())


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


def test_json_holds_reports_errors_notes_and_the_summary() -> None:
    run = json.loads(rendered("json", *OUTCOMES))
    assert run["schema"] == "unslant/reports/1"
    assert run["reports"] == [REPORT.to_dict()]
    assert run["errors"] == [{"path": "gone.txt", "message": "gone.txt does not exist."}]
    assert run["reports"][0]["notes"] == [{"span": {"start": 0, "end": 2}, "message": "Unused."}]
    assert run["summary"]["findings"] == 1
    VALIDATOR.validate(run)


def test_json_of_nothing_is_whole() -> None:
    run = json.loads(rendered("json"))
    assert (run["reports"], run["errors"]) == ([], [])
    VALIDATOR.validate(run)


def test_json_lines_hold_one_record_each() -> None:
    records = [json.loads(line) for line in rendered("jsonl", *OUTCOMES).splitlines()]
    assert [record["schema"] for record in records] == ["unslant/report/1", "unslant/error/1"]
    assert records[1] == {
        "schema": "unslant/error/1",
        "path": "gone.txt",
        "message": "gone.txt does not exist.",
    }
    for record in records:
        VALIDATOR.validate(record)


def test_a_report_survives_the_round_trip() -> None:
    read = json.loads(rendered("jsonl", OUTCOMES[0]).splitlines()[0])
    assert Report.from_dict(REPORT.document, read).findings == REPORT.findings


@settings(max_examples=60)
@given(runs)
def test_any_run_validates_in_both_formats(run: list[Outcome]) -> None:
    whole = rendered("json", *run)
    assert whole.isascii()
    VALIDATOR.validate(json.loads(whole))
    lines = rendered("jsonl", *run).split("\n")
    assert len(lines) == 1 + len(run)
    for line in lines[:-1]:
        VALIDATOR.validate(json.loads(line))


def test_the_schema_knows_every_field_that_is_written() -> None:
    known = schema()["$defs"]
    run = json.loads(rendered("json", *OUTCOMES))
    first = run["reports"][0]
    written: dict[str, dict[str, Any]] = {
        "run": run,
        "summary": run["summary"],
        "error": run["errors"][0],
        "note": first["notes"][0],
        "report": first,
        "document": first["document"],
        "sentence": first["sentences"][0],
        "finding": first["findings"][0],
        "edit": first["findings"][0]["edits"][0],
        "span": first["findings"][0]["span"],
    }
    for name, value in written.items():
        assert set(known[name]["properties"]) == set(known[name]["required"]) == set(value), name


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "unslant/report/2"),
        (("findings", 0, "severity"), "fatal"),
        (("findings", 0, "probability"), 1.5),
        (("findings", 0, "span", "start"), -1),
        (("findings", 0, "edits", 0, "applicability"), "always"),
        (("sentences", 0, "verdict"), "biased"),
        (("document",), None),
    ],
)
def test_the_schema_refuses_what_no_report_says(path: tuple[str | int, ...], value: object) -> None:
    record = json.loads(rendered("jsonl", OUTCOMES[0]).splitlines()[0])
    VALIDATOR.validate(record)
    place: Any = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not VALIDATOR.is_valid(record)
