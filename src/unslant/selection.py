"""Which of the findings are reported, by what the settings and the writer of the text ask for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from unslant.core.techniques import PREFIX
from unslant.core.types import Document, Finding, Note
from unslant.spec import Spec, selects

__all__ = ["Selection", "merge"]


class Selection:
    """The settings as they apply to one document."""

    def __init__(self, document: Document, spec: Spec) -> None:
        self._document = document
        self._spec = spec
        self._accepted = frozenset(_plain(term) for term in spec.accept)
        self._quotation_starts = [span.start for span in document.quotations]
        self._used = [False] * len(document.directives)
        self._ignored = spec.ignore + tuple(
            selector
            for glob, selectors in spec.per_file_ignores
            if _path_matches(document.id, glob)
            for selector in selectors
        )

    def keep(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that are to be reported, with the severity that the settings give them.

        Whoever ignores a rule's finding does not want to hear the same of the same words from a model.
        """
        kept: list[Finding] = []
        ignored: list[Finding] = []
        for finding in findings:
            if self._unasked(finding):
                continue
            if self._ignored_inline(finding) or _any_selects(self._ignored, finding):
                ignored.append(finding)
            elif not self._spec.select or _any_selects(self._spec.select, finding):
                kept.append(self._with_severity(finding))
        silenced = [finding for finding in ignored if not _from_model(finding)]
        return [
            finding for finding in kept if not _from_model(finding) or not _same_as_any(silenced, finding)
        ]

    def notes(self) -> list[Note]:
        """Return a note for each inline ignore that has ignored nothing."""
        return [
            Note(
                f"this ignore of {', '.join(directive.selectors)} ignores nothing; it can go", directive.span
            )
            for directive, used in zip(self._document.directives, self._used, strict=True)
            if not used
        ]

    def _unasked(self, finding: Finding) -> bool:
        if finding.probability is not None and finding.probability < self._spec.threshold:
            return True
        if self._accepted and _plain(finding.text) in self._accepted:
            return True
        return self._hidden(finding) or (not self._spec.quotations and self._quoted(finding))

    def _hidden(self, finding: Finding) -> bool:
        hidden = self._document.hidden
        at = bisect_right(hidden, finding.span.start, key=lambda span: span.end)
        return at < len(hidden) and hidden[at].overlaps(finding.span)

    def _quoted(self, finding: Finding) -> bool:
        at = bisect_right(self._quotation_starts, finding.span.start) - 1
        if at < 0:
            return False
        quotation = self._document.quotations[at]
        # a finding about the quotation marks themselves covers them
        return quotation.contains(finding.span) and quotation != finding.span

    def _ignored_inline(self, finding: Finding) -> bool:
        if not self._document.directives:
            return False
        from unslant.text.directives import directives_over

        ignored = False
        for number in directives_over(self._document, finding.span):
            if _any_selects(self._document.directives[number].selectors, finding):
                self._used[number] = ignored = True
        return ignored

    def _with_severity(self, finding: Finding) -> Finding:
        for selector, severity in reversed(self._spec.severity):
            if selects(selector, finding.rule, finding.kind, finding.dimension):
                return replace(finding, severity=severity)
        return finding


def _any_selects(selectors: Sequence[str], finding: Finding) -> bool:
    return any(selects(selector, finding.rule, finding.kind, finding.dimension) for selector in selectors)


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("\u2019", "'").split())


def _path_matches(path: str, glob: str) -> bool:
    """Match a whole path, or its last parts, so that ``*.md`` and ``docs/*`` mean what they seem to."""
    path = path.replace("\\", "/").removeprefix("./")
    return fnmatchcase(path, glob) or fnmatchcase(path, "*/" + glob)


def merge(findings: Sequence[Finding]) -> list[Finding]:
    """Join what several say about the same words.

    Of findings of one kind where one lies inside another, the longer, then the more severe, speaks for both. A rule
    speaks for a model that marks some of the same words and sees the same kind, or exactly the same words: a rule knows
    why, and what could stand there instead. Analyzers that agree are named together in ``origin``, and a probability
    that only one of them knows is kept. Of findings with probabilities that still overlap, the likeliest stays.
    """
    if len(findings) < 2:
        return list(findings)
    ruled = _nested([finding for finding in findings if not _from_model(finding)])
    merged = list(ruled)
    for finding in _nested([finding for finding in findings if _from_model(finding)]):
        agreeing = [number for number, one in enumerate(ruled) if _same_matter(one, finding)]
        for number in agreeing:
            # the severity of a rule can be set by its name, and stays as it was set
            merged[number] = replace(_joined(merged[number], finding), severity=merged[number].severity)
        if not agreeing:
            merged.append(finding)
    return sorted(_drop_overlapping(merged), key=lambda finding: (finding.span, finding.kind))


def _from_model(finding: Finding) -> bool:
    return finding.rule is None or _names_technique(finding)


def _names_technique(finding: Finding) -> bool:
    return finding.rule is not None and finding.rule.startswith(PREFIX)


def _drop_overlapping(findings: Sequence[Finding]) -> list[Finding]:
    """Of overlapping findings that were scored together, keep the likeliest, and of equals the longest."""
    if not any(_names_technique(finding) for finding in findings):
        return list(findings)
    kept = [finding for finding in findings if finding.probability is None]
    scored = [finding for finding in findings if finding.probability is not None]
    for finding in sorted(scored, key=lambda scored: (-(scored.probability or 0.0), -len(scored.span))):
        if not any(finding.span.overlaps(other.span) for other in kept if other.probability is not None):
            kept.append(finding)
    return kept


def _same_as_any(rules: Sequence[Finding], other: Finding) -> bool:
    return any(_same_matter(rule, other) for rule in rules)


def _same_matter(rule: Finding, other: Finding) -> bool:
    if rule.span == other.span:
        return True
    # a finding that names its technique was judged on these very words, whatever kind the rule sees in them
    return rule.span.overlaps(other.span) and (rule.kind == other.kind or other.rule is not None)


def _nested(findings: Sequence[Finding]) -> list[Finding]:
    merged: list[Finding] = []
    starts: dict[str, list[tuple[int, int]]] = {}
    longest = max((len(finding.span) for finding in findings), default=0)
    for finding in sorted(findings, key=lambda one: (-len(one.span), -one.severity.rank, one.span.start)):
        # by kind: where each merged finding starts, and its number
        others = starts.setdefault(finding.kind, [])
        first = bisect_left(others, (finding.span.end - longest, 0))
        last = bisect_right(others, (finding.span.start, len(merged)))
        holders = (number for _, number in others[first:last] if merged[number].span.contains(finding.span))
        number = min(holders, default=None)
        if number is None:
            insort(others, (finding.span.start, len(merged)))
            merged.append(finding)
        else:
            merged[number] = _joined(merged[number], finding)
    return merged


def _joined(one: Finding, other: Finding) -> Finding:
    origins = dict.fromkeys((*one.origin.split("+"), *other.origin.split("+")))
    return replace(
        one,
        origin="+".join(origins),
        probability=one.probability if one.probability is not None else other.probability,
        severity=max(one.severity, other.severity, key=lambda severity: severity.rank),
        rule=one.rule or other.rule,
        dimension=one.dimension or other.dimension,
        edits=one.edits or other.edits,
    )
