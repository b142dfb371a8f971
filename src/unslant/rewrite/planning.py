"""From a document to what could be changed in it, each suggestion judged and scored by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from unslant.core.types import Analysis, Applicability, Document, Edit, Finding, Note, Report, Sentence, Span
from unslant.pipeline import AnalyzedDocument, AnalyzedSentence, Pipeline
from unslant.protocols import Rewriter
from unslant.registry import resolve
from unslant.rewrite.candidates import EditableSentence, Slot, find_slots
from unslant.rewrite.gates import Case, clip_spans, edit_sentence, judge, make_case, pointless
from unslant.rewrite.limits import DOCUMENT_PLACES, fits, notes
from unslant.rewrite.result import CONFIDENT, Suggestion
from unslant.rewrite.scoring import score_edit
from unslant.rewrite.wordings import WORDINGS
from unslant.spec import Spec
from unslant.text.directives import directives_over
from unslant.text.reading import narrow_to_spans
from unslant.text.tidy import tidy_edit

__all__ = ["DocumentPlan", "Planner", "SentencePlan", "make_cases", "worth_showing"]

_RANK = {Applicability.SAFE: 0, Applicability.REVIEW: 1, Applicability.DISPLAY: 2}
_WRONG = frozenset(("distinction", "judge", "parse", "falsity", "legality", "cause", "contrast"))
"""Gates for edits that are wrong, so that nobody should see them."""
_UNASKED = frozenset(("deletion", "edits", WORDINGS))
"""Origins of edits that nobody sees if they achieve nothing."""
_REMEMBERED = 10_000
_AT_ONCE = 64
"""Sentences whose candidates are judged together; between them the fixer can be stopped."""
_MARGIN = 200
"""Text this close to a sentence may decide whether its words are the name of a link."""

_Judged = tuple[tuple[int, tuple[Suggestion, ...]], ...]
"""The number of each slot with its suggestions, which name no findings: those depend on where the sentence stands."""


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """What could be changed in one sentence, by offsets from its start."""

    target: EditableSentence
    slots: tuple[tuple[Suggestion, ...], ...]
    """For each place the suggestions, the best first."""
    budget: float
    """The share of the words that may change without review."""

    @property
    def start(self) -> int:
        """Where the sentence begins in the document."""
        return self.target.sentence.span.start


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """What could be changed in a document."""

    report: Report
    sentences: tuple[SentencePlan, ...]
    """The sentences in which something could be changed, in order."""
    notes: tuple[Note, ...] = ()
    end: int | None = None
    """Where the part ends that was considered; None: all of it was."""
    within: tuple[Span, ...] | None = None
    """The only stretches that were looked at; None: all of the document was."""


class Planner:
    """Finds slant, gathers candidates, asks the detector about each, and lets the gates judge."""

    def __init__(
        self,
        spec: Spec,
        progress: Callable[[int], None] | None = None,
        pipeline: Pipeline | None = None,
    ) -> None:
        """Load what the spec names; a pipeline of the same settings can be given."""
        self.spec = spec
        self.progress = progress or (lambda _: None)
        self._pipeline = pipeline or Pipeline(spec, self.progress)
        self._rewriter: Rewriter = resolve("rewriter", spec.rewriter)(spec)
        self._name = spec.rewriter.partition(":")[0]
        self._known: dict[object, _Judged] = {}
        # so that looking again at a text that has hardly changed costs little

    def plan(
        self,
        documents: Iterable[Document],
        level: Applicability = Applicability.DISPLAY,
        end: int | None = None,
    ) -> Iterator[DocumentPlan]:
        """Yield what could be changed in each document, in order.

        Where only edits up to a level matter, such as the safe ones, others may be left out. Sentences that begin at
        ``end`` or later are not considered.
        """
        for analyzed in self._pipeline.analyze(documents):
            targets = [
                target
                for target in _targets(analyzed, self.spec)
                if target.analysis.findings or _is_slanted(target, self.spec) or _has_proposal(target)
            ]
            considered = _select_targets(targets, end)
            yield self._plan(analyzed.report, considered, level)

    def plan_within(
        self, document: Document, spans: Sequence[Span], level: Applicability = Applicability.DISPLAY
    ) -> DocumentPlan:
        """Return what could be changed in some stretches of a document; nothing else of it is looked at."""
        (plan,) = self.plan([narrow_to_spans(document, spans)], level)
        return replace(plan, report=replace(plan.report, document=document), within=tuple(spans))

    def candidates(
        self, documents: Iterable[Document]
    ) -> Iterator[list[tuple[EditableSentence, list[Slot]]]]:
        """Yield what could be written in each document, in order, before anything judges it."""
        for analyzed in self._pipeline.analyze(documents):
            targets = [target for target in _targets(analyzed, self.spec) if target.analysis.findings]
            yield [
                (target, find_slots(target, offered, self._name)[0])
                for target, offered in zip(targets, self._propose(targets), strict=True)
            ]

    def _plan(self, report: Report, considered: _Targets, level: Applicability) -> DocumentPlan:
        targets, long, rest = considered
        proposals = self._propose(targets)
        found: list[tuple[EditableSentence, list[Slot]]] = []
        unrelated = silent = 0
        for target, offered in zip(targets, proposals, strict=True):
            usable = [edit for edit in offered if not _erases(edit, target.sentence)]
            slots, unusable = find_slots(target, usable, self._name)
            unrelated += unusable > 0
            silent += not usable
            if fits(len(target.sentence.span), len(slots)):
                found.append((target, slots))
            else:
                long.append(target.sentence.span)
        plans = tuple(plan for plan in self._judge(found, level) if plan.slots)
        own = self._name not in ("edits", "none")
        said = (*notes(sorted(long), rest), *_notes(unrelated, silent if own else 0, self.spec.rewriter))
        return DocumentPlan(report, plans, said, rest[0].start if rest else None)

    def _propose(self, targets: Sequence[EditableSentence]) -> list[list[Edit]]:
        """Ask the rewriter about some sentences at a time, so that it can be stopped between them."""
        proposals: list[list[Edit]] = []
        for start in range(0, len(targets), _AT_ONCE):
            some = targets[start : start + _AT_ONCE]
            proposals += self._rewriter.rewrite(
                [target.sentence for target in some], [target.analysis for target in some]
            )
            self.progress(0)
        return proposals

    def _judge(
        self, found: Sequence[tuple[EditableSentence, list[Slot]]], level: Applicability
    ) -> Iterator[SentencePlan]:
        keys: list[object] = [(level, _key(target, slots)) for target, slots in found]
        new = [at for at, key in enumerate(keys) if key not in self._known]
        for start in range(0, len(new), _AT_ONCE):
            some = new[start : start + _AT_ONCE]
            for at, judged in zip(some, self._judge_new([found[at] for at in some], level), strict=True):
                self._known[keys[at]] = judged
        for (target, slots), key in zip(found, keys, strict=True):
            placed = tuple(
                tuple(replace(suggestion, findings=slots[number].findings) for suggestion in judged)
                for number, judged in self._known[key]
            )
            yield SentencePlan(target, placed, self.spec.budget)
        if len(self._known) > _REMEMBERED:
            self._known.clear()

    def _judge_new(
        self, found: Sequence[tuple[EditableSentence, list[Slot]]], level: Applicability
    ) -> Iterator[_Judged]:
        cases: list[list[list[Case]]] = []
        for target, places in found:
            cases.append([make_cases(target, slot, self.spec.budget, level) for slot in places])
            self.progress(0)
        flat = [case for slots in cases for slot in slots for case in slot]
        originals = [edit_sentence(target.sentence, ()) for target, _ in found]
        reports = self._pipeline.assess([*originals, *(case.after for case in flat)])
        after = iter(reports[len(originals) :])
        for before, slots in zip(reports, cases, strict=False):
            judged = [[_judge_case(case, before, next(after)) for case in slot] for slot in slots]
            shown = [[suggestion for suggestion in slot if worth_showing(suggestion)] for slot in judged]
            yield tuple((number, tuple(_best_first(slot))) for number, slot in enumerate(shown) if slot)


def _best_first(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Order the suggestions of a place by verdict and score; wordings of one rule stay in the order of its author."""
    ordered = sorted(suggestions, key=lambda each: (_RANK[each.gate.verdict], -each.score.total))
    for verdict in Applicability:
        places = [at for at, each in enumerate(ordered) if each.by_rule and each.gate.verdict is verdict]
        authored = sorted((ordered[at] for at in places), key=lambda each: -each.trust)
        for at, each in zip(places, authored, strict=True):
            ordered[at] = each
    return ordered


