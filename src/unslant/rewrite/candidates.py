"""Candidates for an edit: what rules, the list of wordings and a rewriter offer, and leaving the words out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from unslant.core.types import Analysis, Applicability, Edit, Finding, Sentence, Span
from unslant.rewrite.result import Suggestion
from unslant.rewrite.wordings import WORDINGS, wordings_for
from unslant.text.diff import UnrelatedText, edits_between
from unslant.text.edits import trim_edit
from unslant.text.function_words import FUNCTION

__all__ = ["EditableSentence", "Slot", "find_slots", "rule_slot"]

_DEGREE = re.compile(r"\b((?:\w{3,}ly|very|so|too|rather|quite|more|most)[ \t\r\n]+)\Z")
_LONGEST_DELETION = 3
"""The most words that a finding may have for its deletion to be a candidate."""
_DELETION_TRUST = 0.5
_WORDING_TRUST = 0.8
_ONLY_FINDINGS = frozenset(("edits", "mlm"))
_NEVER = 2.0
_ALONE = 0.55
"""How likely an edit must be that only models stand behind, the finding and the edit alike."""
_MOST = 8
"""How many candidates to consider for one place."""


@dataclass(frozen=True, slots=True)
class EditableSentence:
    """A sentence with everything that the fixer knows about it."""

    sentence: Sentence
    analysis: Analysis
    """Its findings are those that are reported."""
    protected: tuple[Span, ...] = ()
    """Places of findings that the settings or the writer ignore."""

    @property
    def text(self) -> str:
        """The sentence with a NUL for every code point of markup, so that no markup is mistaken for a space."""
        source, text = self.source, self.sentence.text
        if source == text:
            return text
        return "".join(char if char == own else "\0" for char, own in zip(text, source, strict=True))

    @property
    def source(self) -> str:
        """The sentence as the user wrote it."""
        span = self.sentence.span
        return self.sentence.document.source[span.start : span.end]


@dataclass(slots=True)
class Slot:
    """A place in a sentence and the candidates for it, by offsets from the start of the sentence."""

    source: str
    """The sentence as the user wrote it."""
    finding: Finding | None = None
    """The finding at this place, if any."""
    candidates: list[Suggestion] = field(default_factory=list)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The finding in the form that suggestions hold."""
        return (self.finding,) if self.finding is not None else ()

    def add(self, edit: Edit, origin: str, trust: float, limit: Applicability = Applicability.SAFE) -> None:
        """Add a candidate, unless the slot already has it or is full.

        ``limit`` is the best verdict that the proposer asks for.
        """
        known = any(candidate.bare.change == edit.change for candidate in self.candidates)
        if known or len(self.candidates) >= _MOST:
            return
        bare = replace(edit, applicability=limit, probability=trust)
        whole = Span(0, len(self.source))
        self.candidates.append(Suggestion(bare, bare, origin, whole, self.source, self.findings))


def find_slots(target: EditableSentence, proposals: Sequence[Edit], origin: str) -> tuple[list[Slot], int]:
    """Return the places of a sentence with their candidates, and how many proposals could not be used.

    A proposal that covers the whole sentence is a rewording, and is split into the edits that lead to it. What the edit
    model proposes counts only where there is a finding, and words that no rule flags are left out only if it is sure of
    it: otherwise it is right too rarely.
    """
    base = target.sentence.span.start
    slots = [rule_slot(finding, target) for finding in target.analysis.findings]
    unusable = 0
    for proposal in proposals:
        try:
            edits = _split_proposal(target, proposal.shift(-base))
        except UnrelatedText:
            unusable += 1
            continue
        for edit in edits:
            slot = _slot_for(edit, slots, target)
            trust = min(max(proposal.probability or 0.0, 0.0), 1.0)
            if slot is not None and (origin not in _ONLY_FINDINGS or trust >= _enough(slot.finding)):
                slot.add(edit, origin, trust)
    for slot in slots:
        _offer_wordings(slot, target, base)
        _offer_deletion(slot, target.sentence.text, base)
    return [slot for slot in slots if slot.candidates], unusable


def _split_proposal(target: EditableSentence, proposal: Edit) -> list[Edit]:
    text = target.sentence.text
    if (proposal.start, proposal.end) == (0, len(text)):
        return edits_between(text, proposal.replacement)
    trimmed = trim_edit(text, proposal)
    return [trimmed] if trimmed.replacement != text[trimmed.start : trimmed.end] else []


def rule_slot(finding: Finding, target: EditableSentence) -> Slot:
    """Return the place of a finding with the wordings of its rule."""
    slot = Slot(target.source, finding)
    text, base = target.sentence.text, target.sentence.span.start
    for place, edit in enumerate(finding.edits):
        if base <= edit.start and edit.end - base <= len(text):
            slot.add(
                trim_edit(text, edit.shift(-base)), "rules", 1 - 0.05 * min(place, 10), edit.applicability
            )
    return slot


def _offer_wordings(slot: Slot, target: EditableSentence, base: int) -> None:
    if slot.finding is None or "model" not in slot.finding.origin:
        return
    for edit in wordings_for(target.sentence, slot.finding.span):
        trimmed = trim_edit(target.sentence.text, edit.shift(-base))
        if not any(_touches(trimmed, span, base) for span in target.protected):
            slot.add(trimmed, WORDINGS, _WORDING_TRUST)


def _touches(edit: Edit, span: Span, base: int) -> bool:
    return base + edit.start < span.end and span.start < base + edit.end


def _enough(finding: Finding | None) -> float:
    """Return how likely an edit of the edit model must be to be considered for a finding."""
    if finding is None:
        return _NEVER
    return 0.0 if "rules" in finding.origin else _ALONE


def _offer_deletion(slot: Slot, text: str, base: int) -> None:
    if slot.finding is None or "rules" not in slot.finding.origin:
        return
    start, end = slot.finding.span.start - base, slot.finding.span.end - base
    words = text[start:end].split()
    if not 1 <= len(words) <= _LONGEST_DELETION or not words[0][0].isalnum():
        return
    slot.add(Edit(start, end, ""), "deletion", _DELETION_TRUST)
    if len(words) > 1 and words[0].isalpha() and words[0].lower() not in FUNCTION:
        # "a stunning victory" is still a victory
        slot.add(Edit(start, start + len(words[0]), ""), "deletion", _DELETION_TRUST)
    if degree := _DEGREE.search(text[max(0, start - 40) : start]):
        # "a truly iconic day": a word that only intensifies the others goes with them
        slot.add(Edit(start - len(degree[1]), end, ""), "deletion", _DELETION_TRUST)


def _slot_for(edit: Edit, slots: list[Slot], target: EditableSentence) -> Slot | None:
    """Return the slot of the finding that an edit answers, or a new slot; None where nothing may change."""
    base = target.sentence.span.start
    start, end = base + edit.start, base + max(edit.end, edit.start + 1)
    for slot in slots:
        if slot.finding is not None and start < slot.finding.span.end and slot.finding.span.start < end:
            return slot
    if any(start < span.end and span.start < end for span in target.protected):
        return None
    for slot in slots:
        if slot.finding is None and any(edit.conflicts(other.bare) for other in slot.candidates):
            return slot
    slots.append(Slot(target.source))
    return slots[-1]
