"""JSON and JSON Lines, for programs.

All non-ASCII characters are escaped, so the output survives any encoding of the stream, and any file name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, TextIO

from unslant.core.types import Report
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.printable import escape_json
from unslant.text.skipped import find_skipped

ENVELOPE = "unslant/reports/1"
"""The name and version of the object with all reports of a run."""
ERROR = "unslant/error/1"
"""The name and version of a JSON Lines record for a file that could not be checked."""


def dumps(value: object) -> str:
    """Return the value as JSON on one line."""
    return json.dumps(value, allow_nan=False, separators=(", ", ": "))


def readable(value: object, indent: int | None = None) -> str:
    """Return the value as JSON for people: letters stay letters, and what is not a number is ``null``."""
    return escape_json(json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent))


def _finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON does not have; a figure that is not defined is not zero."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of everything that the two formats write."""
    from importlib.resources import files

    text = files("unslant.report").joinpath("schema", "report-1.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _report(report: Report, settings: RenderSettings) -> dict[str, Any]:
    """Return the JSON form, with what was left alone if that is asked for."""
    wire = report.to_dict()
    if settings.skipped is not None:
        wire["skipped"] = [
            {"span": span.to_dict(), "reason": reason}
            for span, reason in find_skipped(report.document, settings.skipped)
        ]
    return wire


def render_json(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one object with all reports; each is written as soon as it is available."""
    tally = Tally()
    errors: list[dict[str, Any]] = []
    stream.write(f'{{"schema": "{ENVELOPE}",\n"reports": [')
    separator = "\n"
    for outcome in tally.watch(outcomes):
        if outcome.report is None:
            errors.append({"path": outcome.path, "message": outcome.error})
        else:
            stream.write(separator + dumps(_report(outcome.report, settings)))
            separator = ",\n"
    summary = tally.summary()
    stream.write(f'],\n"errors": {dumps(errors)},\n')
    stream.write(f'"summary": {dumps(summary.to_dict())}}}\n')
    return summary


def render_lines(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one record per line: a report or an error."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        record: dict[str, Any]
        if outcome.report is None:
            record = {"schema": ERROR, "path": outcome.path, "message": outcome.error}
        else:
            record = _report(outcome.report, settings)
        stream.write(dumps(record) + "\n")
    return tally.summary()
