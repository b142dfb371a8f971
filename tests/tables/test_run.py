"""Scores written to a file: the format by the suffix, nothing half written, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError
from unslant.core.types import Document, Report, SentenceVerdict, Span, Verdict
from unslant.tables.run import check_output, write_records
from unslant.tables.scoring import report_record
from unslant.tables.sources import Row

COLUMNS = {"row": "int", "text": "str", "score": "float"}
RECORDS: list[dict[str, Any]] = [
    {"row": 0, "text": "A legendary, \u201cnew\u201d plan", "score": 0.5},
    {"row": 1, "text": "=SUM(A1)", "score": None},
    {"row": 2, "text": "two\nlines", "score": 1.0},
]


def batches() -> Iterator[list[dict[str, Any]]]:
    yield RECORDS[:2]
    yield []
    yield RECORDS[2:]


def test_json_lines_hold_the_values_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    write_records(path, batches(), COLUMNS)
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == RECORDS


@pytest.mark.parametrize(("name", "delimiter"), [("out.csv", ","), ("out.tsv", "\t"), ("OUT.CSV", ",")])
def test_delimited_files_have_a_header_and_guard_formulas(tmp_path: Path, name: str, delimiter: str) -> None:
    path = tmp_path / name
    write_records(path, batches(), COLUMNS)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=delimiter))
    assert rows == [
        ["row", "text", "score"],
        ["0", "A legendary, \u201cnew\u201d plan", "0.5"],
        ["1", "'=SUM(A1)", ""],
        ["2", "two\nlines", "1.0"],
    ]


def test_an_existing_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old", "utf-8")

    def failing() -> Iterator[list[dict[str, Any]]]:
        yield RECORDS[:1]
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_records(path, failing(), COLUMNS)
    assert path.read_text("utf-8") == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", "the suffix must be one of"),
        ("out", "the suffix must be one of"),
        ("missing/out.csv", "does not exist"),
    ],
)
def test_an_output_that_cannot_be_written_is_named_before_the_work(
    tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        check_output(tmp_path / name)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "Out.JSONL"])
def test_known_suffixes_are_accepted(tmp_path: Path, name: str) -> None:
    check_output(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_worst_sentence_speaks_for_its_text() -> None:
    document = Document("One. Two. Three.", "One. Two. Three.")
    verdicts = [
        SentenceVerdict(Span(0, 4), 0.2, Verdict.NEUTRAL),
        SentenceVerdict(Span(5, 9), 0.9, Verdict.SLANTED),
        SentenceVerdict(Span(10, 16), None),
    ]
    record = report_record(Row("a.csv", 1), Report(document, verdicts))
    assert (record["probability"], record["verdict"]) == (0.9, "slanted")
