"""What fixing returns: suggestions with their evidence, and the text with the applied edits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span
from unslant.text.edits import apply_edits

__all__ = ["CONFIDENT", "PENDING", "SCHEMA", "Fixed", "Gate", "Score", "Suggestion"]

SCHEMA = "unslant/fix/1"
"""The name and version of the wire form."""
CONFIDENT = 0.5
"""From this probability on the edit model would make the change itself."""


@dataclass(frozen=True, slots=True)
class Score:
    """How good an edit is; every part is from 0 to 1."""

    slant: float
    """The slant that is left in the sentence, by the detector's own measure; 0 is best."""
    fluency: float
    """How well the new words fit where they stand; 1 is best."""
    similarity: float
    """How much of what the sentence says is still said; 1 is best."""
    size: float
    """The share of the sentence's words that change; 0 is best."""
    trust: float
    """How far the proposer is trusted: a rule's first wording 1, a model its probability."""

    @property
    def total(self) -> float:
        """The weighted sum, from 0 to 1; docs/fix.md gives the weights."""
        return (
            0.4 * (1 - self.slant)
            + 0.15 * self.fluency
            + 0.15 * self.similarity
            + 0.1 * (1 - self.size)
            + 0.2 * self.trust
        )

    def to_dict(self) -> dict[str, float]:
        """Return the wire form."""
        parts = {name: getattr(self, name) for name in ("slant", "fluency", "similarity", "size", "trust")}
        return {name: round(value, 4) for name, value in (*parts.items(), ("total", self.total))}


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate that decided how an edit may be applied."""

    name: str
    """The gate's name; ``all``: the edit passed every gate."""
    reason: str
    """One sentence for the writer."""
    verdict: Applicability


PENDING = Gate("pending", "No gate has judged it yet.", Applicability.DISPLAY)
_UNSCORED = Score(1.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit with the evidence for and against it.

    Offsets refer to the document in a result, and to the sentence while a suggestion is being judged.
    """

    edit: Edit
    """Ready to apply: tidied, with the gate's verdict."""
    bare: Edit
    """The wording alone, before tidying; suggestions of one sentence are combined bare and then tidied together."""
    origin: str
    """Who proposed it: ``rules``, ``deletion`` or the rewriter's name; several are joined by ``+``."""
    sentence: Span
    """The sentence that it changes."""
    before: str
    """The sentence as it stands in the source."""
    findings: tuple[Finding, ...] = ()
    """The findings that it answers; empty where a model proposes it without naming a slant."""
    gate: Gate = PENDING
    score: Score = _UNSCORED
    applied: bool = False
    """Whether the resulting text contains it."""
    alternatives: tuple[Suggestion, ...] = ()
    """Other edits in the same place, the best first."""

    @property
    def after(self) -> str:
        """The sentence with this edit alone."""
        return apply_edits(self.before, [self.edit.shift(-self.sentence.start)])

    @property
    def trust(self) -> float:
        """How far the proposer is trusted with it, from 0 to 1."""
        return self.bare.probability or 0.0

    @property
    def by_rule(self) -> bool:
        """Whether a rule offers exactly this wording."""
        return self.origin == "rules"

    @property
    def confident(self) -> bool:
        """Whether the edit model would make the change itself."""
        return self.origin == "edits" and self.trust >= CONFIDENT

    def shift(self, by: int) -> Suggestion:
        """Return the same suggestion for a text that begins ``by`` code points earlier."""
        return replace(
            self,
            edit=self.edit.shift(by),
            bare=self.bare.shift(by),
            sentence=Span(self.sentence.start + by, self.sentence.end + by),
            alternatives=tuple(other.shift(by) for other in self.alternatives),
        )

    def _evidence(self) -> dict[str, Any]:
        return {
            "gate": self.gate.name,
            "reason": self.gate.reason,
            "origin": self.origin,
            "score": self.score.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form; alternatives share the sentence and the findings, so theirs is shorter."""
        return {
            **self.edit.to_dict(),
            "applied": self.applied,
            **self._evidence(),
            "sentence": self.sentence.to_dict(),
            "before": self.before,
            "after": self.after,
            "findings": [finding.fingerprint for finding in self.findings],
            "alternatives": [{**other.edit.to_dict(), **other._evidence()} for other in self.alternatives],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A text with its edits applied, and everything that was considered."""

    document: Document
    """The text as it was."""
    report: Report
    """What was found in it."""
    edits: tuple[Suggestion, ...]
    """By position; those that were applied do not overlap."""
    text: str
    """The text with the applied edits; outside them it is the source, code point for code point."""
    notes: tuple[Note, ...] = ()
    """What else the writer should know."""

    @property
    def changed(self) -> bool:
        """Whether anything was applied."""
        return self.text != self.document.source

    @property
    def applied(self) -> tuple[Edit, ...]:
        """The edits that lead from the source to the text."""
        return tuple(suggestion.edit for suggestion in self.edits if suggestion.applied)

    @property
    def left(self) -> tuple[Finding, ...]:
        """The findings that no applied edit answers."""
        answered = {
            finding for suggestion in self.edits if suggestion.applied for finding in suggestion.findings
        }
        return tuple(finding for finding in self.report.findings if finding not in answered)

    def count(self, applicability: Applicability) -> int:
        """Return how many edits have a verdict."""
        return sum(suggestion.edit.applicability is applicability for suggestion in self.edits)

    def with_verdicts(self) -> Report:
        """Return the report with the gates' verdicts: each finding's edits are those that were considered for it."""
        by_finding: dict[Finding, list[Edit]] = {}
        for finding, edit in self._pair_findings():
            by_finding.setdefault(finding, []).append(edit)
        findings = tuple(
            replace(finding, edits=tuple(dict.fromkeys(by_finding.get(finding, ()))))
            for finding in self.report.findings
        )
        return replace(self.report, findings=findings)

    def _pair_findings(self) -> Iterator[tuple[Finding, Edit]]:
        for suggestion in self.edits:
            for finding in suggestion.findings:
                yield finding, suggestion.edit
                yield from ((finding, other.edit) for other in suggestion.alternatives)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form, the same from the command, the library and the server."""
        return {
            "schema": SCHEMA,
            "document": {"id": self.document.id, "format": self.document.format},
            "changed": self.changed,
            "text": self.text,
            "edits": [suggestion.to_dict() for suggestion in self.edits],
            "notes": [note.to_dict() for note in self.notes],
            "report": self.report.to_dict(),
        }
