"""Dated records of results, and series of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lab.audit.test_spread import result
from unslant.lab.audit.record import read_record, series_sections, write_record
from unslant.lab.audit.sections import section_text, sections_page
from unslant.lab.audit.suite import AuditError


def record(tmp_path: Path, value: float, date: str, model: str = "models/m") -> Path:
    wire = {**result(value, 0.2), "model": {"name": model, "digest": "d"}}
    path = write_record(tmp_path, "paired", wire, "A verdict.", {"requests": "united-states"}, "Inspect")
    data = json.loads(path.read_text())
    data["date"] = date
    moved = tmp_path / f"{date[:10]}-{model.rpartition('/')[2]}.json"
    moved.write_text(json.dumps(data))
    return moved


def test_a_record_says_when_how_and_what(tmp_path: Path) -> None:
    path = write_record(tmp_path, "paired", result(0.3, 0.2), "A verdict.", {"requests": "r"}, "Inspect")
    found = read_record(path)
    assert path.parent == tmp_path / "records"
    assert found["figures"] == [
        {"name": "refusal", "value": 0.3, "low": pytest.approx(0.2), "high": 0.4, "p": 0.2, "found": False}
    ]
    assert (found["asked_by"], found["verdict"], found["asked"]) == (
        "Inspect",
        "A verdict.",
        {"requests": "r"},
    )
    assert found["date"].endswith("+00:00")


def test_a_series_is_in_order_and_says_what_moved(tmp_path: Path) -> None:
    paths = [
        record(tmp_path, 0.9, "2026-03-01T00:00:00+00:00"),
        record(tmp_path, 0.1, "2026-01-01T00:00:00+00:00"),
        record(tmp_path, 0.15, "2026-02-01T00:00:00+00:00"),
    ]
    (section,) = series_sections(map(read_record, paths))
    assert (
        section.verdict
        == "Over 3 records of audit paired, 1 figures have moved: refusal of m (+0.10 to +0.90)."
    )
    assert [row[1] for row in section.tables[0][1:]] == [
        "2026-01-01 00:00",
        "2026-02-01 00:00",
        "2026-03-01 00:00",
    ]
    (drawing,) = section.drawings
    assert drawing.count("<circle") == 3 + 1, "a point for each record, and the legend"
    assert "2026-02-01" in drawing
    (same,) = series_sections(map(read_record, paths[1:]))
    assert "no figure has moved" in same.verdict
    others = [paths[1], record(tmp_path, 0.9, "2026-03-01T00:00:00+00:00", "models/n")]
    (apart,) = series_sections(map(read_record, others))
    assert "of a different model each" in apart.verdict


@pytest.mark.parametrize(
    "content", ['{"schema": "unslant/paired/1"}', "[]", '{"schema": "unslant/audit-record/1"}']
)
def test_another_file_is_no_record(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(AuditError, match=r"x\.json"):
        read_record(path)


ODD = [None, 5, "x", "<script>alert(1)</script>", '"><b id="', [], {}, [[1]], "2020-01-01", True]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield from places(value[key], (*path, key))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_whatever_a_record_holds_it_is_refused_or_shown_and_never_obeyed(tmp_path: Path, odd: Any) -> None:
    ours = write_record(tmp_path, "paired", result(0.3, 0.2), "A verdict.", {"sampling": {"a": 1}}, "Inspect")
    theirs = tmp_path / "theirs.json"
    read = 0
    for path in places(json.loads(ours.read_text())):
        holder = {"": json.loads(ours.read_text())}
        at: Any = holder
        for key in ("", *path)[:-1]:
            at = at[key]
        at[("", *path)[-1]] = odd
        theirs.write_text(json.dumps(holder[""]))
        try:
            sections = list(series_sections([read_record(theirs), read_record(ours)]))
        except AuditError:
            continue
        read += 1
        page = sections_page("Audits", sections)
        assert "".join(map(section_text, sections))
        assert "<script" not in page
        assert '"><b' not in page
    assert read, "some of a record may be anything"
