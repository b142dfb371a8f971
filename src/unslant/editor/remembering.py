"""A memory of what was said of a sentence, so that typing in one asks only about that one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unslant.core.types import Analysis, Finding, Sentence, Span
from unslant.protocols import Analyzer

__all__ = ["Remembering"]

_REMEMBERED = 20_000
"""Sentences: several books."""


class Remembering:
    """Asks an analyzer only about sentences that it has not seen, wherever they stand now.

    Right only for an analyzer that judges a sentence by its own words, prose and source, and by nothing around it.
    """

    def __init__(self, analyzer: Analyzer, room: int = _REMEMBERED) -> None:
        self._analyzer = analyzer
        self._room = room
        self._known: dict[tuple[str, str], tuple[int, Analysis]] = {}

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        keys = [(one.text, one.document.source[one.span.start : one.span.end]) for one in sentences]
        new = {key: one for key, one in zip(keys, sentences, strict=True) if key not in self._known}
        answers = dict(zip(new, self._analyzer.analyze(list(new.values())), strict=True)) if new else {}
        said = []
        for key, sentence in zip(keys, sentences, strict=True):
            # taken out and put in again, so that what was not asked for longest comes first
            known = self._known.pop(key, None) or (new[key].span.start, answers[key])
            self._known[key] = known
            said.append(_moved(known[1], sentence.span.start - known[0]))
        while len(self._known) > self._room:
            del self._known[next(iter(self._known))]
        return said


def _moved(analysis: Analysis, by: int) -> Analysis:
    if by == 0 or not (analysis.findings or analysis.proposals):
        return analysis
    return replace(
        analysis,
        findings=tuple(_moved_finding(one, by) for one in analysis.findings),
        proposals=tuple(edit.shift(by) for edit in analysis.proposals),
    )


def _moved_finding(finding: Finding, by: int) -> Finding:
    return replace(
        finding,
        span=_moved_span(finding.span, by),
        edits=tuple(edit.shift(by) for edit in finding.edits),
    )


def _moved_span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