def _targets(analyzed: AnalyzedDocument, spec: Spec) -> Iterator[EditableSentence]:
    """Put what is reported beside what the analyzers said, sentence by sentence."""
    findings = list(analyzed.report.findings)
    at = 0
    for sentence, analyses in analyzed.sentences:
        reported: list[Finding] = []
        while at < len(findings) and findings[at].span.start < sentence.span.end:
            reported.append(findings[at])
            at += 1
        inside = tuple(finding for finding in reported if sentence.span.contains(finding.span))
        known = [analysis.probability for analysis in analyses if analysis.probability is not None]
        proposals = tuple(edit for analysis in analyses for edit in analysis.proposals)
        small = fits(len(sentence.span), len(inside))
        yield EditableSentence(
            sentence,
            Analysis(known[0] if known else None, findings=inside, proposals=proposals),
            tuple(_find_protected(AnalyzedSentence(sentence, analyses), inside, spec)) if small else (),
        )


class _Targets(NamedTuple):
    """The sentences of a document in which something could be changed."""

    targets: list[EditableSentence]
    """Those to consider."""
    long: list[Span]
    """Those with too many findings."""
    rest: list[Span]
    """Those behind the document's limit."""


def _select_targets(targets: Iterable[EditableSentence], end: int | None) -> _Targets:
    considered: list[EditableSentence] = []
    long: list[Span] = []
    rest: list[Span] = []
    places = 0
    for target in targets:
        found, span = len(target.analysis.findings), target.sentence.span
        places += max(found, 1)
        if places > DOCUMENT_PLACES or (end is not None and span.start >= end):
            rest.append(span)
        elif fits(len(span), found):
            considered.append(target)
        else:
            long.append(span)
    return _Targets(considered, long, rest)


