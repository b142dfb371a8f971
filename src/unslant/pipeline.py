"""The one path from documents to reports; every front door takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from unslant.acceptance import Acceptance, Accepting, Evidence, rule_matches
from unslant.core.taxonomy import SENTENCE, SENTENCE_WHY
from unslant.core.types import (
    Analysis,
    Document,
    Finding,
    Report,
    Sentence,
    Severity,
    Verdict,
    fingerprint,
)
from unslant.core.verdicts import Verdicts
from unslant.profiles import profile_of
from unslant.protocols import Analyzer, Forgetful, Proposing, Segmenter, Traceable
from unslant.registry import resolve
from unslant.rules.compiled import paired_rules
from unslant.selection import Selection, merge
from unslant.spec import Spec
from unslant.text.boundaries import whole_words
from unslant.version import TAXONOMY, VERSION

__all__ = ["AnalyzedDocument", "AnalyzedSentence", "Pipeline", "SlicedAnalyzer"]

_BATCH = 256
"""Sentences that an analyzer gets at once."""
_BATCH_LENGTH = 32_768
"""Long sentences make smaller batches: until they hold this many code points."""
_GROUP = 65_536
"""Short documents are batched together until they hold this many code points."""


class AnalyzedSentence(NamedTuple):
    """A sentence with what each analyzer said about it, before the settings selected and merged any of it."""

    sentence: Sentence
    analyses: Sequence[Analysis]
    """One per analyzer of the spec, in order."""


class AnalyzedDocument(NamedTuple):
    """A report with the analyses behind it."""

    report: Report
    sentences: Sequence[AnalyzedSentence]


class Pipeline:
    """Checks documents by one spec. Building it loads what the spec names; after that it keeps no state."""

    def __init__(
        self,
        spec: Spec | None = None,
        progress: Callable[[int], None] | None = None,
        around: Callable[[str, Analyzer], Analyzer] | None = None,
    ) -> None:
        """Build from a spec; ``progress`` is called after each batch with the number of code points read in it.

        ``around`` is called with the name of each analyzer and the analyzer, and returns what to use in its place, such
        as one that remembers its answers.
        """
        self.spec = spec or Spec()
        self._progress = progress or (lambda _: None)
        self._segmenter: Segmenter = resolve("segmenter", self.spec.segmenter)(self.spec)
        self._analyzers: list[Analyzer] = [
            resolve("analyzer", name)(self.spec) for name in self.spec.analyzers
        ]
        self._provenance: dict[str, object] = {
            "version": VERSION,
            "spec": self.spec.digest(),
            "analyzers": list(self.spec.analyzers),
            "taxonomy": TAXONOMY,
        }
        if sent_to := self.spec.destinations():
            self._provenance["sent_to"] = list(sent_to)
        for analyzer in self._analyzers:
            if isinstance(analyzer, Traceable):
                self._provenance |= analyzer.provenance
        learned = (analyzer.acceptance for analyzer in self._analyzers if isinstance(analyzer, Accepting))
        self._acceptance = next(
            (acceptance for acceptance in learned if acceptance is not None), Acceptance()
        )
        if around is not None:
            self._analyzers = [
                around(name, analyzer)
                for name, analyzer in zip(self.spec.analyzers, self._analyzers, strict=True)
            ]

    def check(self, documents: Iterable[Document]) -> Iterator[Report]:
        """Yield one report per document, in order; documents are read only as reports are consumed."""
        for group in _group_documents(documents):
            yield from (analyzed.report for analyzed in self._analyze_group(group, keep=False))

    def analyze(self, documents: Iterable[Document]) -> Iterator[AnalyzedDocument]:
        """Yield each report with the analyses behind it, in order; ``check`` takes less memory."""
        for group in _group_documents(documents):
            yield from self._analyze_group(group, keep=True)

    def forget(self) -> None:
        """Forget what was remembered about texts, so that a long run takes no more memory than a short one."""
        for part in (self._segmenter, *self._analyzers):
            if isinstance(part, Forgetful):
                part.forget()

    def stop_proposing(self) -> None:
        """Propose no more edits; the reports of ``check`` have none of them, so they stay the same."""
        for analyzer in self._analyzers:
            if isinstance(analyzer, Proposing):
                analyzer.stop_proposing()

    def assess(self, sentences: Sequence[Sentence]) -> list[Report]:
        """Return a report on each sentence by itself, whatever else its document holds."""
        reports = []
        for batch in _batch_sentences(sentences):
            analyses = [analyzer.analyze(batch) for analyzer in self._analyzers]
            for sentence, *about in zip(batch, *analyses, strict=True):
                collector = _Collector(sentence.document, self.spec, self._acceptance)
                collector.add(sentence, about)
                reports.append(collector.finish(self._provenance).report)
            self._progress(0)
        return reports

    def _analyze_group(self, group: Sequence[Document], *, keep: bool) -> Iterator[AnalyzedDocument]:
        sentences = (sentence for document in group for sentence in self._segmenter.split(document))
        collectors = iter(
            [_Collector(document, self.spec, self._acceptance, keep=keep) for document in group]
        )
        current = next(collectors)
        try:
            for batch in _batch_sentences(sentences):
                analyses = [analyzer.analyze(batch) for analyzer in self._analyzers]
                for sentence, *about in zip(batch, *analyses, strict=True):
                    while sentence.document is not current.document:
                        yield current.finish(self._provenance)
                        current = next(collectors)
                    current.add(sentence, about)
                self._progress(batch[-1].span.end - batch[0].span.start if len(group) == 1 else 0)
        except KeyboardInterrupt:
            # what was found so far is worth seeing; the interruption continues when the next report is requested
            yield current.finish({**self._provenance, "interrupted": True})
            raise
        yield current.finish(self._provenance)
        for collector in collectors:
            yield collector.finish(self._provenance)


def _batch_sentences(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield sentences in batches that are small enough to be stopped after each."""
    batch: list[Sentence] = []
    size = 0
    for sentence in sentences:
        batch.append(sentence)
        size += len(sentence.span)
        if len(batch) >= _BATCH or size >= _BATCH_LENGTH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _group_documents(documents: Iterable[Document]) -> Iterator[list[Document]]:
    group: list[Document] = []
    size = 0
    for document in documents:
        group.append(document)
        size += len(document.source)
        if size >= _GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


