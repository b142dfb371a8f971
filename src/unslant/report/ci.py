"""Formats for continuous integration and code review: GitHub, GitLab, reviewdog, JUnit and Checkstyle.

GitHub has two: workflow commands that mark findings in a pull request, and a review with safe edits as suggestions.

    unslant fix --since origin/main --output-format github-review docs > review.json
    gh api repos/OWNER/REPOSITORY/pulls/NUMBER/reviews --input review.json

GitHub takes comments only on lines that the pull request changes, so ``--since`` belongs to it.

In XML, what XML 1.0 cannot write is replaced, and everything beyond ASCII is a character reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from unslant.core.types import Applicability, Edit, Finding, Severity, Span
from unslant.report.messages import label, message
from unslant.report.notes import notes_on
from unslant.report.outcome import Outcome, RenderSettings, RunSummary, Tally
from unslant.report.positions import LineIndex, relative
from unslant.report.printable import clean
from unslant.report.table import Place, placed_findings, run_fingerprint, shown_path, write_array
from unslant.report.terminal import closing
from unslant.report.wire import dumps
from unslant.text.edits import apply_edits

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
    for note in notes_on(outcome, settings):
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


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def attribute(text: str) -> str:
    """Return a text in quotation marks, as the value of an attribute."""
    return quoteattr(_printable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """Return a text as the content of an element."""
    return escape(_printable(text))


def ascii_only(xml: str) -> str:
    """Return XML in ASCII, so that the encoding of the stream does not matter."""
    return xml if xml.isascii() else xml.encode("ascii", "xmlcharrefreplace").decode()


def _printable(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def render_junit(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one suite per file; a file without findings is a case that passes."""
    tally = Tally()
    stream.write(f'{DECLARATION}<testsuites name="unslant">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(ascii_only(line) for line in _suite(outcome, settings))
    stream.write("</testsuites>\n")
    return tally.summary()


def _suite(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    path = attribute(shown_path(outcome, settings))
    places = list(placed_findings(outcome, settings))
    failed = outcome.error is not None
    yield f'  <testsuite name={path} tests="{max(len(places), 1)}" failures="{len(places)}" errors="{failed:d}">\n'
    if outcome.error is not None:
        yield f'    <testcase name="not checked" classname={path}>\n'
        yield f'      <error message={attribute(outcome.error)} type="not-checked"></error>\n'
        yield "    </testcase>\n"
    elif not places:
        yield f'    <testcase name="no findings" classname={path}></testcase>\n'
    for place in places:
        yield from _case(place)
    yield "  </testsuite>\n"


def _case(place: Place) -> Iterator[str]:
    finding = place.finding
    name = attribute(f"{place.line}:{place.column} {place.rule}")
    where = f"{place.path}:{place.line}:{place.column}: {finding.severity.value}, {label(finding)}"
    text = content(f"{where}\n{message(finding, place.source)}")
    yield f"    <testcase name={name} classname={attribute(place.path)}>\n"
    kind = attribute(finding.severity.value)
    yield f"      <failure message={attribute(message(finding, place.source))} type={kind}>{text}</failure>\n"
    yield "    </testcase>\n"


_CHECKSTYLE_SEVERITIES = {Severity.SUGGESTION: "info", Severity.WARNING: "warning", Severity.ERROR: "error"}
_CHECKSTYLE_VERSION = "8.0"
"""The version of Checkstyle whose form this is; readers expect a number."""


def render_checkstyle(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one element per file; a file without findings has none in it."""
    tally = Tally()
    stream.write(f'{DECLARATION}<checkstyle version="{_CHECKSTYLE_VERSION}">\n')
    for outcome in tally.watch(outcomes):
        stream.writelines(ascii_only(line) for line in _checkstyle_file(outcome, settings))
    stream.write("</checkstyle>\n")
    return tally.summary()


def _checkstyle_file(outcome: Outcome, settings: RenderSettings) -> Iterator[str]:
    yield f"  <file name={attribute(shown_path(outcome, settings))}>\n"
    if outcome.error is not None:
        text = attribute(outcome.error)
        yield f'    <error line="1" severity="error" message={text} source="unslant.not-checked"/>\n'
    for place in placed_findings(outcome, settings):
        yield _checkstyle_error(place)
    yield "  </file>\n"


def _checkstyle_error(place: Place) -> str:
    severity = _CHECKSTYLE_SEVERITIES[place.finding.severity]
    text = attribute(message(place.finding, place.source))
    source = attribute(f"unslant.{place.rule}")
    at = f'line="{place.line}" column="{place.column}"'
    return f'    <error {at} severity="{severity}" message={text} source={source}/>\n'
