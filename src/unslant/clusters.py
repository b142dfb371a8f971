"""Rules that count: many findings of a kind in one paragraph are one warning, while each by itself is only a hint.

Such a rule is data like any other (``matcher = "cluster"``): ``counts`` names the findings, ``least`` says how many of
them make a cluster, and ``each`` how many sentences there may be to each of them. The finding stands on the first of
them and lists all; the others stay as suggestions, with their wordings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from unslant.core.types import Document, Finding, Sentence, Severity, Span
from unslant.rules.rule import Rule
from unslant.spec import selects

_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_NUMBERS = "zero one two three four five six seven eight nine ten".split()
_MOST_LISTED = 8
"""How many of the phrases the reason lists."""


@dataclass(slots=True)
class _Paragraph:
    sentences: int = 0
    found: list[Finding] = field(default_factory=list)


class Clusters:
    """Counts the findings of one document, paragraph by paragraph."""

    def __init__(self, document: Document, rules: Sequence[Rule]) -> None:
        """Take the rules that count."""
        self._document = document
        self._rules = rules
        self._paragraphs = [_Paragraph()]
        self._end = 0
        self._block = -1

    def add(self, sentence: Sentence, findings: Iterable[Finding]) -> None:
        """Take the countable findings of the next sentence, which do not overlap."""
        if self._begins_paragraph(sentence):
            self._paragraphs.append(_Paragraph())
        self._end = sentence.span.end
        self._paragraphs[-1].sentences += 1
        self._paragraphs[-1].found.extend(findings)

    def _begins_paragraph(self, sentence: Sentence) -> bool:
        start, end = self._end, sentence.span.start
        if self._document.blocks is None:
            return end > start and _BLANK_LINE.search(self._document.source, start, end) is not None
        block = bisect_right(self._document.blocks, end, key=lambda span: span.start)
        changed = block != self._block
        self._block = block
        return changed

    def report(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings with those of the clusters, in no particular order; still no two overlap."""
        reported = {finding.span: finding for finding in findings}
        for rule in self._rules:
            for cluster, sentences in self._clusters(rule):
                places = sorted(reported)
                hints = [finding for finding in cluster if not _is_taken(finding.span, places)]
                for finding in hints:
                    told = reported.get(finding.span, finding)
                    reported[finding.span] = replace(told, severity=Severity.SUGGESTION)
                if hints:
                    first = reported[hints[0].span]
                    reported[first.span] = _cluster_finding(rule, first, cluster, sentences)
        return list(reported.values())

    def _clusters(self, rule: Rule) -> Iterator[tuple[list[Finding], int]]:
        for paragraph in self._paragraphs:
            counted = [
                finding
                for finding in paragraph.found
                if any(selects(name, finding.id, finding.kind, finding.dimension) for name in rule.counts)
            ]
            distinct = {finding.text.casefold(): finding for finding in reversed(counted)}
            if len(distinct) >= rule.least and paragraph.sentences <= rule.each * len(distinct):
                yield sorted(distinct.values(), key=lambda finding: finding.span), paragraph.sentences


def _is_taken(span: Span, places: Sequence[Span]) -> bool:
    """Return whether a finding on other words, some of them the same, is reported; the places are in order."""
    at = bisect_right(places, span.start, key=lambda place: place.end)
    return at < len(places) and places[at].start < span.end and places[at] != span


def _cluster_finding(rule: Rule, first: Finding, cluster: Sequence[Finding], sentences: int) -> Finding:
    listed = ", ".join(f"\u201c{' '.join(finding.text.split())}\u201d" for finding in cluster[:_MOST_LISTED])
    more = f" and {len(cluster) - _MOST_LISTED} more" if len(cluster) > _MOST_LISTED else ""
    count = f"{_number(len(cluster)).capitalize()} in {_number(sentences)} sentence{'s' * (sentences > 1)}"
    return replace(
        first,
        rule=rule.id,
        kind=rule.kind,
        why=f"{rule.why} {count}: {listed}{more}.",
        origin="rules",
        severity=rule.severity,
    )


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
