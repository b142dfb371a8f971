"""Looking at a few sentences of a text as if the others were not there, every position as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unslant.core.types import Applicability, Document, Edit, Finding, Report, Span
from unslant.rewrite.change import apply

if TYPE_CHECKING:
    from unslant.rewrite.deciding import Decider, Plan, Ranked

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


def alternatives(decider: Decider, document: Document) -> dict[About, tuple[Edit, ...]]:
    """Return what could be written for each finding of a document, the best first, each judged by itself."""
    (decided,) = decider.decide([document])
    found: dict[About, tuple[Edit, ...]] = {}
    for plan in decided.plans:
        for one in (ranked for slot in plan.slots for ranked in slot):
            if one.candidate.number is not None and one.changes:
                finding = plan.studied.analysis.findings[one.candidate.number]
                about = (finding.span, finding.rule, finding.kind)
                found[about] = (*found.get(about, ()), _edit(plan, one))
    return found


def _edit(plan: Plan, one: Ranked) -> Edit:
    """Return a candidate as one edit; what lies between its changes is written as it stands."""
    sentence = plan.studied.sentence
    start, end = one.changes[0].start, one.changes[-1].end
    base = sentence.span.start
    new = apply(sentence.document.source[base : base + end], one.changes)[start:]
    return Edit(Span(base + start, base + end), new, one.gate.verdict)


def differing(source: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that may be made at all; of those that leave the same text, the first decides."""
    first: dict[tuple[int, int, str], Edit] = {}
    for edit in edits:
        first.setdefault(_core(source, edit), edit)
    return tuple(edit for edit in first.values() if edit.applicability is not Applicability.DISPLAY)


def _core(source: str, edit: Edit) -> tuple[int, int, str]:
    """Return what an edit does without what it writes as it was; of a run of equal letters the last ones change."""
    start, end, new = edit.span.start, edit.span.end, edit.replacement
    # a stretch that is left out may be told one blank further left or right
    while not new and start > 0 and source[start - 1] == source[end - 1]:
        start, end = start - 1, end - 1
    while new and start < end and source[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    while new and start < end and source[start] == new[0]:
        start, new = start + 1, new[1:]
    return start, end, new
