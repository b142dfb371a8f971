"""CSV, for spreadsheets and data frames: one row per finding."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from unslant.report.messages import advice
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.places import Place, placed_findings
from unslant.report.printable import clean

__all__ = ["COLUMNS", "guard_formula", "render"]

COLUMNS = (
    "path",
    "line",
    "column",
    "end_line",
    "end_column",
    "severity",
    "kind",
    "dimension",
    "rule",
    "origin",
    "probability",
    "text",
    "why",
    "suggestions",
    "fingerprint",
)
"""The header."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write the header, then one row per finding; an empty cell means that nothing is known."""
    tally = Tally()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for outcome in tally.watch(outcomes):
        for place in placed_findings(outcome, settings):
            writer.writerow(_row(place))
    return tally.summary()


def guard_formula(text: str) -> str:
    """Return the text with an apostrophe in front if a spreadsheet would run it as a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _row(place: Place) -> list[str | int]:
    finding = place.finding
    probability = "" if finding.probability is None else f"{finding.probability:.4f}"
    texts = (finding.text, finding.why, advice(finding, place.source))
    return [
        guard_formula(clean(place.path)),
        place.line,
        place.column,
        place.end_line,
        place.end_column,
        finding.severity.value,
        finding.kind,
        finding.dimension or "",
        guard_formula(clean(place.rule)),
        finding.origin,
        probability,
        *(guard_formula(clean(text)) for text in texts),
        finding.fingerprint,
    ]
