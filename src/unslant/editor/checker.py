"""Checking one document at a time, outside the event loop."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unslant.config import Settings
from unslant.core.errors import SourceError, UnslantError
from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Report, Sentence, Span
from unslant.editor.documents import (
    Configuration,
    OpenDocument,
    Positions,
    common_start,
    format_for,
    is_excluded,
)
from unslant.pipeline import Pipeline, SlicedAnalyzer
from unslant.protocols import Analyzer
from unslant.spec import NO_REWRITER, Spec
from unslant.text.edits import minimal_change
from unslant.text.kept import keep_words
from unslant.text.reading import narrow_to_spans, read
from unslant.workspace.ignore_file import IgnoreFiles, add_kept, ignore_file

if TYPE_CHECKING:
    from unslant.edits.fixer import Fixer

Key = tuple[int, int]
"""The state of a document and the generation of the settings; equal keys mean equal findings."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_SLOW = ("model", "hf:", "llm:")
"""Slow analyzers, which look at each sentence by itself."""
_JUDGED = 20
"""The most findings to suggest wordings for in one menu."""
_SLICE = 600
"""Code points to read before looking whether the writer has gone on."""
_PIPELINES = 4
"""How many pipelines to keep; a workspace rarely needs more."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckResult:
    """The result of checking one state of a document."""

    key: Key
    document: OpenDocument
    positions: Positions
    report: Report | None = None
    """None if it could not be checked or is excluded."""
    spec: Spec | None = None
    problem: str = ""
    """The reason why it could not be checked."""


class _Outdated(Exception):
    """The document changed while it was being checked."""


class Checker:
    """Checks documents with pipelines that it keeps. For use by one thread only."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._pipelines: dict[Spec, Pipeline] = {}
        self._fixers: dict[Spec, Fixer] = {}
        self._stale: Callable[[], bool] = _never

    def check(
        self, document: OpenDocument, encoding: str, key: Key, stale: Callable[[], bool]
    ) -> CheckResult | None:
        """Check a document; return None as soon as ``stale`` says that the result is not needed any more."""
        return self._check(document, encoding, key, stale, lambda written: written)

    def glance(
        self,
        document: OpenDocument,
        encoding: str,
        key: Key,
        stale: Callable[[], bool],
        former: CheckResult | None,
    ) -> CheckResult | None:
        """Check the part of a long document where the writer is; elsewhere, the findings of the former result stay."""
        part = part_around(document.text, document.focus)
        found = self._check(document, encoding, key, stale, lambda written: narrow_to_spans(written, [part]))
        if found is None or found.report is None:
            return found
        return replace(found, report=with_former(found.report, part, former.report if former else None))

    def _check(
        self,
        document: OpenDocument,
        encoding: str,
        key: Key,
        stale: Callable[[], bool],
        prepare: Callable[[Document], Document],
    ) -> CheckResult | None:
        if stale():
            return None
        self._stale = stale
        positions = Positions(document.text, encoding)
        try:
            settings = self._configuration.settings(document)
            if document.path is not None and is_excluded(document.path, settings):
                return CheckResult(key, document, positions)
            report = next(
                self._pipeline(settings.spec.without_rewriter()).check([prepare(_read(document, settings))])
            )
        except _Outdated:
            return None
        except UnslantError as error:
            return CheckResult(key, document, positions, problem=str(error))
        except Exception as error:  # the editor must survive a bug in unslant
            return CheckResult(key, document, positions, problem=_bug(error))
        return CheckResult(key, document, positions, report, settings.spec)

    def safe_edits(self, checked: CheckResult) -> tuple[tuple[Edit, ...], str]:
        """Return the edits that ``unslant fix --write`` would apply, and an error message if that failed."""
        if checked.report is None or checked.spec is None:
            return (), ""
        self._stale = _never
        try:
            return self._fixer(checked.spec).safe_edits(checked.report.document), ""
        except UnslantError as error:
            return (), str(error)
        except Exception as error:
            return (), _bug(error)

    def suggestions(
        self, checked: CheckResult, findings: Sequence[Finding]
    ) -> dict[Finding, tuple[Edit, ...]]:
        """Return what could be written for each finding, the best first; a rewriter is asked only now."""
        if checked.report is None or checked.spec is None or not findings:
            return {}
        document, spec = checked.report.document, checked.spec.with_wordings()
        known = {_key(finding): finding.edits for finding in findings}
        if spec.rewriter not in NO_REWRITER:
            self._stale = _never
            spans = sentences_with(checked.report, findings[:_JUDGED])
            with suppress(UnslantError):  # without a rewriter, the wordings that the check has found remain
                asked = self._pipeline(spec).check_within(document, spans)
                known |= {_key(finding): finding.edits for finding in asked.findings}
        return {finding: distinct_edits(document.source, known[_key(finding)]) for finding in findings}

    def keep(self, checked: CheckResult, finding: Finding) -> str:
        """Add a finding to the list of what is kept in its document; return an error message if that failed."""
        path = checked.document.path
        if path is None or checked.report is None:
            return "save the document first: what is kept in it is listed by its file name"
        try:
            file = ignore_file(path, self._configuration.settings(checked.document))
            add_kept(file, path, [keep_words(finding, checked.report.sentence_of(finding))])
        except UnslantError as error:
            return str(error)
        return ""

    def _pipeline(self, spec: Spec) -> Pipeline:
        pipeline = self._pipelines.pop(spec, None)
        if pipeline is None:
            pipeline = Pipeline(spec, around=self._around)
            while len(self._pipelines) >= _PIPELINES:
                del self._pipelines[next(iter(self._pipelines))]
        self._pipelines[spec] = pipeline
        return pipeline

    def _fixer(self, spec: Spec) -> Fixer:
        """Return the fixer of a spec; the last one is kept, because it caches the sentences it has seen."""
        from unslant.edits.fixer import Fixer

        if spec not in self._fixers:
            self._fixers = {spec: Fixer(spec, pipeline=self._pipeline(spec.with_wordings()))}
        return self._fixers[spec]

    def _around(self, name: str, analyzer: Analyzer) -> Analyzer:
        """Let models see only sentences that have changed; rules are fast, and look beyond the sentence."""
        cached = CachingAnalyzer(analyzer) if name.startswith(_SLOW) else analyzer
        # what a check that is given up has read is not read again
        return SlicedAnalyzer(cached, _SLICE, self._stop_if_stale)

    def _stop_if_stale(self) -> None:
        if self._stale():
            raise _Outdated


