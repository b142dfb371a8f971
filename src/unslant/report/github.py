"""GitHub: workflow commands that mark findings in a pull request, and a review with safe edits as suggestions.

    unslant fix --since origin/main --output-format github-review docs > review.json
    gh api repos/OWNER/REPOSITORY/pulls/NUMBER/reviews --input review.json

GitHub takes comments only on lines that the pull request changes, so ``--since`` belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO

from unslant.core.types import Applicability, Edit, Finding, Severity, Span
from unslant.report.messages import label, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex, relative
from unslant.report.printable import clean
from unslant.report.table import Place, placed_findings
from unslant.report.terminal import closing
from unslant.report.wire import dumps
from unslant.text.edits import apply_edits

__all__ = ["render_annotations", "render_review"]

_COMMANDS = {Severity.SUGGESTION: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render_annotations(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one command per line, then the summary as a plain line for the log."""
    tally = Tally()
    for outcome in tally.watch(outcomes):
        stream.writelines(_commands(outcome, settings))
    summary = tally.summary()
    stream.write(closing(summary) + "\n")
    return summary


def _commands(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    path = {"file": relative(outcome.path, settings.root) or outcome.path}
    if outcome.report is None:
        yield _command("error", {**path, "title": "not checked"}, outcome.error or "")
        return
    source = outcome.report.document.source
    lines = LineIndex(source)
    for finding in outcome.report.findings:
        title = f"{label(finding)}: {finding.id}"
        properties = {**path, **_place(finding.span, lines), "title": title}
        yield _command(_COMMANDS[finding.severity], properties, message(finding, source, "\n"))
    for note in outcome.notes:
        place = _place(note.span, lines) if note.span else {}
        yield _command("notice", {**path, **place, "title": "note"}, note.message)


def _place(span: Span, lines: LineIndex) -> dict[str, str]:
    line, column = lines.locate(span.start)
    end_line, end_column = lines.locate(span.end)
    place = {"line": str(line), "endLine": str(end_line)}
    if line == end_line:  # GitHub rejects columns on annotations of several lines
        place |= {"col": str(column), "endColumn": str(end_column)}
    return place


def _command(command: str, properties: dict[str, str], text: str) -> str:
    settings = ",".join(f"{key}={_escape_property(clean(value))}" for key, value in properties.items())
    body = "\n".join(clean(line) for line in text.splitlines())
    return f"::{command} {settings}::{_escape(body)}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


_FENCE = re.compile("`{3,}")


def render_review(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write the review; each comment is written as soon as its file is done."""
    tally = Tally()
    stream.write('{"event": "COMMENT",\n"comments": [')
    count = 0
    for outcome in tally.watch(outcomes):
        for comment in _comments(outcome, settings):
            stream.write((",\n" if count else "\n") + dumps(comment))
            count += 1
    what = f"{count} suggestion{'s' * (count != 1)}" if count else "no safe edits to suggest"
    stream.write(f'],\n"body": {dumps(f"unslant: {what}")}}}\n')
    return tally.summary()


@dataclass(slots=True)
class _Suggestion:
    """Edits of neighbouring findings that share lines; GitHub replaces whole lines."""

    first: int
    last: int
    place: Place
    """Of one of the findings."""
    edits: list[Edit] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def _comments(outcome: Outcome, settings: RenderSettings) -> Iterator[dict[str, Any]]:
    current: _Suggestion | None = None
    for place in placed_findings(outcome, settings):
        edit = next((edit for edit in place.finding.edits if edit.applicability is Applicability.SAFE), None)
        if edit is None:
            continue
        first, last = place.lines.locate(edit.start)[0], place.lines.locate(edit.end)[0]
        if current is None or first > current.last:
            if current is not None:
                yield _comment(current)
            current = _Suggestion(first, last, place)
        current.last = max(current.last, last)
        current.findings.append(place.finding)
        if all(not edit.conflicts(other) and edit.change != other.change for other in current.edits):
            current.edits.append(edit)
    if current is not None:
        yield _comment(current)


def _comment(suggestion: _Suggestion) -> dict[str, Any]:
    place = suggestion.place
    start = place.lines.start(suggestion.first)
    more = suggestion.last < len(place.lines)
    end = place.lines.start(suggestion.last + 1) if more else len(place.source)
    moved = [
        Edit(edit.start - start, edit.end - start, edit.replacement, edit.applicability)
        for edit in suggestion.edits
    ]
    text = apply_edits(place.source[start:end], moved).rstrip("\r\n")
    # GitHub ends a suggestion at a fence as long as its own
    fence = "`" * max(3, 1 + max((len(run) for run in _FENCE.findall(text)), default=0))
    reasons = "\n".join(message(finding, place.source) for finding in suggestion.findings)
    comment: dict[str, Any] = {"path": place.path, "line": suggestion.last, "side": "RIGHT"}
    if suggestion.first < suggestion.last:
        comment |= {"start_line": suggestion.first, "start_side": "RIGHT"}
    return {**comment, "body": f"{reasons}\n\n{fence}suggestion\n{text}\n{fence}"}
