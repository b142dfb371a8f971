"""SARIF 2.1.0, for code scanning and editors.

Results are written as they arrive, and the rules they name afterwards; the order of keys does not matter in JSON.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from unslant.core.types import Applicability, Edit, Finding, Note, Severity, Span
from unslant.report.messages import label, message
from unslant.report.notes import notes_on
from unslant.report.outcome import Outcome, RenderSettings, RuleInfo, RunSummary, Tally
from unslant.report.positions import LineIndex, file_uri, folder_uri
from unslant.report.wire import dumps
from unslant.text.edits import deleted_words

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {Severity.SUGGESTION: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(outcomes: Iterable[Outcome], stream: TextIO, settings: RenderSettings) -> RunSummary:
    """Write one log with one run."""
    tally = Tally()
    log = _Log(settings)
    stream.write(f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{"results": [')
    separator = "\n"
    for outcome in tally.watch(outcomes):
        for result in log.results(outcome):
            stream.write(separator + dumps(result))
            separator = ",\n"
    summary = tally.summary()
    stream.write("]")
    for key, value in log.rest(summary).items():
        stream.write(f',\n"{key}": {dumps(value)}')
    stream.write("}]}\n")
    return summary


class _Log:
    """Collects what comes after the results: the rules they name, and errors."""

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._rules: dict[str, Finding] = {}
        self._places: dict[str, int] = {}
        self._notifications: list[dict[str, Any]] = []

    def results(self, outcome: Outcome) -> Iterable[dict[str, Any]]:
        """Yield a result for each finding of a file."""
        uri, below_root = file_uri(outcome.path, self._settings.root)
        artifact = {"uri": uri, "uriBaseId": _ROOT} if below_root else {"uri": uri}
        if outcome.report is None:
            self._notify("error", outcome.error or "", {"artifactLocation": artifact})
            return
        source = outcome.report.document.source
        lines = LineIndex(source)
        for note in notes_on(outcome, self._settings):
            self._notify("note", note.message, _place(artifact, note, lines))
        for finding in outcome.report.findings:
            yield self._result(finding, source, lines, artifact)

    def _result(
        self, finding: Finding, source: str, lines: LineIndex, artifact: dict[str, Any]
    ) -> dict[str, Any]:
        name = finding.id
        self._rules.setdefault(name, finding)
        region = _region(finding.span, lines) | {"snippet": {"text": finding.text}}
        result: dict[str, Any] = {
            "ruleId": name,
            "ruleIndex": self._places.setdefault(name, len(self._places)),
            "level": _LEVELS[finding.severity],
            "message": {"text": message(finding, source)},
            "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
            "properties": {
                "kind": finding.kind,
                "dimension": finding.dimension,
                "probability": finding.probability,
                "origin": finding.origin,
            },
        }
        if finding.fingerprint:
            result["partialFingerprints"] = {"unslant/v1": finding.fingerprint}
        edits = [edit for edit in finding.edits if edit.applicability is not Applicability.DISPLAY]
        if edits:
            result["fixes"] = [_fix(edit, source, lines, artifact) for edit in dict.fromkeys(edits)]
        return result

    def rest(self, summary: RunSummary) -> dict[str, Any]:
        """Return everything in the run except its results."""
        driver: dict[str, Any] = {"name": "unslant"}
        if self._settings.version:
            driver["version"] = self._settings.version
        rules = self._settings.rules
        driver["rules"] = [_rule(name, finding, rules.get(name)) for name, finding in self._rules.items()]
        invocation = {
            "executionSuccessful": not (summary.failed or summary.interrupted),
            "toolExecutionNotifications": self._notifications,
        }
        return {
            "tool": {"driver": driver},
            "invocations": [invocation],
            "originalUriBaseIds": {_ROOT: {"uri": folder_uri(self._settings.root)}},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
        }

    def _notify(self, level: str, message: str, place: dict[str, Any]) -> None:
        notification = {
            "level": level,
            "message": {"text": message},
            "locations": [{"physicalLocation": place}],
        }
        self._notifications.append(notification)


def _place(artifact: dict[str, Any], note: Note, lines: LineIndex) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": artifact}
    if note.span:
        place["region"] = _region(note.span, lines)
    return place


def _region(span: Span, lines: LineIndex) -> dict[str, Any]:
    line, column = lines.locate(span.start)
    end_line, end_column = lines.locate(span.end)
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
        "charOffset": span.start,
        "charLength": len(span),
    }


def _fix(edit: Edit, source: str, lines: LineIndex, artifact: dict[str, Any]) -> dict[str, Any]:
    replacement: dict[str, Any] = {"deletedRegion": _region(edit.span, lines)}
    if edit.replacement:
        replacement["insertedContent"] = {"text": edit.replacement}
    gone = " ".join(deleted_words(source, edit).split())
    action = f"Delete “{gone}”" if gone else f"Write “{edit.replacement.strip()}”"
    return {
        "description": {"text": f"{action} ({edit.applicability.value})."},
        "artifactChanges": [{"artifactLocation": artifact, "replacements": [replacement]}],
    }


def _rule(name: str, finding: Finding, rule: RuleInfo | None) -> dict[str, Any]:
    if rule is None:  # from a model, or from a rule without a description
        return {
            "id": name,
            "shortDescription": {"text": label(finding)},
            "properties": {"tags": _tags(finding.kind, finding.dimension)},
        }
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {
            "text": f"{rule.why} Source: {rule.source}.",
            "markdown": f"{rule.why}\n\nSource: {rule.source}.",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": _tags(rule.kind, rule.dimension)},
    }


def _tags(kind: str, dimension: str | None) -> list[str]:
    return [kind, dimension] if dimension and dimension != kind else [kind]
