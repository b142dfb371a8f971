"""What the fixer says: each edit with its verdict and score, and the text that comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span

__all__ = ["SCHEMA", "Alternative", "Fixed", "FixedEdit", "Gate", "Score", "applied"]

SCHEMA = "unslant/fix/1"
"""The name and version of the wire form."""


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
    """How much the one who proposes it is trusted with it: a rule's first wording 1, a model its probability."""

    @property
    def total(self) -> float:
        """The whole, from 0 to 1; the weights stand in docs/fix.md."""
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
    """What decided how an edit may be applied."""

    name: str
    """The gate's name; ``all``: every gate let it pass."""
    reason: str
    """One sentence for the writer."""
    verdict: Applicability


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another edit in the same place."""

    edit: Edit
    gate: Gate
    score: Score
    origin: str
    """Who proposes it: ``rules``, ``deletion``, or the rewriter's name."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            **self.edit.to_dict(),
            "gate": self.gate.name,
            "reason": self.gate.reason,
            "origin": self.origin,
            "score": self.score.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class FixedEdit:
    """The edit that was chosen for a place, and how it came about."""

    edit: Edit
    sentence: Span
    """The sentence in which it is made."""
    before: str
    """The sentence as it stands in the source."""
    after: str
    """The sentence with this edit alone."""
    gate: Gate
    score: Score
    origin: str
    applied: bool
    """Whether the text that came out has it."""
    findings: tuple[Finding, ...] = ()
    """What it answers; empty where a model proposes it without naming a slant."""
    alternatives: tuple[Alternative, ...] = ()
    """Other edits in the same place, the best first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            **self.edit.to_dict(),
            "applied": self.applied,
            "gate": self.gate.name,
            "reason": self.gate.reason,
            "origin": self.origin,
            "score": self.score.to_dict(),
            "sentence": self.sentence.to_dict(),
            "before": self.before,
            "after": self.after,
            "findings": [finding.fingerprint for finding in self.findings],
            "alternatives": [one.to_dict() for one in self.alternatives],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A text with its edits made, and everything that was considered."""

    document: Document
    """The text as it was."""
    report: Report
    """What was found in it."""
    edits: tuple[FixedEdit, ...]
    """Ordered by position; those that were applied do not overlap."""
    text: str
    """The text with the applied edits made; outside them it is the source, code point for code point."""
    notes: tuple[Note, ...] = ()
    """What else the writer should know."""

    @property
    def changed(self) -> bool:
        """Whether anything was applied."""
        return self.text != self.document.source

    @property
    def left(self) -> tuple[Finding, ...]:
        """The findings that no applied edit answers."""
        answered = {finding for one in self.edits if one.applied for finding in one.findings}
        return tuple(finding for finding in self.report.findings if finding not in answered)

    def count(self, applicability: Applicability) -> int:
        """Return how many edits have a verdict."""
        return sum(one.edit.applicability is applicability for one in self.edits)

    def suggested(self) -> Report:
        """Return the report with the gates' verdicts: each finding's edits are those that were considered for it."""
        by_finding: dict[Finding, list[Edit]] = {}
        for one in self.edits:
            for finding in one.findings:
                by_finding.setdefault(finding, []).extend(
                    (one.edit, *(other.edit for other in one.alternatives))
                )
        findings = tuple(
            replace(finding, edits=tuple(dict.fromkeys(by_finding.get(finding, ()))))
            for finding in self.report.findings
        )
        return replace(self.report, findings=findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form, the same from the command, the library and the server."""
        return {
            "schema": SCHEMA,
            "document": {"id": self.document.id, "format": self.document.format},
            "changed": self.changed,
            "text": self.text,
            "edits": [one.to_dict() for one in self.edits],
            "notes": [note.to_dict() for note in self.notes],
            "report": self.report.to_dict(),
        }


def applied(source: str, edits: Sequence[Edit]) -> str:
    """Return the source with the edits made; they must not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda one: one.span):
        if edit.span.start < at:
            raise ValueError(f"two edits overlap at {edit.span.start}")
        parts += (source[at : edit.span.start], edit.replacement)
        at = edit.span.end
    return "".join((*parts, source[at:]))
