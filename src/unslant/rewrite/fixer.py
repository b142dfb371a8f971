"""The one path from documents to fixed text; every front door takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from unslant.core.types import Applicability, Document, Edit, Finding, Span
from unslant.rewrite.change import Change, apply
from unslant.rewrite.choosing import Held, Region
from unslant.rewrite.deciding import Decided, Decider, Plan, Ranked
from unslant.rewrite.settling import settle, settle_further
from unslant.rewrite.types import Alternative, Fixed, FixedEdit, Gate, applied
from unslant.spec import Spec

__all__ = ["Fixer"]

_ALTERNATIVES = 5
_RANK = tuple(Applicability)
_OVERLAP = Gate("overlap", "A better edit needs the same words.", Applicability.REVIEW)


class Fixer:
    """Fixes documents by one spec. Building it loads what the spec names; the same text then gives the same result.

    With ``unsafe``, edits that ask for a look are made as well as the safe ones.
    """

    def __init__(
        self,
        spec: Spec | None = None,
        *,
        unsafe: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.spec = spec or Spec()
        self._unsafe = unsafe
        self._decider = Decider(self.spec, progress)

    def fix(self, documents: Iterable[Document]) -> Iterator[Fixed]:
        """Yield each document with its edits, in order; documents are taken only as results are asked for."""
        for decided in self._decider.decide(documents):
            yield self._fixed(decided)

    def _fixed(self, decided: Decided) -> Fixed:
        settled = settle(self._decider, decided, Applicability.SAFE)
        held = settled.held
        if self._unsafe:
            settled = settle_further(self._decider, decided, settled)
            held = {**held, **settled.held}
        taken = {(region.plan, slot) for region in settled.regions for slot, _ in region.slots}
        edits = [_made(decided.plans[region.plan], region, held) for region in settled.regions]
        edits += [
            _not_made(plan, ranked, held.get((number, slot)))
            for number, plan in enumerate(decided.plans)
            for slot, ranked in enumerate(plan.slots)
            if (number, slot) not in taken and not _answered(number, plan, ranked, settled.regions)
        ]
        source = decided.report.document.source
        return Fixed(
            decided.report.document,
            decided.report,
            tuple(sorted(edits, key=lambda one: (one.edit.span, not one.applied))),
            applied(source, [one.edit for one in edits if one.applied]),
            (*decided.report.notes, *decided.notes),
        )


def _made(plan: Plan, region: Region, held: Held) -> FixedEdit:
    """Tell of an edit that is made; where it joins several, the strictest verdict counts."""
    gates = [held.get((region.plan, slot), one.gate) for slot, one in region.slots]
    gate = max(gates, key=lambda one: _RANK.index(one.verdict))
    ranked = [one for _, one in region.slots]
    others = [
        other for slot, one in region.slots if slot >= 0 for other in plan.slots[slot] if other is not one
    ]
    return _told(plan, region.change, gate, ranked, others, made=True)


def _answered(number: int, plan: Plan, ranked: Sequence[Ranked], regions: Sequence[Region]) -> bool:
    """Say whether the words that a place is about are gone with another edit."""
    finding = next(_findings(plan, ranked), None)
    base = plan.studied.sentence.span.start
    return finding is not None and any(
        one.plan == number and Span(base + one.change.start, base + one.change.end).contains(finding.span)
        for one in regions
    )


def _not_made(plan: Plan, ranked: Sequence[Ranked], held: Gate | None) -> FixedEdit:
    best, *others = ranked
    gate = held if held is not None and best.gate.verdict is not Applicability.DISPLAY else best.gate
    if gate.verdict is Applicability.SAFE:
        gate = _OVERLAP
    return _told(plan, _whole(plan, best.changes), gate, [best], others, made=False)


def _told(
    plan: Plan, change: Change, gate: Gate, ranked: Sequence[Ranked], others: Sequence[Ranked], *, made: bool
) -> FixedEdit:
    sentence = plan.studied.sentence
    source, span = sentence.document.source, sentence.span
    edit = _edit(plan, change, gate.verdict)
    before = source[span.start : span.end]
    return FixedEdit(
        edit=edit,
        sentence=span,
        before=before,
        after=before[: change.start] + change.text + before[change.end :],
        gate=gate,
        score=min((one.score for one in ranked), key=lambda one: one.total),
        origin="+".join(dict.fromkeys(one.candidate.origin for one in ranked)),
        applied=made,
        findings=tuple(_findings(plan, ranked)) if not made else _covered(plan, ranked, edit.span),
        alternatives=tuple(_alternatives(plan, others, edit)),
    )


def _findings(plan: Plan, ranked: Sequence[Ranked]) -> Iterator[Finding]:
    numbers = dict.fromkeys(one.candidate.number for one in ranked)
    return (plan.studied.analysis.findings[number] for number in numbers if number is not None)


def _covered(plan: Plan, ranked: Sequence[Ranked], span: Span) -> tuple[Finding, ...]:
    """Return the findings that an edit was made for, and those whose words it takes along."""
    chosen = list(_findings(plan, ranked))
    return tuple(one for one in plan.studied.analysis.findings if one in chosen or span.contains(one.span))


def _alternatives(plan: Plan, others: Sequence[Ranked], chosen: Edit) -> Iterator[Alternative]:
    seen = {(chosen.span, chosen.replacement)}
    for one in others:
        edit = _edit(plan, _whole(plan, one.changes), one.gate.verdict)
        if (edit.span, edit.replacement) not in seen and len(seen) <= _ALTERNATIVES:
            seen.add((edit.span, edit.replacement))
            yield Alternative(edit, one.gate, one.score, one.candidate.origin)


def _edit(plan: Plan, change: Change, applicability: Applicability) -> Edit:
    base = plan.studied.sentence.span.start
    return Edit(Span(base + change.start, base + change.end), change.text, applicability)


def _whole(plan: Plan, changes: Sequence[Change]) -> Change:
    """Return one change for all, which are mostly one: what lies between them is written as it stands."""
    if len(changes) == 1:
        return changes[0]
    span = plan.studied.sentence.span
    start, end = changes[0].start, changes[-1].end
    source = plan.studied.sentence.document.source[span.start : span.start + end]
    return Change(start, end, apply(source, changes)[start:])
