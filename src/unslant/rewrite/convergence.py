"""Which edits are applied together, so that fixing the result again changes nothing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from unslant.core.types import Applicability, Document, Edit, Span
from unslant.rewrite.breaks import find_break
from unslant.rewrite.facts import changed_fact
from unslant.rewrite.gates import over_budget
from unslant.rewrite.planning import DocumentPlan, Planner, SentencePlan
from unslant.rewrite.result import Gate, Suggestion
from unslant.rewrite.soundness import unsound_together
from unslant.text.edits import apply_edits, inserted_spans, rebase_back
from unslant.text.reading import read
from unslant.text.tidy import tidy_edits

__all__ = ["Blocked", "CombinedEdit", "Converged", "converge", "converge_further"]

_ROUNDS = 8
"""How often edits are taken back one by one before all of them are."""
_FURTHER_ROUNDS = 4
"""How often safe edits are taken back one by one where they meet edits that need review."""
_MOST_READINGS = 64
"""How often a document is read to find the edits that change its markup."""
_MOST_FOLLOWING = 2
"""How many edits of a sentence may follow from its other edits."""

Blocked = dict[tuple[int, int], Gate]
"""Places whose best edit is not applied, by the numbers of the sentence and the slot, and the gate that blocks it."""
Following = Mapping[int, Sequence[Suggestion]]
"""By the number of the sentence: edits that only the edited sentence asks for, as edits of the sentence before."""


@dataclass(frozen=True, slots=True)
class CombinedEdit:
    """An edit of the document that is applied, and the suggestions that it combines."""

    edit: Edit
    sentence: int
    """The number of the sentence plan."""
    parts: tuple[tuple[int, Suggestion], ...]
    """The number of each slot and the suggestion taken for it; below 0: it followed from another edit."""


@dataclass(frozen=True, slots=True)
class Converged:
    """The edits of a document that are applied together."""

    edits: tuple[CombinedEdit, ...]
    blocked: Blocked


def converge(
    planner: Planner, plan: DocumentPlan, level: Applicability, before: Blocked | None = None
) -> Converged:
    """Choose edits up to a level so that the resulting text asks for no more of them.

    The new text is read and judged like any other. What an edited sentence asks for in addition is applied along with
    its edits. Where that fails, the edit that caused it is blocked; if the text does not converge soon, all edits are.
    ``before`` is what was blocked at a stricter level; what must never be applied stays blocked.
    """
    blocked = {place: gate for place, gate in (before or {}).items() if gate.verdict is Applicability.DISPLAY}
    document = plan.report.document
    following: dict[int, list[Suggestion]] = {}
    for _ in range(_ROUNDS):
        planner.progress(0)
        chosen = _combine(plan, level, blocked, following)
        if not chosen:
            break
        new = _apply(document, chosen)
        gate = _structure_gate(document, new)
        more: list[tuple[int, Suggestion]] = []
        if gate is not None:
            causes = _structure_breakers(planner, document, [combined.edit for combined in chosen])
        else:
            trial = _Trial(plan, chosen, level, _given_up(plan, chosen, blocked))
            causes, more = _find_unstable(planner, new, trial, following)
            gate = Gate("again", "Fixing the result again would change it once more.", _stricter(level))
        if not causes and not more:
            return Converged(tuple(chosen), blocked)
        for number, suggestion in more:
            following.setdefault(number, []).append(suggestion)
        for cause in causes:
            blocked |= {(chosen[cause].sentence, slot): gate for slot, _ in chosen[cause].parts}
    else:
        gate = Gate("again", "The edits of this text do not converge.", _stricter(level))
        blocked |= {
            (combined.sentence, slot): gate
            for combined in _combine(plan, level, blocked, following)
            for slot, _ in combined.parts
        }
    return Converged((), blocked)


def converge_further(planner: Planner, plan: DocumentPlan, safe: Converged) -> Converged:
    """Choose edits that need review as well, on top of the safe ones.

    Where a sentence does not converge with them, its safe edits are applied alone, unless that would lead to more.
    """
    further = converge(planner, plan, Applicability.REVIEW, safe.blocked)
    edited = {combined.sentence for combined in further.edits}
    left = [combined for combined in safe.edits if combined.sentence not in edited]
    for _ in range(_FURTHER_ROUNDS):
        if not left:
            break
        edits = sorted([*further.edits, *left], key=lambda combined: combined.edit.change)
        unstable = _unstable_sentences(planner, plan, edits)
        if not unstable:
            applied = {(combined.sentence, slot) for combined in edits for slot, _ in combined.parts}
            blocked = {place: gate for place, gate in further.blocked.items() if place not in applied}
            return Converged(tuple(edits), blocked)
        left = [combined for combined in left if combined.sentence not in unstable]
    return further


def _combine(
    plan: DocumentPlan, level: Applicability, blocked: Blocked, following: Following | None = None
) -> list[CombinedEdit]:
    """Return the edits of a document up to a level; what turns out not to go together is added to ``blocked``."""
    return [
        combined
        for number, sentence in enumerate(plan.sentences)
        for combined in _combine_sentence(number, sentence, level, blocked, (following or {}).get(number, ()))
    ]


def _combine_sentence(
    number: int, plan: SentencePlan, level: Applicability, blocked: Blocked, following: Sequence[Suggestion]
) -> list[CombinedEdit]:
    """Choose the edits of one sentence, and block those that do not go together."""
    text = plan.target.text
    while chosen := _choose(number, plan, level, blocked):
        # what followed has no slot in the plan, so it is numbered from the other end
        more = [(-1 - at, each) for at, each in enumerate(following) if (number, -1 - at) not in blocked]
        chosen = sorted([*chosen, *more], key=lambda pair: pair[1].bare.change)
        edits = tidy_edits(text, [suggestion.bare for _, suggestion in chosen])
        if len(chosen) == 1:
            return _place(number, plan, chosen, edits)
        gate = over_budget(text, edits, plan.budget) if level is Applicability.SAFE else None
        if gate is not None:
            blocked |= {(number, slot): gate for slot, _ in chosen}
            return []
        gate = _judge_together(text, edits, level)
        if gate is None:
            return _place(number, plan, chosen, edits)
        worst, _ = min(chosen, key=lambda pair: pair[1].score.total)
        blocked[number, worst] = gate
    return []


def _judge_together(text: str, edits: Sequence[Edit], level: Applicability) -> Gate | None:
    """Ask of all edits of a sentence what was asked of each; facts that a person decides about are theirs to lose."""
    plain = text.replace("\0", " ")
    new = apply_edits(plain, edits)
    wrong = find_break(plain, new, edits)
    if wrong is not None:
        return Gate("parse", f"Together with the other edits it would leave {wrong}.", _stricter(level))
    if unsound_together(plain, edits):
        return Gate("judge", "Together with the other edits it may not read well.", _stricter(level))
    fact = changed_fact(plain, new) if level is Applicability.SAFE else None
    if fact is not None:
        return Gate(fact[0], "Together the edits would change what is stated.", Applicability.REVIEW)
    return None


def _choose(
    number: int, plan: SentencePlan, level: Applicability, blocked: Blocked
) -> list[tuple[int, Suggestion]]:
    """Return the best suggestion of each place, none in conflict with a better one."""
    allowed = (
        (Applicability.SAFE,) if level is Applicability.SAFE else (Applicability.SAFE, Applicability.REVIEW)
    )
    best = sorted(
        (
            (slot, suggestion)
            for slot, suggestions in enumerate(plan.slots)
            for suggestion in suggestions
            if suggestion.gate.verdict in allowed
        ),
        key=lambda pair: (pair[1].gate.verdict is not Applicability.SAFE, -pair[1].score.total),
    )
    taken: dict[int, Suggestion] = {}
    for slot, suggestion in best:
        free = not any(suggestion.bare.conflicts(other.bare) for other in taken.values())
        if slot not in taken and (number, slot) not in blocked and free:
            taken[slot] = suggestion
    return sorted(taken.items(), key=lambda pair: pair[1].bare.change)


def _place(
    number: int, plan: SentencePlan, chosen: Sequence[tuple[int, Suggestion]], edits: Sequence[Edit]
) -> list[CombinedEdit]:
    """Return tidied edits of a sentence as edits of the document, each with the suggestions that it combines."""
    parts: list[list[tuple[int, Suggestion]]] = [[] for _ in edits]
    for slot, suggestion in chosen:
        bare = suggestion.bare
        nearest = min(range(len(edits)), key=lambda at: _distance((bare.start, bare.end), edits[at]))
        parts[nearest].append((slot, suggestion))
    return [
        CombinedEdit(edit.shift(plan.start), number, tuple(own))
        for edit, own in zip(edits, parts, strict=True)
    ]


def _apply(document: Document, chosen: Sequence[CombinedEdit]) -> Document:
    text = apply_edits(document.source, [combined.edit for combined in chosen])
    return read(text, document.format, document.id)


def _unstable_sentences(planner: Planner, plan: DocumentPlan, edits: Sequence[CombinedEdit]) -> set[int]:
    """Return the numbers of the sentences that would be edited once more if some edits were applied."""
    new = _apply(plan.report.document, edits)
    again = _plan_again(planner, plan, new, [combined.edit for combined in edits])
    first = converge(planner, again, Applicability.SAFE)
    more = (*first.edits, *converge(planner, again, Applicability.REVIEW, first.blocked).edits)
    spans = sorted({again.sentences[combined.sentence].target.sentence.span for combined in more})
    places = inserted_spans([combined.edit for combined in edits])
    return {
        combined.sentence
        for combined, place in zip(edits, places, strict=True)
        if _touches_any(place[0], spans)
    }


def _plan_again(
    planner: Planner,
    plan: DocumentPlan,
    new: Document,
    edits: Sequence[Edit],
    level: Applicability = Applicability.DISPLAY,
) -> DocumentPlan:
    """Return what could be changed in a document after some edits, in the part that was looked at before."""
    if plan.within is not None:
        moved = [
            Span(
                span.start + sum(edit.growth for edit in edits if edit.end <= span.start),
                span.end + sum(edit.growth for edit in edits if edit.start < span.end),
            )
            for span in plan.within
        ]
        return planner.plan_within(new, moved, level)
    end = plan.end + sum(edit.growth for edit in edits) if plan.end is not None else None
    (again,) = planner.plan([new], level, end)
    return again


def _touches_any(offset: int, spans: Sequence[Span]) -> bool:
    """Say whether an offset is in one of some stretches or at its end; they are in order and do not overlap."""
    at = bisect_right(spans, offset, key=lambda span: span.start)
    return any(span.end >= offset for span in spans[max(at - 2, 0) : at])


def _stricter(level: Applicability) -> Applicability:
    return Applicability.REVIEW if level is Applicability.SAFE else Applicability.DISPLAY


class _Structure(NamedTuple):
    """What edits must leave as it is read."""

    markup: str
    """The markup alone."""
    blocks: int
    quotations: int


def _structure(document: Document) -> _Structure:
    markup = ""
    if document.source != document.prose:
        pairs = zip(document.source, document.prose, strict=True)
        markup = "".join(own for own, shown in pairs if own != shown)
    return _Structure(markup, len(document.blocks or ()), len(document.quotations))


def _structure_gate(document: Document, new: Document) -> Gate | None:
    """Return the gate that blocks edits after which markup or quotations are read differently."""
    before, after = _structure(document), _structure(new)
    if before == after:
        return None
    if before.markup == after.markup and before.blocks == after.blocks:
        return Gate("quotation", "It would change what is quoted.", Applicability.DISPLAY)
    return Gate("markup", "It would change how the markup is read.", Applicability.DISPLAY)


def _structure_breakers(planner: Planner, document: Document, edits: Sequence[Edit]) -> list[int]:
    """Return the numbers of the edits after which the structure is another.

    They are found by halves. Where there are so many that this takes too long, what is left counts as broken.
    """
    expected = _structure(document)
    causes: list[int] = []
    readings = 0
    open_ranges = [(0, len(edits))]
    while open_ranges:
        first, last = open_ranges.pop()
        if last - first < len(edits) and readings < _MOST_READINGS:
            planner.progress(0)
            readings += 1
            trial = apply_edits(document.source, edits[first:last])
            if _structure(read(trial, document.format, document.id)) == expected:
                continue
        if last - first == 1 or readings >= _MOST_READINGS:
            causes += range(first, last)
        else:
            middle = (first + last) // 2
            open_ranges += ((middle, last), (first, middle))
    return causes or list(range(len(edits)))


def _given_up(plan: DocumentPlan, chosen: Sequence[CombinedEdit], blocked: Blocked) -> set[str]:
    """Return the sentences that stay as they are because their edits are blocked."""
    edited, refused = {combined.sentence for combined in chosen}, {number for number, _ in blocked}
    return {plan.sentences[number].target.text for number in refused - edited}


@dataclass(frozen=True)
class _Trial:
    """Edits of a document that may be applied together."""

    plan: DocumentPlan
    chosen: Sequence[CombinedEdit]
    level: Applicability
    given_up: set[str]
    """Sentences that ask for their edits again and would be given up again; no other edit causes that."""

    @cached_property
    def edits(self) -> list[Edit]:
        """The edits, in order."""
        return [combined.edit for combined in self.chosen]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where the replacement of each stands in the new text."""
        return inserted_spans(self.edits)

    @cached_property
    def grown(self) -> list[int]:
        """How much longer the text before each edit has become."""
        return [0, *accumulate(edit.growth for edit in self.edits)]

    def within(self, span: Span) -> range:
        """Return the numbers of the edits that begin in a stretch of the new text or right after it."""
        first = bisect_left(self.places, span.start, key=lambda place: place[0])
        return range(first, bisect_right(self.places, span.end, key=lambda place: place[0]))

    def nearest(self, edit: Edit) -> int:
        """Return the number of the edit that stands nearest to one of the new text."""
        at = bisect_left(self.places, edit.start, key=lambda place: place[0])
        close = range(max(at - 2, 0), min(at + 2, len(self.places)))
        return min(close, key=lambda number: _distance(self.places[number], edit))

    def rebase_back(self, edit: Edit) -> Edit | None:
        """Return an edit of the new text as one of the text before; None where it touches what was written."""
        first = max(bisect_left(self.places, edit.start, key=lambda place: place[1]) - 1, 0)
        last = bisect_right(self.places, edit.end, key=lambda place: place[0])
        grown = self.grown[first]
        return rebase_back(edit.shift(-grown), self.edits[first:last]) if edit.start >= grown else None


