"""A first look at a long document: the part where the writer is, with the findings of the last check elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace

from unslant.core.types import Document, Finding, Report, Span
from unslant.editor.documents import common_start

__all__ = ["is_long", "narrow_to", "part_around", "with_former"]

_AROUND = 2_500
"""Code points before and after the place where the writer is: more than a screen."""
_LONG = 4 * _AROUND
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_NOT_LINE_END = re.compile(r"[^\r\n]")


def is_long(text: str) -> bool:
    """Return whether checking all of a text takes so long that a first look is worth it."""
    return len(text) > _LONG


def part_around(text: str, focus: int) -> Span:
    """Return the paragraphs around a place."""
    first, last = max(focus - _AROUND, 0), min(focus + _AROUND, len(text))
    starts = [match.end() for match in _BLANK_LINE.finditer(text, first, max(focus, first))]
    end = _BLANK_LINE.search(text, last)
    start = starts[0] if starts and first else first
    return Span(start, min(end.start() if end else len(text), last + _AROUND))


def narrow_to(document: Document, part: Span) -> Document:
    """Return the document with all prose outside a part blanked."""
    prose = document.prose
    return replace(
        document,
        prose=_blank(prose[: part.start]) + prose[part.start : part.end] + _blank(prose[part.end :]),
    )


def _blank(text: str) -> str:
    return _NOT_LINE_END.sub(" ", text)


def with_former(report: Report, part: Span, former: Report | None) -> Report:
    """Return a report on a part, with the findings that an earlier report has outside of it, where they are now."""
    if former is None:
        return report
    old, new = former.document.source, report.document.source
    head = common_start(old, new)
    tail = min(common_start(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    moved = [
        found
        for finding in former.findings
        if (found := _shift(finding, head, len(old) - tail, len(new) - len(old))) is not None
        and not found.span.overlaps(part)
    ]
    findings = sorted([*moved, *report.findings], key=lambda finding: (finding.span, finding.rule or ""))
    return replace(report, findings=tuple(findings))


def _shift(finding: Finding, head: int, end: int, by: int) -> Finding | None:
    """Return a finding after a change from ``head`` to ``end``; None if the change touches it."""
    if finding.span.end <= head:
        return finding
    if finding.span.start < end:
        return None
    return replace(
        finding,
        span=Span(finding.span.start + by, finding.span.end + by),
        edits=tuple(edit.shift(by) for edit in finding.edits),
    )
