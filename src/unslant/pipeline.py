"""The one path from documents to reports, with what could be written for each finding; every surface takes it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from unslant.acceptance import Acceptance, Accepting, Evidence, rule_matches
from unslant.clusters import Clusters
from unslant.core.taxonomy import SENTENCE, SENTENCE_WHY
from unslant.core.types import (
    Analysis,
    Document,
    Finding,
    Report,
    Sentence,
    Severity,
    Span,
    Verdict,
    fingerprint,
)
from unslant.core.verdicts import Verdicts
from unslant.edits.types import EditTarget
from unslant.profiles import Profile, profile_of
from unslant.protocols import Analyzer, Forgetful, Loading, Proposing, Segmenter, Traceable
from unslant.registry import resolve
from unslant.rules.compiled import paired_rules
from unslant.selection import Selection, merge
from unslant.spec import NO_REWRITER, Spec
from unslant.text.accepted import accepted_in, mask_accepted, without_accepted
from unslant.text.boundaries import whole_words
from unslant.text.kept import without_kept
from unslant.text.reading import narrow_to_spans
from unslant.version import TAXONOMY, VERSION

if TYPE_CHECKING:
    from unslant.edits.decide import Decider

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
    targets: Sequence[EditTarget] = ()
    """The sentences with findings, as their edits are decided."""


class Pipeline:
    """Checks documents by one spec. Building it loads what the spec names; after that it keeps no state."""

    def __init__(
        self,
        spec: Spec | None = None,
        progress: Callable[[int], None] | None = None,
        around: Callable[[str, Analyzer], Analyzer] | None = None,
        *,
        decide: bool = True,
    ) -> None:
        """Build from a spec; ``progress`` is called after each batch with the number of code points read in it.

        With ``decide`` off, findings have no edits: bulk scores do not pay for wordings that nobody reads.

        ``around`` is called with the name of each analyzer and the analyzer, and returns what to use in its place, such
        as one that remembers its answers.
        """
        self.spec = spec or Spec()
        self._progress = progress or (lambda _: None)
        # a model goes on loading while the rest is built
        made = [resolve("analyzer", name)(self.spec) for name in reversed(self.spec.analyzers)]
        self._analyzers: list[Analyzer] = made[::-1]
        self._segmenter: Segmenter = resolve("segmenter", self.spec.segmenter)(self.spec)
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
        self._decides = decide
        self._decider: Decider | None = None
        if not decide:
            for analyzer in self._analyzers:
                if isinstance(analyzer, Proposing):
                    analyzer.stop_proposing()
        loading = [analyzer for analyzer in self._analyzers if isinstance(analyzer, Loading)]
        if loading and decide and self.spec.rewriter in NO_REWRITER:
            self._load_decider()
        for analyzer in loading:
            analyzer.ready()
        if around is not None:
            self._analyzers = [
                around(name, analyzer)
                for name, analyzer in zip(self.spec.analyzers, self._analyzers, strict=True)
            ]

    def check(self, documents: Iterable[Document]) -> Iterator[Report]:
        """Yield one report per document, in order; documents are read only as reports are consumed."""
        for group in _group_documents(documents):
            for analyzed in self._analyze_group(group, keep=False):
                yield self._decide(analyzed)

    def check_within(
        self, document: Document, spans: Sequence[Span], profile: Profile | None = None
    ) -> Report:
        """Return a report on some stretches of a document, judged as parts of it; nothing else of it is read.

        ``profile`` is the standard to judge by; None: that of the whole document.
        """
        narrow = narrow_to_spans(document, spans)
        judged = profile or profile_of(document, self.spec)
        (analyzed,) = self._analyze_group([narrow], keep=False, profile=judged, whole=document)
        report = self._decide(analyzed)
        return replace(report, document=document)

    def analyze(self, documents: Iterable[Document]) -> Iterator[AnalyzedDocument]:
        """Yield each report, before edits are decided, with what is behind it; ``check`` takes less memory."""
        for group in _group_documents(documents):
            yield from self._analyze_group(group, keep=True)

    def _decide(self, analyzed: AnalyzedDocument) -> Report:
        """Give the findings of a report what could be written for them."""
        report = analyzed.report
        if not report.findings:
            return report
        if not self._decides:
            return replace(report, findings=tuple(replace(each, edits=()) for each in report.findings))
        return self._load_decider().decide(report, analyzed.targets)

    def load_rewriter(self) -> None:
        """Load the rewriter now, if there is one; otherwise the first finding does."""
        if self._decides and self.spec.rewriter not in NO_REWRITER:
            self._load_decider()

    def _load_decider(self) -> Decider:
        if self._decider is None:
            from unslant.edits.decide import Decider  # most texts do not pay for it

            self._decider = Decider(self.spec)
        return self._decider

    def split(self, document: Document) -> Iterator[Sentence]:
        """Yield the sentences of a document, in order."""
        return self._segmenter.split(document)

    def forget(self) -> None:
        """Forget what was remembered about texts, so that a long run takes no more memory than a short one."""
        for part in (self._segmenter, *self._analyzers):
            if isinstance(part, Forgetful):
                part.forget()

    def assess(self, sentences: Sequence[Sentence]) -> list[Report]:
        """Return a report on each sentence by itself, whatever else its document holds."""
        reports = []
        for batch in _batch_sentences(sentences):
            analyses = self._analyses(batch)
            for sentence, *about in zip(batch, *analyses, strict=True):
                collector = _Collector(sentence.document, self.spec, self._acceptance, None)
                collector.add(sentence, about)
                reports.append(collector.finish(self._provenance).report)
            self._progress(0)
        return reports

    def _analyses(self, batch: Sequence[Sentence]) -> list[list[Analysis]]:
        """Return what each analyzer says of each sentence."""
        said = [analyzer.analyze(batch) for analyzer in self._analyzers]
        if not self.spec.accept:
            return said
        return [
            analyses if name == "rules" else self._judge_again(analyzer, batch, analyses)
            for name, analyzer, analyses in zip(self.spec.analyzers, self._analyzers, said, strict=True)
        ]

    def _judge_again(
        self, analyzer: Analyzer, batch: Sequence[Sentence], analyses: Sequence[Analysis]
    ) -> list[Analysis]:
        """Let a model judge sentences again without the accepted words if these are part of what it found."""
        accept = self.spec.accept
        done = list(analyses)
        concerned: dict[int, list[Finding]] = {}
        for number, (sentence, analysis) in enumerate(zip(batch, analyses, strict=True)):
            accepted = accepted_in(sentence, accept) if analysis.findings else ()
            about = [finding for finding in analysis.findings if _meets_any(finding, accepted)]
            if about:
                concerned[number] = about
        hiding = [mask_accepted(batch[number], accept) for number in concerned]
        for (number, about), again in zip(concerned.items(), analyzer.analyze(hiding), strict=True):
            kept = [finding for finding in done[number].findings if finding not in about]
            kept += [
                finding for finding in again.findings if _meets_any(finding, [other.span for other in about])
            ]
            done[number] = replace(done[number], findings=tuple(kept))
        return done

    def _analyze_group(
        self,
        group: Sequence[Document],
        *,
        keep: bool,
        profile: Profile | None = None,
        whole: Document | None = None,
    ) -> Iterator[AnalyzedDocument]:
        sentences = (sentence for document in group for sentence in self._segmenter.split(document))
        collectors = iter(
            [
                _Collector(document, self.spec, self._acceptance, profile, keep=keep, whole=whole)
                for document in group
            ]
        )
        current = next(collectors)
        try:
            for batch in _batch_sentences(sentences):
                analyses = self._analyses(batch)
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


def _meets_any(finding: Finding, spans: Sequence[Span]) -> bool:
    return any(finding.span.overlaps(span) for span in spans)


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

    def __init__(
        self,
        document: Document,
        spec: Spec,
        acceptance: Acceptance,
        profile: Profile | None,
        *,
        keep: bool = False,
        whole: Document | None = None,
    ) -> None:
        self.document = document
        self._acceptance = acceptance
        self._profile = profile or profile_of(document, spec)
        self._keep = keep
        self._analyzed: list[AnalyzedSentence] = []
        self._selection = Selection(document, spec, self._profile, whole)
        self._clusters = Clusters(document, self._selection.counting_rules())
        self._whole_sentences = spec.sentences
        self._uncertain = spec.uncertain
        self._accept = spec.accept
        self._sentences = Verdicts()
        self._findings: list[Finding] = []
        self._found_in: list[
            EditTarget
        ] = []  # the sentences with findings, in order, before their findings are named
        self._before = ""

    def add(self, sentence: Sentence, analyses: Sequence[Analysis]) -> None:
        """Take what each analyzer said of the next sentence."""
        if self._keep:
            self._analyzed.append(AnalyzedSentence(sentence, analyses))
        probability: float | None = None
        findings: list[Finding] = []
        for analysis in analyses:
            probability = analysis.probability if probability is None else probability
            findings.extend(analysis.findings)
        kept = self._select(sentence, findings, analyses, probability)
        judged = self._at_least(probability, kept)
        self._sentences.append(sentence.span, judged, self._verdict(judged))
        self._findings += kept
        self._before = sentence.text

    def _number(self, finding: Finding) -> int:
        """Return the number of the sentence in which a finding begins, among those with findings."""
        return bisect_right(self._found_in, finding.span.start, key=lambda target: target.start) - 1

    def _targets(self, findings: Sequence[Finding]) -> list[EditTarget]:
        """Return the sentences whose edits are to be decided, each with its findings."""
        return [
            replace(self._found_in[number], findings=tuple(own))
            for number, own in groupby(findings, key=self._number)
        ]

    def _named_findings(self) -> Iterator[Finding]:
        """Yield what is reported, in order, with fingerprints."""
        seen: Counter[str] = Counter()
        found = self._clusters.report(self._findings)
        for finding in sorted(found, key=lambda finding: (finding.span, finding.rule or "")):
            text = self._found_in[self._number(finding)].text
            what = finding.rule or finding.kind
            first = fingerprint(what, finding.text, text)
            name = fingerprint(what, finding.text, text, seen[first]) if seen[first] else first
            seen[first] += 1
            yield replace(finding, fingerprint=name)

    def _select(
        self,
        sentence: Sentence,
        findings: Sequence[Finding],
        analyses: Sequence[Analysis],
        probability: float | None,
    ) -> list[Finding]:
        """Return the findings of a sentence that are reported, each with how likely an editor accepts it."""
        if not findings and not self._whole_sentences:
            self._clusters.add(sentence, ())
            return []
        whole = [
            found
            for finding in findings
            if (found := whole_words(self.document, finding, sentence.span)) is not None
        ]
        words = next((analysis.words for analysis in analyses if analysis.words), ())
        proposed = tuple(edit for analysis in analyses for edit in analysis.proposals)
        self._found_in.append(EditTarget(sentence, (), probability, tuple(words), proposed, self._before))
        if self._accept:
            accepted = accepted_in(sentence, self._accept)
            without = (without_accepted(finding, accepted, words) for finding in whole)
            whole = [finding for finding in without if finding is not None]
        evidence = Evidence(words, probability, self._profile, rule_matches(whole), paired_rules())
        advised = self._selection.advised(whole)
        scored = [self._acceptance.score(finding, sentence, evidence) for finding in whole]
        kept = merge(self._selection.keep(scored, sentence, advised))
        self._clusters.add(sentence, merge(self._selection.countable(scored, sentence)))
        if self._whole_sentences and not kept:
            kept = self._selection.keep(_sentence_finding(sentence, probability), sentence)
        return kept

    @staticmethod
    def _at_least(probability: float | None, findings: Sequence[Finding]) -> float | None:
        """Return how likely a sentence is slanted: at least as likely as one of its findings is right.

        Both numbers estimate whether an editor would change something, the network's from the sentence as a whole and
        a finding's from its words, so the sentence cannot be the less likely. A sentence that no analyzer judged stays
        without a probability, whatever the rules found in it.
        """
        if probability is None:
            return None
        return max(probability, *(finding.probability or 0.0 for finding in findings), 0.0)

    def _verdict(self, probability: float | None) -> Verdict | None:
        if probability is None:
            return None
        low, high = self._uncertain
        if probability >= high:
            return Verdict.SLANTED
        return Verdict.NEUTRAL if probability < low else Verdict.UNCERTAIN

    def finish(self, provenance: dict[str, object]) -> AnalyzedDocument:
        """Return the finished report, and the analyses if they were kept."""
        findings = tuple(self._named_findings())
        report = Report(
            self.document,
            self._sentences,
            findings,
            {**provenance, "profile": self._profile.name},
            (*self.document.notes, *self._selection.notes()),
        )
        if self.document.kept:
            findings = without_kept(findings, self.document.kept, report.sentence_of)
            count = len(report.findings) - len(findings)
            report = replace(report, findings=findings, provenance={**report.provenance, "kept": count})
        return AnalyzedDocument(report, self._analyzed, self._targets(findings))


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
