"""Annotations for GitHub Actions: workflow commands that mark findings in a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from unslant.core.types import Severity, Span
from unslant.report.messages import label, message
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex, relative
from unslant.report.printable import clean
from unslant.report.terminal import closing

__all__ = ["render"]

_COMMANDS = {Severity.SUGGESTION: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
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