def _find_unstable(
    planner: Planner, new: Document, trial: _Trial, following: Following
) -> tuple[list[int], list[tuple[int, Suggestion]]]:
    """Return the numbers of the edits that lead to text which would be edited again, and what could go with them."""
    again = _plan_again(planner, trial.plan, new, trial.edits, trial.level)
    causes: set[int] = set()
    more: list[tuple[int, Suggestion]] = []
    for combined in _combine(again, trial.level, {}):
        plan = again.sentences[combined.sentence]
        if plan.target.text in trial.given_up:
            continue
        own = trial.within(plan.target.sentence.span)
        number = trial.chosen[own[0]].sentence if own else -1
        followers: list[Suggestion | None] = []
        if own and len(following.get(number, ())) < _MOST_FOLLOWING:
            before = trial.plan.sentences[number]
            followers = [_restate(each, plan, before, trial) for _, each in combined.parts]
        if followers and all(followers):
            more += [(number, each) for each in followers if each is not None]
        elif own:
            edit = combined.edit
            causes.add(min(own, key=lambda at: _distance(trial.places[at], edit)))
        else:
            causes.add(trial.nearest(combined.edit))
    return sorted(causes), more


def _restate(
    suggestion: Suggestion, after: SentencePlan, before: SentencePlan, trial: _Trial
) -> Suggestion | None:
    """Return a suggestion for the edited sentence as one for the sentence before; None where it touches an edit."""
    restated = trial.rebase_back(suggestion.bare.shift(after.start))
    if restated is None or restated.start < before.start:
        return None
    bare = restated.shift(-before.start)
    stood = after.target.text[suggestion.bare.start : suggestion.bare.end]
    if before.target.text[bare.start : bare.end] != stood:
        return None
    source = before.target.source
    return replace(
        suggestion, edit=bare, bare=bare, sentence=Span(0, len(source)), before=source, findings=()
    )


def _distance(place: tuple[int, int], edit: Edit) -> int:
    return max(place[0] - edit.end, edit.start - place[1], 0)
