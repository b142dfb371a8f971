"""One flat record per finding, for the formats that other tools read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from unslant.core.types import Finding
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex, relative
from unslant.report.wire import dumps

__all__ = ["Place", "placed_findings", "run_fingerprint", "shown_path", "write_array"]


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
