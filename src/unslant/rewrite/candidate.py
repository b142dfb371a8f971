"""Edits that could be made: the rules' own, leaving the words out, and what a rewriter proposes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from unslant.core.types import Analysis, Applicability, Finding, Rewrite, Sentence, Span
from unslant.rewrite.align import Unlike, aligned, core
from unslant.rewrite.change import Change, solid
from unslant.rules.function_words import FUNCTION

__all__ = ["EVEN", "Candidate", "Slot", "Studied", "slots_for"]

_DEGREE = re.compile(r"\b((?:\w{3,}ly|very|so|too|rather|quite|more|most)[ \t\r\n]+)\Z")
_LONGEST_DELETION = 3
"""Findings of more words are not simply left out."""
EVEN = 0.5
"""From this probability on the edit model stands by a proposal."""
_MOST = 8
"""Candidates for one place that are looked at."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to word a place."""

    change: Change
    """The words alone; capitals, articles and spaces follow."""
    origin: str
    trust: float
    number: int | None = None
    """Which of the sentence's findings it answers; None: none of them."""
    kind: str = ""
    """The kind of that finding."""
    found_by: str = ""
    """Who found it: ``rules`` or ``model``."""
    limit: Applicability = Applicability.SAFE
    """The best verdict that the one who proposes it asks for."""

    @property
    def vouched(self) -> bool:
        """Whether a rule offers exactly this wording."""
        return self.origin == "rules"

    @property
    def stood_by(self) -> bool:
        """Whether the edit model would make the change itself."""
        return self.origin == "edits" and self.trust >= EVEN


@dataclass(slots=True)
class Slot:
    """A place where something could be changed, and how."""

    number: int | None
    """Which of the sentence's findings stands there."""
    finding: Finding | None = None
    candidates: list[Candidate] = field(default_factory=list)

    def add(
        self, change: Change, origin: str, trust: float, limit: Applicability = Applicability.SAFE
    ) -> None:
        """Take one more candidate, unless the same was there before or there are enough."""
        kind, found_by = (self.finding.kind, self.finding.origin) if self.finding else ("", "")
        if len(self.candidates) < _MOST and not any(one.change == change for one in self.candidates):
            self.candidates.append(Candidate(change, origin, trust, self.number, kind, found_by, limit))


@dataclass(frozen=True, slots=True)
class Studied:
    """A sentence with everything that is known of it."""

    sentence: Sentence
    analysis: Analysis
    """The findings are those that are reported."""
    suppressed: tuple[Span, ...] = ()
    """Where something was found that the settings or the writer leave alone."""

    @property
    def text(self) -> str:
        """The sentence with a NUL for markup."""
        return solid(self.sentence)


def slots_for(studied: Studied, rewrites: Sequence[Rewrite], name: str) -> tuple[list[Slot], int]:
    """Return the places of a sentence with their candidates, and how many rewrites were of no use."""
    base = studied.sentence.span.start
    text = studied.sentence.text
    slots = [
        _of_finding(number, finding, text, base) for number, finding in enumerate(studied.analysis.findings)
    ]
    useless = 0
    for rewrite in rewrites:
        try:
            changes = aligned(text, rewrite.text)
        except Unlike:
            useless += 1
            continue
        for change in changes:
            slot = _place_for(change, slots, studied)
            if slot is not None:
                slot.add(change, name, min(max(rewrite.score, 0.0), 1.0))
    for slot in slots:
        _offer_deletion(slot, text, base)
    return [slot for slot in slots if slot.candidates], useless


def _of_finding(number: int, finding: Finding, text: str, base: int) -> Slot:
    slot = Slot(number, finding)
    for place, edit in enumerate(finding.edits):
        change = Change(edit.span.start - base, edit.span.end - base, edit.replacement)
        limit = Applicability.DISPLAY if edit.applicability is Applicability.DISPLAY else Applicability.SAFE
        if change.start >= 0 and change.end <= len(text):
            slot.add(core(text, change), "rules", 1 - 0.05 * min(place, 10), limit)
    return slot


def _offer_deletion(slot: Slot, text: str, base: int) -> None:
    if slot.finding is None:
        return
    start, end = slot.finding.span.start - base, slot.finding.span.end - base
    words = text[start:end].split()
    if not 1 <= len(words) <= _LONGEST_DELETION or not words[0][0].isalnum():
        return
    slot.add(Change(start, end, ""), "deletion", 0.5)
    if len(words) > 1 and words[0].isalpha() and words[0].lower() not in FUNCTION:
        # "a stunning victory" is still a victory
        slot.add(Change(start, start + len(words[0]), ""), "deletion", 0.5)
    if degree := _DEGREE.search(text[max(0, start - 40) : start]):
        # "a truly iconic day": what only adds to the words goes with them
        slot.add(Change(start - len(degree[1]), end, ""), "deletion", 0.5)


def _place_for(change: Change, slots: list[Slot], studied: Studied) -> Slot | None:
    """Return where the finding is that a change answers, or a place of its own; None where nothing may change."""
    base = studied.sentence.span.start
    start, end = base + change.start, base + max(change.end, change.start + 1)
    for slot in slots:
        if slot.finding is not None and start < slot.finding.span.end and slot.finding.span.start < end:
            return slot
    if any(start < span.end and span.start < end for span in studied.suppressed):
        return None
    for slot in slots:
        if slot.finding is None and any(change.touches(one.change) for one in slot.candidates):
            return slot
    slots.append(Slot(None))
    return slots[-1]
