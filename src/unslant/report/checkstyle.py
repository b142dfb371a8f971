"""Checkstyle XML, which many tools for continuous integration and review read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from unslant.core.types import Severity
from unslant.report.messages import message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.places import Place, placed_findings, shown_path
from unslant.report.xml import DECLARATION, ascii_only, attribute

__all__ = ["render"]

_SEVERITIES = {Severity.SUGGESTION: "info", Severity.WARNING: "warning", Severity.ERROR: "error"}
_VERSION = "8.0"
"""The version of Checkstyle whose form this is; readers expect a number."""


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one element per file; a file without findings has none in it."""
    tally = Tally()
    stream.write(f'{DECLARATION}<checkstyle version="{_VERSION}">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(ascii_only(line) for line in _file(outcome, settings))
    stream.write("</checkstyle>\n")
    return tally.summary()


def _file(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    yield f"  <file name={attribute(shown_path(outcome, settings))}>\n"
    if outcome.error is not None:
        text = attribute(outcome.error)
        yield f'    <error line="1" severity="error" message={text} source="unslant.not-checked"/>\n'
    for place in placed_findings(outcome, settings):
        yield _error(place)
    yield "  </file>\n"


def _error(place: Place) -> str:
    severity = _SEVERITIES[place.finding.severity]
    text = attribute(message(place.finding, place.source))
    source = attribute(f"unslant.{place.rule}")
    at = f'line="{place.line}" column="{place.column}"'
    return f'    <error {at} severity="{severity}" message={text} source={source}/>\n'
