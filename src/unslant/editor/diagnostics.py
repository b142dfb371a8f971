"""Findings and notes as diagnostics, and the text that an editor shows on hover."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from unslant.core.types import Finding, Note, Severity, Span
from unslant.editor.checker import CheckResult
from unslant.report.messages import advice, label, message

SOURCE = "unslant"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.SUGGESTION: types.DiagnosticSeverity.Information,
}
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|&~])")


def diagnostics(checked: CheckResult) -> list[types.Diagnostic]:
    """Return one diagnostic per finding, then one per note."""
    if checked.report is None:
        return []
    return [
        *(diagnostic(checked, finding) for finding in checked.report.findings),
        *(_note_diagnostic(checked, note) for note in checked.report.notes),
    ]


def diagnostic(checked: CheckResult, finding: Finding) -> types.Diagnostic:
    """Return the diagnostic of a finding."""
    return types.Diagnostic(
        range=checked.positions.range(finding.span),
        message=message(finding, checked.document.text),
        severity=_SEVERITIES[finding.severity],
        code=finding.id,
        source=SOURCE,
        data={"fingerprint": finding.fingerprint},
    )


def _note_diagnostic(checked: CheckResult, note: Note) -> types.Diagnostic:
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=checked.positions.range(note.span) if note.span else types.Range(start, start),
        message=note.message,
        severity=types.DiagnosticSeverity.Information,
        code="note",
        source=SOURCE,
    )


def findings_in(checked: CheckResult, within: types.Range) -> Iterator[Finding]:
    """Yield the findings that a range touches; a cursor also touches the word before it."""
    if checked.report is None:
        return
    start, end = checked.positions.offset(within.start), checked.positions.offset(within.end)
    for finding in checked.report.findings:
        if finding.span.start <= end and start <= finding.span.end:
            yield finding


def hover(checked: CheckResult, position: types.Position, *, markdown: bool) -> types.Hover | None:
    """Return the reason of the findings at a position, the suggestions and the sources."""
    if checked.report is None or checked.spec is None:
        return None
    at = checked.positions.offset(position)
    found = [finding for finding in checked.report.findings if finding.span.start <= at < finding.span.end]
    if not found:
        return None
    from unslant.rules.analyzer import finding_cards

    cards = finding_cards(checked.spec)
    sources = [cards[finding.rule].source if finding.rule in cards else "" for finding in found]
    texts = [
        "\n\n".join(_hover_parts(checked, *pair, markdown=markdown))
        for pair in zip(found, sources, strict=True)
    ]
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    whole = Span(min(finding.span.start for finding in found), max(finding.span.end for finding in found))
    separator = "\n\n---\n\n" if markdown else "\n\n"
    return types.Hover(
        types.MarkupContent(kind, separator.join(texts)),
        checked.positions.range(found[0].span if len(found) == 1 else whole),
    )


def _hover_parts(checked: CheckResult, finding: Finding, source: str, *, markdown: bool) -> Iterator[str]:
    def plain(text: str) -> str:
        return _MARKUP.sub(r"\\\1", text) if markdown else text

    title = plain(f"{label(finding)}: {finding.id}")
    yield f"**{title}**" if markdown else title
    yield plain(finding.why)
    wording = advice(finding, checked.document.text)
    if wording:
        yield plain(f"Try: {wording}.")
    if finding.probability is not None:
        yield plain(f"Probability: {finding.probability:.0%} ({finding.origin}).")
    if source:
        yield plain(f"Source: {source}")
