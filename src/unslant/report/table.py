"""One flat record per finding, for the formats that other tools read: lines of text and CSV.

A line is ``file:line:col: severity rule: message``, for grep and editors; CSV is for spreadsheets and data frames.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from unslant.core.types import Finding
from unslant.report.messages import advice, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex, relative
from unslant.report.printable import clean
from unslant.report.wire import dumps


@dataclass(frozen=True, slots=True)
class Place:
    """A finding with its file, line and column."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    """The column after the last character."""
    rule: str
    finding: Finding
    source: str
    lines: LineIndex


def shown_path(outcome: Outcome, settings: RenderSettings) -> str:
    """Return the path relative to the root, as other tools expect it; as the user typed it if it is outside."""
    return relative(outcome.path, settings.root) or outcome.path


def placed_findings(outcome: Outcome, settings: RenderSettings) -> Iterator[Place]:
    """Yield the findings of a file in order; none for a file that could not be checked."""
    if outcome.report is None:
        return
    path = shown_path(outcome, settings)
    source = outcome.report.document.source
    lines = LineIndex(source)
    for finding in outcome.report.findings:
        line, column = lines.locate(finding.span.start)
        end_line, end_column = lines.locate(finding.span.end)
        yield Place(path, line, column, end_line, end_column, finding.id, finding, source, lines)


def run_fingerprint(path: str, fingerprint: str) -> str:
    """Return a name for a finding that is unique in a whole run: its own fingerprint is unique within a file only."""
    return hashlib.sha256(f"{path}\0{fingerprint}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def write_array(
    outcomes: Iterable[Outcome],
    stream: TextIO,
    records: Callable[[Outcome], Iterable[dict[str, Any]]],
    around: tuple[str, str] = ("[", "]"),
) -> RunSummary:
    """Write a JSON array with the records of all files; each is written as soon as its file is checked."""
    tally = Tally()
    stream.write(around[0])
    separator = "\n"
    for outcome in tally.watch(outcomes):
        for record in records(outcome):
            stream.write(separator + dumps(record))
            separator = ",\n"
    stream.write(f"{around[1]}\n")
    return tally.summary()


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


def render_csv(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
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


def render_concise(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one line per finding and nothing else; no finding is longer than its line."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        # as the user typed it, so that a click on the line in a terminal opens the file
        path = clean(outcome.path)
        for place in placed_findings(outcome, settings):
            text = clean(message(place.finding, place.source))
            head = f"{path}:{place.line}:{place.column}: {place.finding.severity.value} {clean(place.rule)}"
            stream.write(f"{head}: {text}\n")
    return tally.summary()
