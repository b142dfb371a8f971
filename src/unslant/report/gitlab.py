"""GitLab Code Quality: an array of issues that GitLab shows in merge requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from unslant.core.types import Severity
from unslant.report.messages import message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary
from unslant.report.places import Place, placed_findings, run_fingerprint, shown_path, write_array

__all__ = ["render"]

_SEVERITIES = {Severity.SUGGESTION: "info", Severity.WARNING: "minor", Severity.ERROR: "major"}


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
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
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": place.path,
            "positions": {
                "begin": {"line": place.line, "column": place.column},
                "end": {"line": place.end_line, "column": place.end_column},
            },
        },
    }
