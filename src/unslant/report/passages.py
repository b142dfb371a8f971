"""Findings in their context: passages of a few sentences, cut into marked and unmarked segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from unslant.core.types import Finding, Report, Span
from unslant.report.excerpt import sentence_around, sentence_place
from unslant.report.positions import LineIndex

__all__ = ["Passage", "Segment", "passages", "segments"]

_MOST_FINDINGS = 6  # beyond, the reader loses sight of the words while reading the remarks
_REACH = 400  # code points shown on either side of a finding, whatever the sentences say
_GAP = 2  # passages so near to each other become one


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the source with the findings inside it."""

    span: Span
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a passage that no finding begins or ends in."""

    span: Span
    findings: tuple[Finding, ...]
    """The findings that cover it."""
    closes: tuple[Finding, ...]
    """The findings that end with it."""


def passages(report: Report, lines: LineIndex) -> Iterator[Passage]:
    """Yield the passages in order; each finding is in exactly one, long stretches without any in none."""
    start = end = covered = 0
    inside: list[Finding] = []
    for finding in report.findings:
        sentence = sentence_around(report, lines, finding.span)
        context = _context(report, sentence, finding.span)
        border = max(covered, sentence.start, finding.span.start - _REACH)
        if not inside:
            start = context.start
        elif context.start > end + _GAP:
            yield Passage(Span(start, end), tuple(inside))
            start, end, inside = context.start, 0, []
        elif border <= finding.span.start and _full(inside, sentence.start >= covered):
            yield Passage(Span(start, min(end, border)), tuple(inside))
            start, end, inside = border, 0, []
        inside.append(finding)
        end = max(end, context.end)
        covered = max(covered, finding.span.end)
    if inside:
        yield Passage(Span(start, end), tuple(inside))


def _full(inside: list[Finding], between_sentences: bool) -> bool:
    return len(inside) >= (_MOST_FINDINGS if between_sentences else 4 * _MOST_FINDINGS)


def _context(report: Report, sentence: Span, span: Span) -> Span:
    """Return the sentence of a finding with its neighbours, kept to a readable length."""
    start, end = sentence.start, sentence.end
    place = sentence_place(report, span.start)
    if place >= 1:
        start = min(start, report.sentences[place - 1].span.start)
    if 0 <= place < len(report.sentences) - 1:
        end = max(end, report.sentences[place + 1].span.end)
    return Span(max(start, span.start - _REACH), min(end, span.end + _REACH))


def segments(passage: Passage) -> Iterator[Segment]:
    """Yield the passage in pieces, in order and without gaps, so that overlapping findings can be marked."""
    cuts = {passage.span.start, passage.span.end}
    for finding in passage.findings:
        cuts |= {finding.span.start, finding.span.end}
    places = sorted(cuts)
    waiting = list(reversed(passage.findings))
    covering: list[Finding] = []
    for start, end in pairwise(places):
        covering = [finding for finding in covering if finding.span.end > start]
        while waiting and waiting[-1].span.start <= start:
            covering.append(waiting.pop())
        closes = tuple(finding for finding in covering if finding.span.end == end)
        yield Segment(Span(start, end), tuple(covering), closes)
