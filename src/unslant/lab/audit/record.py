"""Dated records of results, whoever asked the model, and series of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unslant.core.files import make_folder, read_json, write_text
from unslant.lab.audit.figures import Figure, figures_of, model_of
from unslant.lab.audit.sections import AuditSection, draw_doses, short_name
from unslant.lab.audit.suite import AuditError
from unslant.lab.report.table import Row, format_interval, format_number, format_p
from unslant.report.wire import readable
from unslant.version import VERSION

SCHEMA = "unslant/audit-record/1"
_SHOWN = 8
"""The most dates that an axis names."""


def make_record(
    method: str, wire: Mapping[str, Any], verdict: str, asked: Mapping[str, Any], by: str = "unslant"
) -> dict[str, Any]:
    """Return a record of a result in its JSON form; ``asked`` says how, and ``by`` which program asked."""
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "method": method,
        "model": model_of(wire),
        "unslant": VERSION,
        "asked_by": by,
        "asked": dict(asked),
        "verdict": verdict,
        "figures": [figure.to_dict() for figure in figures_of(wire)],
        **({"spread": wire["spread"]} if len(wire.get("spread", ())) > 1 else {}),
    }


def write_record(
    folder: Path,
    method: str,
    wire: Mapping[str, Any],
    verdict: str,
    asked: Mapping[str, Any],
    by: str = "unslant",
) -> Path:
    """Keep a record of a result in a folder, one file for each method and second; return its path."""
    record = make_record(method, wire, verdict, asked, by)
    stamp = re.sub(r"\W", "", str(record["date"]).partition("+")[0])
    path = folder / "records" / f"{method}-{stamp}.json"
    make_folder(path.parent, AuditError)
    write_text(path, readable(record, 1) + "\n", AuditError)
    return path


def read_record(path: Path) -> dict[str, Any]:
    """Read a record; :class:`AuditError` if the file is none."""
    data = read_json(path, error=AuditError)
    try:
        if data["schema"] != SCHEMA:
            raise AuditError(f"{path}: its schema is not {SCHEMA}")
        if datetime.fromisoformat(data["date"]).tzinfo is None:
            raise ValueError("a date without its time zone")
        [Figure(**figure) for figure in data["figures"]]
        texts = (data["method"], data["model"]["name"], data["asked_by"], data["unslant"])
        tables = (data["asked"], data["asked"].get("sampling", {}))
        if not all(isinstance(each, str) for each in texts) or not all(
            isinstance(each, dict) for each in tables
        ):
            raise TypeError("a field of another type")
    except (KeyError, TypeError, ValueError, AttributeError):
        raise AuditError(f"{path}: not a record of an audit; take one from the folder records") from None
    return dict(data)


def series_sections(records: Iterable[Mapping[str, Any]]) -> Iterator[AuditSection]:
    """Describe records over time: a section for each method, with a chart of each figure."""
    by_method: dict[str, list[Mapping[str, Any]]] = {}
    for record in sorted(records, key=lambda record: datetime.fromisoformat(record["date"])):
        by_method.setdefault(record["method"], []).append(record)
    for method, found in by_method.items():
        rows: list[Row] = [["", "date", "model", "asked by", "value", "95 %", "p"]]
        drawings = []
        for name in dict.fromkeys(figure["name"] for record in found for figure in record["figures"]):
            told = list(_of(name, found))
            if not told:
                continue
            for at, (record, figure) in enumerate(told):
                rows.append(
                    [
                        name if at == 0 else "",
                        str(record["date"])[:16].replace("T", " "),
                        short_name(record["model"]["name"]),
                        record["asked_by"],
                        format_number(figure.value),
                        format_interval(figure.low, figure.high),
                        format_p(figure.p),
                    ]
                )
            drawings.append(_drawing(name, found, told))
        yield AuditSection(
            f"Series of {method}",
            _moved(method, found),
            "",
            (rows,),
            (
                "A figure has moved if the intervals of the first and the last record of a model do not overlap, which "
                "is a strict test. Compare only records that were asked in the same way.",
            ),
            tuple(drawings),
        )


def _of(name: str, records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Figure]]:
    for record in records:
        for figure in record["figures"]:
            if figure["name"] == name and figure["value"] is not None:
                yield record, Figure(**figure)


def _drawing(
    name: str, records: Sequence[Mapping[str, Any]], told: Sequence[tuple[Mapping[str, Any], Figure]]
) -> str:
    dates = list(dict.fromkeys(str(record["date"]) for record in records))
    place = {date: at / max(1, len(dates) - 1) for at, date in enumerate(dates)}
    lines: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for record, figure in told:
        point = (place[str(record["date"])], figure.value or 0.0, figure.low, figure.high)
        lines.setdefault(short_name(record["model"]["name"]), []).append(point)
    every = -(-len(dates) // _SHOWN)
    ticks = {place[date]: date[:10] for date in dates[::every]}
    return draw_doses(lines, name, "date", ticks)


def _moved(method: str, records: Sequence[Mapping[str, Any]]) -> str:
    moved, compared = [], 0
    for model in dict.fromkeys(record["model"]["name"] for record in records):
        own = [record for record in records if record["model"]["name"] == model]
        for name in dict.fromkeys(figure["name"] for record in own for figure in record["figures"]):
            told = [figure for _, figure in _of(name, own)]
            if len(told) < 2:
                continue
            compared += 1
            first, last = told[0], told[-1]
            if None not in (first.low, first.high, last.low, last.high) and (
                (last.low or 0.0) > (first.high or 0.0) or (last.high or 0.0) < (first.low or 0.0)
            ):
                moved.append(f"{name} of {short_name(model)} ({first.value:+.2f} to {last.value:+.2f})")
    if not compared:
        return f"{len(records)} records of audit {method}, of a different model each."
    if not moved:
        return f"Over {len(records)} records of audit {method}, no figure has moved beyond its interval."
    return (
        f"Over {len(records)} records of audit {method}, {len(moved)} figures have moved: {', '.join(moved)}."
    )
