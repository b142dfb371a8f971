"""Looking at a few sentences of a text as if the others were not there, every position as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unslant.core.types import Applicability, Document, Edit, Finding, Report, Span
from unslant.text.edits import minimal_change

if TYPE_CHECKING:
    from unslant.rewrite.planning import Planner

__all__ = ["About", "alternatives", "differing", "narrowed"]

About = tuple[Span, str | None, str]
"""What tells findings of one text apart: the words, the rule and the kind."""

_WRITTEN = re.compile(r"[^\r\n]")


def narrowed(report: Report, findings: Sequence[Finding]) -> Document:
    """Return the document with no prose but the sentences in which the findings stand."""
    prose = report.document.prose
    parts: list[str] = []
    at = 0
    for sentence in report.sentences:
        span = sentence.span
        if any(span.overlaps(finding.span) for finding in findings):
            parts += (_WRITTEN.sub(" ", prose[at : span.start]), prose[span.start : span.end])
            at = span.end
    return replace(report.document, prose="".join((*parts, _WRITTEN.sub(" ", prose[at:]))))


def alternatives(planner: Planner, document: Document) -> dict[About, tuple[Edit, ...]]:
    """Return what could be written for each finding of a document, the best first, each judged by itself."""
    (plan,) = planner.plan([document])
    found: dict[About, tuple[Edit, ...]] = {}
    for sentence in plan.sentences:
        for suggestion in (suggestion for slot in sentence.slots for suggestion in slot):
            for finding in suggestion.findings:
                about = (finding.span, finding.rule, finding.kind)
                found[about] = (*found.get(about, ()), suggestion.edit.shift(sentence.start))
    return found


def differing(source: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that may be made at all; of those that leave the same text, the first decides."""
    first: dict[tuple[int, int, str], Edit] = {}
    for edit in edits:
        first.setdefault(minimal_change(source, edit), edit)
    return tuple(edit for edit in first.values() if edit.applicability is not Applicability.DISPLAY)