def _find_protected(analyzed: AnalyzedSentence, reported: Sequence[Finding], spec: Spec) -> Iterator[Span]:
    """Yield where nothing may be changed because the settings or the writer say that the words are fine."""
    sentence = analyzed.sentence
    if spec.select:
        yield sentence.span
        return
    for analysis in analyzed.analyses:
        for finding in analysis.findings:
            if not any(finding.span.overlaps(other.span) for other in reported):
                yield finding.span
    for number in directives_over(sentence.document, sentence.span):
        yield sentence.document.directives[number].scope
    if spec.accept:
        lowered = sentence.text.lower()
        for term in spec.accept:
            start = lowered.find(term.lower())
            if term and start >= 0:
                yield Span(sentence.span.start + start, sentence.span.start + start + len(term))


def _is_slanted(target: EditableSentence, spec: Spec) -> bool:
    probability = target.analysis.probability
    return probability is not None and probability >= spec.uncertain[1]


def _has_proposal(target: EditableSentence) -> bool:
    return any((edit.probability or 0.0) >= CONFIDENT for edit in target.analysis.proposals)


def _erases(edit: Edit, sentence: Sentence) -> bool:
    """Say whether an edit leaves nothing of a sentence: a rewriter that has no answer writes nothing."""
    whole = edit.start <= sentence.span.start and sentence.span.end <= edit.end
    return whole and not edit.replacement.strip()


def make_cases(
    target: EditableSentence, slot: Slot, budget: float, level: Applicability = Applicability.DISPLAY
) -> list[Case]:
    """Return the cases of one place that are worth judging; candidates that read the same once tidied are one."""
    text = target.text
    cases: dict[tuple[int, int, str], Case] = {}
    for candidate in slot.candidates:
        edit = tidy_edit(text, candidate.bare)
        if edit.start < edit.end and edit.change not in cases:
            cases[edit.change] = make_case(target.sentence, text, replace(candidate, edit=edit), budget)
    return [case for case in cases.values() if not pointless(case, level)]


def _judge_case(case: Case, before: Report, after: Report) -> Suggestion:
    """Return the suggestion of a case with the verdict and the score; findings are added where it is used."""
    suggestion, gate = case.suggestion, judge(case, before, after)
    return replace(
        suggestion,
        edit=replace(case.edit, applicability=gate.verdict),
        gate=gate,
        score=score_edit(case.sentence.text, case.edit, case.after.text, after, suggestion.trust),
        findings=(),
    )


def worth_showing(suggestion: Suggestion) -> bool:
    """Say whether anyone could want it: what no rule asks for is not shown if it achieves nothing."""
    origin, gate = suggestion.origin, suggestion.gate
    if gate.verdict is Applicability.DISPLAY and gate.name in _WRONG:
        return False
    if origin in _UNASKED and gate.name == "slant":
        return False
    refused = gate.verdict is Applicability.DISPLAY and (
        origin == WORDINGS or gate.name in ("parse", "meaning")
    )
    return origin not in _UNASKED or not refused


def _key(target: EditableSentence, slots: Sequence[Slot]) -> object:
    """Return all that decides the verdicts on a sentence, wherever it stands."""
    sentence = target.sentence
    span, document = sentence.span, sentence.document
    margin = 0 if document.format == "text" else _MARGIN
    return (
        document.source[max(0, span.start - margin) : span.end + margin],
        target.text,
        document.format,
        document.id,
        tuple(clip_spans(document.quotations, sentence)),
        tuple(clip_spans(document.hidden, sentence)),
        tuple(document.directives[number].selectors for number in directives_over(document, span)),
        tuple(
            (
                slot.finding and (slot.finding.kind, slot.finding.origin, slot.finding.rule),
                candidate.bare,
                candidate.origin,
            )
            for slot in slots
            for candidate in slot.candidates
        ),
        tuple(len(slot.candidates) for slot in slots),
    )


def _notes(unrelated: int, silent: int, name: str) -> Iterator[Note]:
    if unrelated:
        yield Note(
            f"{name} did not reword {_count_sentences(unrelated)} but wrote something else, perhaps in another "
            "language; that was left out"
        )
    if silent:
        yield Note(f"{name} offered no wording for {_count_sentences(silent)}")


def _count_sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"
