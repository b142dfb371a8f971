"""JSON for review tools: GitLab Code Quality, and the diagnostic format of reviewdog, which also suggests edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from unslant.core.types import Applicability, Severity
from unslant.report.messages import message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary
from unslant.report.table import Place, placed_findings, run_fingerprint, shown_path, write_array

__all__ = ["render_gitlab", "render_rdjson"]

_GITLAB_SEVERITIES = {Severity.SUGGESTION: "info", Severity.WARNING: "minor", Severity.ERROR: "major"}


def render_gitlab(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write the array; each issue is written as soon as its file is checked."""
    return write_array(outcomes, stream, lambda outcome: _issues(outcome, settings))


def _issues(outcome: Outcome, settings: RenderSettings) -> Iterable[dict[str, Any]]:
    if outcome.error is not None:
        path = shown_path(outcome, settings)
        yield {
            "description": outcome.error,
            "check_name": "unslant/not-checked",
            "fingerprint": run_fingerprint(path, outcome.error),
            "severity": "major",
            "location": {"path": path, "lines": {"begin": 1}},
        }
    for place in placed_findings(outcome, settings):
        yield _issue(place)


def _issue(place: Place) -> dict[str, Any]:
    finding = place.finding
    name = finding.fingerprint or f"{place.rule}:{finding.span.start}"
    return {
        "description": message(finding, place.source),
        "check_name": place.rule,
        "fingerprint": run_fingerprint(place.path, name),
        "severity": _GITLAB_SEVERITIES[finding.severity],
        "location": {
            "path": place.path,
            "positions": {
                "begin": {"line": place.line, "column": place.column},
                "end": {"line": place.end_line, "column": place.end_column},
            },
        },
    }


_RDJSON_SEVERITIES = {Severity.SUGGESTION: "INFO", Severity.WARNING: "WARNING", Severity.ERROR: "ERROR"}


def render_rdjson(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one result; each diagnostic is written as soon as its file is checked."""
    around = ('{"source": {"name": "unslant"},\n"diagnostics": [', "]}")
    return write_array(outcomes, stream, lambda outcome: _diagnostics(outcome, settings), around)


def _diagnostics(outcome: Outcome, settings: RenderSettings) -> Iterator[dict[str, Any]]:
    if outcome.error is not None:
        location = {"path": shown_path(outcome, settings)}
        yield {"message": outcome.error, "location": location, "severity": "ERROR"}
    for place in placed_findings(outcome, settings):
        yield _diagnostic(place, settings.judged)


def _diagnostic(place: Place, judged: bool) -> dict[str, Any]:
    finding = place.finding
    diagnostic: dict[str, Any] = {
        "message": message(finding, place.source),
        "location": {"path": place.path, "range": _range(place, finding.span.start, finding.span.end)},
        "severity": _RDJSON_SEVERITIES[finding.severity],
        "code": {"value": place.rule},
    }
    edits = {edit.change for edit in finding.edits if edit.applicability is Applicability.SAFE}
    if judged and edits:
        diagnostic["suggestions"] = [
            {"range": _range(place, start, end), "text": text} for start, end, text in sorted(edits)
        ]
    return diagnostic


def _range(place: Place, start: int, end: int) -> dict[str, Any]:
    return {"start": _position(place, start), "end": _position(place, end)}


def _position(place: Place, offset: int) -> dict[str, int]:
    """Return the line and the column; reviewdog counts the bytes of the line in UTF-8."""
    line, _ = place.lines.locate(offset)
    before = place.source[place.lines.start(line) : offset]
    column = len(before) if before.isascii() else len(before.encode("utf-8", "surrogatepass"))
    return {"line": line, "column": column + 1}