def _never() -> bool:
    return False


def _read(document: OpenDocument, settings: Settings) -> Document:
    name = settings.relative(document.path) if document.path else document.uri
    if len(document.text) > settings.max_bytes:
        raise SourceError(
            f"{name!r} is longer than the {settings.max_bytes:,} bytes that 'max-bytes' allows; "
            "split it or raise 'max-bytes'"
        )
    # lone surrogates, which JSON can encode and models cannot process
    text = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", document.text)
    written = read(text, format_for(document, settings), name)
    if document.path is None:
        return written
    return replace(written, kept=IgnoreFiles().kept_in(document.path, settings))


def _bug(error: Exception) -> str:
    """Return a message without that of the error, which might quote the text."""
    return f"internal error ({type(error).__name__}); please report this bug in unslant"


_CACHE_SIZE = 20_000
"""The number of sentences to cache: several books."""


class CachingAnalyzer:
    """Passes only sentences to an analyzer that it has not seen, wherever they are now.

    Correct only for an analyzer that looks at each sentence by itself.
    """

    def __init__(self, analyzer: Analyzer, room: int = _CACHE_SIZE) -> None:
        self._analyzer = analyzer
        self._room = room
        self._known: dict[tuple[str, str], tuple[int, Analysis]] = {}

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        keys = [
            (sentence.text, sentence.document.source[sentence.span.start : sentence.span.end])
            for sentence in sentences
        ]
        new = {key: sentence for key, sentence in zip(keys, sentences, strict=True) if key not in self._known}
        answers = dict(zip(new, self._analyzer.analyze(list(new.values())), strict=True)) if new else {}
        analyses = []
        for key, sentence in zip(keys, sentences, strict=True):
            # moved to the end, so that the least recently used entry comes first
            known = self._known.pop(key, None) or (new[key].span.start, answers[key])
            self._known[key] = known
            analyses.append(_shift(known[1], sentence.span.start - known[0]))
        while len(self._known) > self._room:
            del self._known[next(iter(self._known))]
        return analyses


def _shift(analysis: Analysis, by: int) -> Analysis:
    if by == 0 or not (analysis.findings or analysis.proposals or analysis.words):
        return analysis
    return replace(
        analysis,
        findings=tuple(_shift_finding(finding, by) for finding in analysis.findings),
        proposals=tuple(edit.shift(by) for edit in analysis.proposals),
        words=tuple(replace(word, span=_shift_span(word.span, by)) for word in analysis.words),
    )


def _shift_finding(finding: Finding, by: int) -> Finding:
    return replace(
        finding,
        span=_shift_span(finding.span, by),
        edits=tuple(edit.shift(by) for edit in finding.edits),
    )


def _shift_span(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


FindingKey = tuple[Span, str | None, str]
"""Identifies a finding of a document: the span, the rule and the kind."""


def sentences_with(report: Report, findings: Sequence[Finding]) -> tuple[Span, ...]:
    """Return the sentences in which some findings begin."""
    starts = sorted(finding.span.start for finding in findings)
    spans = (sentence.span for sentence in report.sentences)
    return tuple(
        span
        for span in spans
        if (first := bisect_left(starts, span.start)) < len(starts) and starts[first] < span.end
    )


def _key(finding: Finding) -> FindingKey:
    return finding.span, finding.rule, finding.kind


def distinct_edits(source: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that can be applied; of edits with the same result, the first one counts."""
    first: dict[tuple[int, int, str], Edit] = {}
    for edit in edits:
        first.setdefault(minimal_change(source, edit), edit)
    return tuple(edit for edit in first.values() if edit.applicability is not Applicability.DISPLAY)


_AROUND = 2_500
"""Code points before and after the place where the writer is: more than a screen."""
_LONG = 4 * _AROUND
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


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
        if (found := _follow_change(finding, head, len(old) - tail, len(new) - len(old))) is not None
        and not found.span.overlaps(part)
    ]
    findings = sorted([*moved, *report.findings], key=lambda finding: (finding.span, finding.rule or ""))
    return replace(report, findings=tuple(findings))


def _follow_change(finding: Finding, head: int, end: int, by: int) -> Finding | None:
    """Return a finding after a change from ``head`` to ``end``; None if the change touches it."""
    if finding.span.end <= head:
        return finding
    if finding.span.start < end:
        return None
    return _shift_finding(finding, by)
