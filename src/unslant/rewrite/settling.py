"""Which of the edits are made together, so that fixing the result again would change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.types import Applicability, Document, Edit, Span
from unslant.rewrite.change import Change, apply, worded
from unslant.rewrite.deciding import Decided, Decider, Plan, Ranked
from unslant.rewrite.facts import differing
from unslant.rewrite.gates import over_budget
from unslant.rewrite.soundness import broken
from unslant.rewrite.tidy import tidied
from unslant.rewrite.types import Gate, applied
from unslant.text.reading import read

__all__ = ["Held", "Region", "Settled", "settle"]

_ROUNDS = 6
"""How often edits are taken back one by one before all are."""

Held = dict[tuple[int, int], Gate]
"""Places, by the numbers of the plan and the slot, whose best edit is not made, and why."""


@dataclass(frozen=True, slots=True)
class Region:
    """One edit as it is made, and the places whose candidates it joins."""

    plan: int
    slots: tuple[tuple[int, Ranked], ...]
    """The number of each slot, and the candidate that was taken for it."""
    change: Change

    def edit(self, plan: Plan, applicability: Applicability) -> Edit:
        """Return the edit in terms of the source."""
        base = plan.studied.sentence.span.start
        return Edit(Span(base + self.change.start, base + self.change.end), self.change.text, applicability)


@dataclass(frozen=True, slots=True)
class Settled:
    """The edits of a document that are made together."""

    regions: tuple[Region, ...]
    held: Held


def settle(decider: Decider, decided: Decided, level: Applicability, before: Held | None = None) -> Settled:
    """Choose edits up to a level such that the text that comes out asks for no more of them.

    The new text is read and looked at as any other. Whatever would be changed in it is laid to the edit that led to it,
    and that edit is held back; if that does not come to rest soon, all are. ``before`` is what was held back at a
    stricter level; what must not be made at all stays held.
    """
    held = {place: gate for place, gate in (before or {}).items() if gate.verdict is Applicability.DISPLAY}
    document = decided.report.document
    for _ in range(_ROUNDS):
        regions = _regions(decided, level, held)
        if not regions:
            break
        edits = [one.edit(decided.plans[one.plan], level) for one in regions]
        new = read(applied(document.source, edits), document.format, document.id)
        guilty = _markup_breakers(document, new, edits)
        reason = Gate("markup", "It would change how the markup is read.", Applicability.DISPLAY)
        if not guilty:
            guilty = _restless(decider, new, edits, level, _given_up(decided, regions, held))
            reason = Gate("again", "Fixing the result again would change it once more.", _lower(level))
        if not guilty:
            return Settled(tuple(regions), held)
        for number in guilty:
            held |= {(regions[number].plan, slot): reason for slot, _ in regions[number].slots}
    else:
        reason = Gate("again", "The edits of this text do not come to rest.", _lower(level))
        held |= {(one.plan, slot): reason for one in _regions(decided, level, held) for slot, _ in one.slots}
    return Settled((), held)


def _lower(level: Applicability) -> Applicability:
    return Applicability.REVIEW if level is Applicability.SAFE else Applicability.DISPLAY


def _regions(decided: Decided, level: Applicability, held: Held) -> list[Region]:
    return [
        region
        for number, plan in enumerate(decided.plans)
        for region in _of_sentence(number, plan, level, held)
    ]


def _of_sentence(number: int, plan: Plan, level: Applicability, held: Held) -> list[Region]:
    """Choose the edits of one sentence, and hold back those that do not go together."""
    while chosen := _chosen(number, plan, level, held):
        text = plan.studied.text
        changes = tidied(text, [ranked.candidate.change for _, ranked in chosen])
        if level is not Applicability.SAFE:
            return _joined(number, chosen, changes)
        if len(chosen) == 1:
            return _joined(number, chosen, changes)
        gate = over_budget(text, changes, plan.budget)
        if gate is not None:
            held |= {(number, slot): gate for slot, _ in chosen}
            return []
        gate = _together(text, changes)
        if gate is None:
            return _joined(number, chosen, changes)
        worst, _ = min(chosen, key=lambda one: one[1].score.total)
        held[number, worst] = gate
    return []


def _together(text: str, changes: Sequence[Change]) -> Gate | None:
    """Ask again of all edits of a sentence what was asked of each."""
    plain = text.replace("\0", " ")
    new = apply(plain, changes)
    wrong = broken(plain, new, changes)
    if wrong is not None:
        return Gate("parse", f"Together with the other edits it would leave {wrong}.", Applicability.REVIEW)
    facts = differing(worded(plain), worded(new))
    if facts is not None:
        return Gate(facts[0], "Together the edits would change what is stated.", Applicability.REVIEW)
    return None


def _chosen(number: int, plan: Plan, level: Applicability, held: Held) -> list[tuple[int, Ranked]]:
    """Return the best candidate of each place, none in the way of a better one."""
    allowed = (
        (Applicability.SAFE,) if level is Applicability.SAFE else (Applicability.SAFE, Applicability.REVIEW)
    )
    best = sorted(
        (
            (slot, one)
            for slot, ranked in enumerate(plan.slots)
            for one in ranked
            if one.gate.verdict in allowed
        ),
        key=lambda pair: (pair[1].gate.verdict is not Applicability.SAFE, -pair[1].score.total),
    )
    taken: dict[int, Ranked] = {}
    for slot, one in best:
        free = not any(one.candidate.change.touches(other.candidate.change) for other in taken.values())
        if slot not in taken and (number, slot) not in held and free:
            taken[slot] = one
    return sorted(taken.items(), key=lambda pair: pair[1].candidate.change)


def _joined(number: int, chosen: Sequence[tuple[int, Ranked]], changes: Sequence[Change]) -> list[Region]:
    regions = []
    for change in changes:
        inside = tuple(
            (slot, one)
            for slot, one in chosen
            if change.start <= one.candidate.change.start and one.candidate.change.end <= change.end
        )
        regions.append(Region(number, inside, change))
    return regions


def _skeleton(document: Document) -> str:
    """Return the markup alone."""
    pairs = zip(document.source, document.prose, strict=True)
    return "".join(own for own, shown in pairs if own != shown)


def _markup_breakers(document: Document, new: Document, edits: Sequence[Edit]) -> list[int]:
    """Return the numbers of the edits after which the markup is read in another way."""
    if document.source == document.prose or _skeleton(document) == _skeleton(new):
        return []
    expected = _skeleton(document)
    guilty = [
        number
        for number, edit in enumerate(edits)
        if _skeleton(read(applied(document.source, [edit]), document.format, document.id)) != expected
    ]
    return guilty or list(range(len(edits)))


def _given_up(decided: Decided, regions: Sequence[Region], held: Held) -> set[str]:
    """Return the sentences that stay as they are because their edits were held back."""
    edited, refused = {one.plan for one in regions}, {number for number, _ in held}
    return {decided.plans[number].studied.text for number in refused - edited}


def _restless(
    decider: Decider, new: Document, edits: Sequence[Edit], level: Applicability, given_up: set[str]
) -> list[int]:
    """Return the numbers of the edits that led to something that would be changed again.

    A sentence that was given up asks for its edits again, and would be given up again: no other edit led to that.
    """
    (again,) = decider.decide([new], level)
    places = []
    grown = 0
    for edit in edits:
        start = edit.span.start + grown
        places.append((start, start + len(edit.replacement)))
        grown += len(edit.replacement) - len(edit.span)
    guilty = set()
    for region in _regions(again, level, {}):
        if again.plans[region.plan].studied.text in given_up:
            continue
        plan = again.plans[region.plan]
        span, whole = region.edit(plan, level).span, plan.studied.sentence.span
        own = [at for at, place in enumerate(places) if whole.start <= place[0] <= whole.end]
        guilty.add(min(own or range(len(places)), key=lambda number: _distance(places[number], span)))
    return sorted(guilty)


def _distance(place: tuple[int, int], span: Span) -> int:
    return max(place[0] - span.end, span.start - place[1], 0)
