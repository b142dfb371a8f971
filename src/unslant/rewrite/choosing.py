"""Which edits of a sentence go together: the best of each place, none in the way of a better one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unslant.core.types import Applicability, Edit, Span
from unslant.rewrite.change import Change, apply, worded
from unslant.rewrite.deciding import Decided, Plan, Ranked
from unslant.rewrite.facts import differing
from unslant.rewrite.gates import over_budget
from unslant.rewrite.soundness import broken
from unslant.rewrite.tidy import tidied
from unslant.rewrite.types import Gate

__all__ = ["Following", "Held", "Region", "regions_of"]

Held = dict[tuple[int, int], Gate]
"""Places, by the numbers of the plan and the slot, whose best edit is not made, and why."""


@dataclass(frozen=True, slots=True)
class Region:
    """One edit as it is made, and the places whose candidates it joins."""

    plan: int
    slots: tuple[tuple[int, Ranked], ...]
    """The number of each slot, and the candidate that was taken for it; below 0: the edit followed from another."""
    change: Change

    def edit(self, plan: Plan, applicability: Applicability) -> Edit:
        """Return the edit in terms of the source."""
        base = plan.studied.sentence.span.start
        return Edit(Span(base + self.change.start, base + self.change.end), self.change.text, applicability)


Following = Mapping[int, Sequence[Ranked]]
"""By the number of the plan: edits that only the edited sentence asks for, as edits of the sentence as it was."""


def regions_of(
    decided: Decided, level: Applicability, held: Held, following: Following | None = None
) -> list[Region]:
    """Return the edits of a document up to a level; what is held back on the way is added to ``held``."""
    return [
        region
        for number, plan in enumerate(decided.plans)
        for region in _of_sentence(number, plan, level, held, (following or {}).get(number, ()))
    ]


def _of_sentence(
    number: int, plan: Plan, level: Applicability, held: Held, following: Sequence[Ranked]
) -> list[Region]:
    """Choose the edits of one sentence, and hold back those that do not go together."""
    while chosen := _chosen(number, plan, level, held):
        # their places are no slots of the plan, so they count from the other end
        more = [(-1 - at, one) for at, one in enumerate(following) if (number, -1 - at) not in held]
        chosen = sorted([*chosen, *more], key=lambda pair: pair[1].candidate.change)
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
