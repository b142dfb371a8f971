"""Which of the edits are made together, so that fixing the result again would change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unslant.core.types import Applicability, Document, Edit, Span
from unslant.rewrite.change import Change
from unslant.rewrite.choosing import Following, Held, Region, regions_of
from unslant.rewrite.deciding import Decided, Decider, Plan, Ranked
from unslant.rewrite.types import Gate, applied
from unslant.text.reading import read

__all__ = ["Settled", "settle", "settle_further"]

_ROUNDS = 8
"""How often edits are taken back one by one before all are."""
_FOLLOWING = 2
"""Edits of a sentence that only the edited sentence asks for."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The edits of a document that are made together."""

    regions: tuple[Region, ...]
    held: Held


def settle(decider: Decider, decided: Decided, level: Applicability, before: Held | None = None) -> Settled:
    """Choose edits up to a level such that the text that comes out asks for no more of them.

    The new text is read and looked at as any other. What would be changed in an edited sentence, elsewhere than before,
    is changed with it. Anything else is laid to the edit that led to it, and that edit is held back; if that does not
    come to rest soon, all are. ``before`` is what was held back at a stricter level; what must not be made at all stays
    held.
    """
    held = {place: gate for place, gate in (before or {}).items() if gate.verdict is Applicability.DISPLAY}
    document = decided.report.document
    following: dict[int, list[Ranked]] = {}
    for _ in range(_ROUNDS):
        regions = regions_of(decided, level, held, following)
        if not regions:
            break
        edits = [one.edit(decided.plans[one.plan], level) for one in regions]
        new = read(applied(document.source, edits), document.format, document.id)
        guilty = _markup_breakers(document, new, edits)
        reason = Gate("markup", "It would change how the markup is read.", Applicability.DISPLAY)
        more: list[tuple[int, Ranked]] = []
        if not guilty:
            trial = _Trial(decided, regions, edits, level)
            guilty, more = _restless(decider, new, trial, _given_up(decided, regions, held), following)
            reason = Gate("again", "Fixing the result again would change it once more.", _lower(level))
        if not guilty and not more:
            return Settled(tuple(regions), held)
        for plan, one in more:
            following.setdefault(plan, []).append(one)
        for number in guilty:
            held |= {(regions[number].plan, slot): reason for slot, _ in regions[number].slots}
    else:
        reason = Gate("again", "The edits of this text do not come to rest.", _lower(level))
        held |= {
            (one.plan, slot): reason
            for one in regions_of(decided, level, held, following)
            for slot, _ in one.slots
        }
    return Settled((), held)


def settle_further(decider: Decider, decided: Decided, safe: Settled) -> Settled:
    """Choose edits that ask for a look as well, on top of the safe ones.

    Where a sentence finds no rest with them, its safe edits are made alone, unless a second look would then make more.
    """
    further = settle(decider, decided, Applicability.REVIEW, safe.held)
    edited = {one.plan for one in further.regions}
    left = [one for one in safe.regions if one.plan not in edited]
    for _ in range(_ROUNDS):
        if not left:
            break
        regions = sorted([*further.regions, *left], key=lambda one: (one.plan, one.change))
        restless = _sentences_to_edit(decider, decided, regions)
        if not restless:
            made = {(one.plan, slot) for one in regions for slot, _ in one.slots}
            held = {place: gate for place, gate in further.held.items() if place not in made}
            return Settled(tuple(regions), held)
        left = [one for one in left if one.plan not in restless]
    return further


def _sentences_to_edit(decider: Decider, decided: Decided, regions: Sequence[Region]) -> set[int]:
    """Return the plans whose sentences would be edited once more if some edits were made."""
    document = decided.report.document
    edits = [one.edit(decided.plans[one.plan], Applicability.REVIEW) for one in regions]
    new = read(applied(document.source, edits), document.format, document.id)
    (again,) = decider.decide([new])
    first = settle(decider, again, Applicability.SAFE)
    more = (*first.regions, *settle(decider, again, Applicability.REVIEW, first.held).regions)
    spans = [again.plans[one.plan].studied.sentence.span for one in more]
    places = _places(edits)
    return {
        region.plan
        for region, place in zip(regions, places, strict=True)
        if any(span.start <= place[0] <= span.end for span in spans)
    }


def _lower(level: Applicability) -> Applicability:
    return Applicability.REVIEW if level is Applicability.SAFE else Applicability.DISPLAY


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


@dataclass(frozen=True, slots=True)
class _Trial:
    """Edits of a document that may be made together."""

    decided: Decided
    regions: Sequence[Region]
    edits: Sequence[Edit]
    level: Applicability


def _restless(
    decider: Decider, new: Document, trial: _Trial, given_up: set[str], following: Following
) -> tuple[list[int], list[tuple[int, Ranked]]]:
    """Return the numbers of the edits that led to something that would be changed again, and what goes with them.

    A sentence that was given up asks for its edits again, and would be given up again: no other edit led to that.
    """
    (again,) = decider.decide([new], trial.level)
    places = _places(trial.edits)
    guilty: set[int] = set()
    more: list[tuple[int, Ranked]] = []
    for region in regions_of(again, trial.level, {}):
        if again.plans[region.plan].studied.text in given_up:
            continue
        plan = again.plans[region.plan]
        span, whole = region.edit(plan, trial.level).span, plan.studied.sentence.span
        own = [at for at, place in enumerate(places) if whole.start <= place[0] <= whole.end]
        number = trial.regions[own[0]].plan if own else -1
        with_it = []
        if own and len(following.get(number, ())) < _FOLLOWING:
            shifts = [_Shift(places[at], len(trial.edits[at].span)) for at in own]
            with_it = [_as_it_was(one, plan, trial.decided.plans[number], shifts) for _, one in region.slots]
        if with_it and all(with_it):
            more += [(number, one) for one in with_it if one is not None]
        else:
            guilty.add(min(own or range(len(places)), key=lambda number: _distance(places[number], span)))
    return sorted(guilty), more


@dataclass(frozen=True, slots=True)
class _Shift:
    """Where the new wording of an edit stands, and how long the old one was."""

    place: tuple[int, int]
    length: int


def _as_it_was(ranked: Ranked, after: Plan, before: Plan, shifts: Sequence[_Shift]) -> Ranked | None:
    """Return an edit of the edited sentence as one of the sentence before; None where it touches what was edited."""
    change, base = ranked.candidate.change, after.studied.sentence.span.start
    moved = 0
    for one in shifts:
        start, end = one.place[0] - base, one.place[1] - base
        if change.start >= end:
            moved += one.length - (end - start)
        elif change.end > start:
            return None
    same = Change(change.start + moved, change.end + moved, change.text)
    stood = after.studied.text[change.start : change.end]
    if same.start < 0 or before.studied.text[same.start : same.end] != stood:
        return None
    candidate = replace(ranked.candidate, change=same, number=None)
    return replace(ranked, candidate=candidate, changes=(same,))


def _places(edits: Sequence[Edit]) -> list[tuple[int, int]]:
    """Return where the new wording of each edit stands afterwards; edits are in order."""
    places = []
    grown = 0
    for edit in edits:
        start = edit.span.start + grown
        places.append((start, start + len(edit.replacement)))
        grown += len(edit.replacement) - len(edit.span)
    return places


def _distance(place: tuple[int, int], span: Span) -> int:
    return max(place[0] - span.end, span.start - place[1], 0)
