"""From a document to what could be changed in it, each change judged and scored by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from unslant.core.types import Analysis, Applicability, Document, Finding, Note, Report, Sentence, Span
from unslant.pipeline import Pipeline
from unslant.protocols import Rewriter
from unslant.registry import resolve
from unslant.rewrite.candidate import EVEN, Candidate, Slot, Studied, slots_for
from unslant.rewrite.change import Change
from unslant.rewrite.gates import Case, judge, pointless
from unslant.rewrite.ranking import score
from unslant.rewrite.standing import clipped, standing
from unslant.rewrite.tidy import tidied
from unslant.rewrite.types import Gate, Score
from unslant.spec import Spec

__all__ = ["Decided", "Decider", "Plan", "Ranked"]

_RANK = {Applicability.SAFE: 0, Applicability.REVIEW: 1, Applicability.DISPLAY: 2}
_REMEMBERED = 10_000
_MARGIN = 200
"""What stands this near to a sentence may say whether its words are the name of a link."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its verdict and score."""

    candidate: Candidate
    changes: tuple[Change, ...]
    """The candidate by itself, put right."""
    gate: Gate
    score: Score


@dataclass(frozen=True, slots=True)
class Plan:
    """What could be changed in one sentence."""

    studied: Studied
    slots: tuple[tuple[Ranked, ...], ...]
    """For each place the candidates, the best first."""
    budget: float
    """The share of the words that may change without a look."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What could be changed in a document."""

    report: Report
    plans: tuple[Plan, ...]
    """For the sentences in which something could be changed, in order."""
    notes: tuple[Note, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A candidate on its way to a verdict."""

    case: Case
    after: Sentence


class Decider:
    """Looks for slant, gathers candidates, asks the detector about each, and lets the gates judge."""

    def __init__(self, spec: Spec, progress: Callable[[int], None] | None = None) -> None:
        self.spec = spec
        self._seen: dict[Document, list[tuple[Sentence, Sequence[Analysis]]]] = {}
        self._pipeline = Pipeline(spec, progress, self._watch)
        self._rewriter: Rewriter = resolve("rewriter", spec.rewriter)(spec)
        self._name = spec.rewriter.partition(":")[0]
        self._known: dict[object, tuple[tuple[Ranked, ...], ...]] = {}
        # so that looking again at a text that was hardly changed costs little

    def _watch(self, sentence: Sentence, analyses: Sequence[Analysis]) -> None:
        self._seen.setdefault(sentence.document, []).append((sentence, analyses))

    def decide(
        self, documents: Iterable[Document], level: Applicability = Applicability.DISPLAY
    ) -> Iterator[Decided]:
        """Yield for each document what could be changed in it, in order.

        Where only edits up to a level matter, such as the safe ones, others may be left out.
        """
        for report in self._pipeline.check(documents):
            seen = self._seen.pop(report.document, [])
            studied = [
                one
                for one in _studied(report, seen, self.spec)
                if one.analysis.findings or _slanted(one, self.spec) or _proposed(one)
            ]
            yield self._decided(report, studied, level)

    def _decided(self, report: Report, studied: Sequence[Studied], level: Applicability) -> Decided:
        if not studied:
            return Decided(report, ())
        rewrites = self._rewriter.rewrite(
            [one.sentence for one in studied], [one.analysis for one in studied]
        )
        found: list[tuple[Studied, list[Slot]]] = []
        useless = silent = 0
        for one, offered in zip(studied, rewrites, strict=True):
            slots, unlike = slots_for(one, [new for new in offered if new.text.strip()], self._name)
            useless += unlike > 0
            silent += not any(new.text.strip() for new in offered)
            found.append((one, slots))
        plans = self._ranked(found, level)
        own = self._name not in ("edits", "none")
        notes = tuple(_notes(useless, silent if own else 0, self.spec.rewriter))
        return Decided(report, tuple(plan for plan in plans if plan.slots), notes)

    def _ranked(self, found: Sequence[tuple[Studied, list[Slot]]], level: Applicability) -> Iterator[Plan]:
        keys: list[object] = [(level, _key(studied, slots)) for studied, slots in found]
        new = [at for at, key in enumerate(keys) if key not in self._known]
        for at, slots in zip(new, self._rank_new([found[at] for at in new], level), strict=True):
            self._known[keys[at]] = slots
        for (studied, _), key in zip(found, keys, strict=True):
            yield Plan(studied, self._known[key], self.spec.budget)
        if len(self._known) > _REMEMBERED:
            self._known.clear()

    def _rank_new(
        self, found: Sequence[tuple[Studied, list[Slot]]], level: Applicability
    ) -> Iterator[tuple[tuple[Ranked, ...], ...]]:
        drafts = [_drafts(studied, slots, self.spec.budget, level) for studied, slots in found]
        flat = [draft for group in drafts for slot in group for draft in slot]
        origins = [standing(studied.sentence, ()) for studied, _ in found]
        judged = self._pipeline.assess([*origins, *(draft.after for draft in flat)])
        before = dict(zip((id(studied) for studied, _ in found), judged, strict=False))
        after = iter(judged[len(origins) :])
        for (studied, _), group in zip(found, drafts, strict=True):
            ranked = [[_judged(one.case, before[id(studied)], next(after)) for one in slot] for slot in group]
            kept = [[one for one in slot if _worth_showing(one)] for slot in ranked]
            yield tuple(
                tuple(sorted(slot, key=lambda one: (_RANK[one.gate.verdict], -one.score.total)))
                for slot in kept
                if slot
            )


def _studied(
    report: Report, seen: Sequence[tuple[Sentence, Sequence[Analysis]]], spec: Spec
) -> Iterator[Studied]:
    """Put what is reported beside what the analyzers said, sentence by sentence."""
    findings = list(report.findings)
    at = 0
    for sentence, analyses in seen:
        kept: list[Finding] = []
        while at < len(findings) and findings[at].span.start < sentence.span.end:
            kept.append(findings[at])
            at += 1
        inside = tuple(one for one in kept if sentence.span.contains(one.span))
        known = [one.probability for one in analyses if one.probability is not None]
        proposals = tuple(one for analysis in analyses for one in analysis.proposals)
        raw = [finding for analysis in analyses for finding in analysis.findings]
        yield Studied(
            sentence,
            Analysis(known[0] if known else None, findings=inside, proposals=proposals),
            tuple(_suppressed(sentence, raw, inside, spec)),
        )


def _suppressed(
    sentence: Sentence, raw: Sequence[Finding], kept: Sequence[Finding], spec: Spec
) -> Iterator[Span]:
    """Yield where nothing may be changed, because the settings or the writer say that the words are fine."""
    if spec.select:
        yield sentence.span
        return
    yield from (one.span for one in raw if not any(one.span.overlaps(other.span) for other in kept))
    yield from (one.scope for one in sentence.document.directives if one.scope.overlaps(sentence.span))
    if spec.accept:
        lowered = sentence.text.lower()
        for term in spec.accept:
            start = lowered.find(term.lower())
            if term and start >= 0:
                yield Span(sentence.span.start + start, sentence.span.start + start + len(term))


def _slanted(studied: Studied, spec: Spec) -> bool:
    probability = studied.analysis.probability
    return probability is not None and probability >= spec.uncertain[1]


def _proposed(studied: Studied) -> bool:
    return any(one.probability >= EVEN for one in studied.analysis.proposals)


def _drafts(
    studied: Studied, slots: Sequence[Slot], budget: float, level: Applicability
) -> list[list[_Draft]]:
    sentence, text = studied.sentence, studied.text
    drafts = []
    for slot in slots:
        row: list[_Draft] = []
        for candidate in slot.candidates:
            changes = tidied(text, [candidate.change])
            known = any(changes == one.case.changes for one in row)
            if not known and all(one.start < one.end for one in changes):
                after = standing(sentence, changes)
                row.append(_Draft(Case(sentence, text, candidate, changes, after.text, budget), after))
        drafts.append([draft for draft in row if not pointless(draft.case, level)])
    return drafts


def _judged(case: Case, before: Report, after: Report) -> Ranked:
    trust = case.candidate.trust
    return Ranked(
        case.candidate,
        case.changes,
        judge(case, before, after),
        score(case.sentence.text, case.changes, case.new, after, trust),
    )


def _worth_showing(ranked: Ranked) -> bool:
    """Say whether anyone could want it: what a model or nobody asks for is no suggestion if it is in vain."""
    origin, gate = ranked.candidate.origin, ranked.gate
    if origin in ("deletion", "edits") and gate.name == "slant":
        return False
    refused = gate.verdict is Applicability.DISPLAY and gate.name in ("parse", "meaning")
    return origin != "deletion" or not refused


def _key(studied: Studied, slots: Sequence[Slot]) -> object:
    """Return all that decides the verdicts on a sentence, wherever it stands."""
    sentence = studied.sentence
    span, document = sentence.span, sentence.document
    margin = 0 if document.format == "text" else _MARGIN
    return (
        document.source[max(0, span.start - margin) : span.end + margin],
        studied.text,
        document.format,
        document.id,
        tuple(clipped(document.quotations, sentence)),
        tuple(clipped(document.hidden, sentence)),
        tuple(one.selectors for one in document.directives if one.scope.overlaps(span)),
        tuple(one for slot in slots for one in slot.candidates),
    )


def _notes(useless: int, silent: int, name: str) -> Iterator[Note]:
    if useless:
        yield Note(
            f"{name} gave something else than another wording for {_sentences(useless)}, perhaps in another language; "
            "it was left out"
        )
    if silent:
        yield Note(f"{name} gave no wording for {_sentences(silent)}")


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count} sentences"