class _Collector:
    """Gathers what is said of one document, sentence by sentence."""

    def __init__(self, document: Document, spec: Spec, acceptance: Acceptance, *, keep: bool = False) -> None:
        self.document = document
        self._acceptance = acceptance
        self._profile = profile_of(document, spec)
        self._keep = keep
        self._analyzed: list[AnalyzedSentence] = []
        self._selection = Selection(document, spec, self._profile)
        self._whole_sentences = spec.sentences
        self._uncertain = spec.uncertain
        self._sentences = Verdicts()
        self._findings: list[Finding] = []
        self._seen: Counter[str] = Counter()

    def add(self, sentence: Sentence, analyses: Sequence[Analysis]) -> None:
        """Take what each analyzer said of the next sentence."""
        if self._keep:
            self._analyzed.append(AnalyzedSentence(sentence, analyses))
        probability: float | None = None
        findings: list[Finding] = []
        for analysis in analyses:
            probability = analysis.probability if probability is None else probability
            findings.extend(analysis.findings)
        self._sentences.append(sentence.span, probability, self._verdict(probability))
        if not findings and not self._whole_sentences:
            return
        text = sentence.text
        whole = [
            found
            for finding in findings
            if (found := whole_words(self.document, finding, sentence.span)) is not None
        ]
        words = next((analysis.words for analysis in analyses if analysis.words), ())
        evidence = Evidence(words, probability, self._profile, rule_matches(whole), paired_rules())
        scored = [self._acceptance.score(finding, sentence, evidence) for finding in whole]
        kept = merge(self._selection.keep(scored, sentence))
        if self._whole_sentences and not kept:
            kept = self._selection.keep(_sentence_finding(sentence, probability), sentence)
        for finding in kept:
            what = finding.rule or finding.kind
            first = fingerprint(what, finding.text, text)
            name = fingerprint(what, finding.text, text, self._seen[first]) if self._seen[first] else first
            self._seen[first] += 1
            self._findings.append(replace(finding, fingerprint=name))

    def _verdict(self, probability: float | None) -> Verdict | None:
        if probability is None:
            return None
        low, high = self._uncertain
        if probability >= high:
            return Verdict.SLANTED
        return Verdict.NEUTRAL if probability < low else Verdict.UNCERTAIN

    def finish(self, provenance: dict[str, object]) -> AnalyzedDocument:
        """Return the finished report, and the analyses if they were kept."""
        report = Report(
            self.document,
            self._sentences,
            tuple(sorted(self._findings, key=lambda finding: (finding.span, finding.rule or ""))),
            provenance,
            (*self.document.notes, *self._selection.notes()),
        )
        return AnalyzedDocument(report, self._analyzed)


def _sentence_finding(sentence: Sentence, probability: float | None) -> list[Finding]:
    """Return one quiet finding about a whole sentence that is likely slanted."""
    if probability is None:
        return []
    return [
        Finding(
            sentence.span,
            sentence.document.source[sentence.span.start : sentence.span.end],
            "framing",
            SENTENCE_WHY,
            "model",
            SENTENCE,
            severity=Severity.SUGGESTION,
            probability=round(probability, 4),
        )
    ]


class SlicedAnalyzer:
    """Hands sentences to an analyzer in slices of a bounded number of characters, with a step before each."""

    def __init__(self, analyzer: Analyzer, size: int, step: Callable[[], None]) -> None:
        self._analyzer = analyzer
        self._size = size
        self._step = step

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        found: list[Analysis] = []
        for part in _slices(sentences, self._size):
            self._step()
            found.extend(self._analyzer.analyze(part))
        return found


def _slices(sentences: Sequence[Sentence], size: int) -> Iterator[Sequence[Sentence]]:
    start = length = 0
    for index, sentence in enumerate(sentences):
        length += len(sentence.span)
        if length >= size:
            yield sentences[start : index + 1]
            start, length = index + 1, 0
    if start < len(sentences):
        yield sentences[start:]
