"""The one path from documents to fixed text; every front door takes it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from unslant.core.types import Applicability, Document, Edit, Finding, Span
from unslant.pipeline import Pipeline
from unslant.rewrite.convergence import Blocked, CombinedEdit, converge, converge_further
from unslant.rewrite.independence import keep_independent
from unslant.rewrite.planning import DocumentPlan, Planner, SentencePlan
from unslant.rewrite.result import Fixed, Gate, Suggestion
from unslant.spec import Spec
from unslant.text.edits import apply_edits

__all__ = ["Fixer"]

_ALTERNATIVES = 5
_RANK = tuple(Applicability)
_OVERLAP = Gate("overlap", "A better edit changes the same words.", Applicability.REVIEW)


class Fixer:
    """Fixes documents by one spec. Building it loads what the spec names; the same text then gives the same result.

    With ``unsafe``, edits that need review are applied as well as the safe ones. A ``pipeline`` of the same spec can be
    given to share what it remembers about sentences.
    """

    def __init__(
        self,
        spec: Spec | None = None,
        *,
        unsafe: bool = False,
        progress: Callable[[int], None] | None = None,
        pipeline: Pipeline | None = None,
    ) -> None:
        self.spec = spec or Spec()
        self._unsafe = unsafe
        self.planner = Planner(self.spec, progress, pipeline)

    def fix(self, documents: Iterable[Document]) -> Iterator[Fixed]:
        """Yield each document with its edits, in order; documents are taken only as results are asked for."""
        for plan in self.planner.plan(documents):
            yield self._fix(plan)

    def safe_edits(self, document: Document) -> tuple[Edit, ...]:
        """Return only the edits that ``fix`` applies; whatever else could be written is not looked at."""
        (plan,) = self.planner.plan([document], Applicability.SAFE)
        converged = converge(self.planner, plan, Applicability.SAFE)
        return tuple(replace(combined.edit, applicability=Applicability.SAFE) for combined in converged.edits)

    def fix_sentences(self, document: Document, spans: Sequence[Span]) -> Fixed:
        """Return a document with the edits of some sentences, whose spans are in order; no other is looked at."""
        return self._fix(self.planner.plan_within(document, spans))

    def _fix(self, plan: DocumentPlan) -> Fixed:
        converged = converge(self.planner, plan, Applicability.SAFE)
        blocked = converged.blocked
        if self._unsafe:
            converged = converge_further(self.planner, plan, converged)
            blocked = {**blocked, **converged.blocked}
        taken = {(combined.sentence, slot) for combined in converged.edits for slot, _ in combined.parts}
        found = [_apply(plan.sentences[combined.sentence], combined, blocked) for combined in converged.edits]
        found += [
            _offer(sentence, suggestions, blocked.get((number, slot)))
            for number, sentence in enumerate(plan.sentences)
            for slot, suggestions in enumerate(sentence.slots)
            if (number, slot) not in taken and not _is_answered(suggestions, converged.edits)
        ]
        found = keep_independent(found)
        source = plan.report.document.source
        return Fixed(
            plan.report.document,
            plan.report,
            tuple(sorted(found, key=lambda each: (each.edit.start, each.edit.end, not each.applied))),
            apply_edits(source, [each.edit for each in found if each.applied]),
            (*plan.report.notes, *plan.notes),
        )


def _apply(plan: SentencePlan, combined: CombinedEdit, blocked: Blocked) -> Suggestion:
    """Return the suggestion that is applied; where it combines several, the strictest verdict counts."""
    gates = [blocked.get((combined.sentence, slot), part.gate) for slot, part in combined.parts]
    gate = max(gates, key=lambda each: _RANK.index(each.verdict))
    parts = [part for _, part in combined.parts]
    chosen = {finding for part in parts for finding in part.findings}
    worst = min(parts, key=lambda part: part.score.total)
    others = [
        other for slot, part in combined.parts if slot >= 0 for other in plan.slots[slot] if other is not part
    ]
    suggestion = replace(
        worst.shift(plan.start),
        edit=replace(combined.edit, applicability=gate.verdict),
        gate=gate,
        origin="+".join(dict.fromkeys(part.origin for part in parts)),
        findings=tuple(
            finding
            for finding in plan.target.analysis.findings
            if finding in chosen or combined.edit.span.contains(finding.span)
        ),
        applied=True,
    )
    return _with_alternatives(suggestion, [other.shift(plan.start) for other in others])


def _is_answered(suggestions: Sequence[Suggestion], applied: Sequence[CombinedEdit]) -> bool:
    """Say whether the words that a place is about are gone with another edit; the edits are in order."""
    finding: Finding | None = next((each for part in suggestions for each in part.findings), None)
    if finding is None:
        return False
    at = bisect_right(applied, finding.span.start, key=lambda combined: combined.edit.start) - 1
    return at >= 0 and finding.span.end <= applied[at].edit.end


def _offer(plan: SentencePlan, suggestions: Sequence[Suggestion], blocked_by: Gate | None) -> Suggestion:
    """Return the best suggestion for a place where nothing is applied."""
    best, *others = (suggestion.shift(plan.start) for suggestion in suggestions)
    gate = best.gate
    if blocked_by is not None and gate.verdict is not Applicability.DISPLAY:
        gate = blocked_by
    if gate.verdict is Applicability.SAFE:
        gate = _OVERLAP
    offered = replace(best, edit=replace(best.edit, applicability=gate.verdict), gate=gate)
    return _with_alternatives(offered, others)


def _with_alternatives(suggestion: Suggestion, others: Sequence[Suggestion]) -> Suggestion:
    """Add what else could be written in the place of a suggestion."""
    different: dict[tuple[int, int, str], Suggestion] = {}
    for other in others:
        if other.edit.change != suggestion.edit.change:
            different.setdefault(other.edit.change, other)
    return replace(suggestion, alternatives=tuple(different.values())[:_ALTERNATIVES])
