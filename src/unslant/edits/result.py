"""What fixing returns: suggestions for each place, and the text with those that were applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span
from unslant.text.edits import apply_edits

SCHEMA = "unslant/fix/2"
"""The name and version of the JSON form."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An edit of a sentence, and what else could be written in its place."""

    edit: Edit
    """By offsets of the document, ready to apply."""
    sentence: Span
    """The sentence that it changes."""
    before: str
    """The sentence as it stands in the source."""
    findings: tuple[Finding, ...] = ()
    """The findings that it answers."""
    applied: bool = False
    """Whether the resulting text contains it."""
    alternatives: tuple[Edit, ...] = ()
    """Other edits in the same place, the best first."""

    @property
    def after(self) -> str:
        """The sentence with this edit alone."""
        return self.sentence_with(self.edit)

    def sentence_with(self, edit: Edit) -> str:
        """Return the sentence with this edit or one of the alternatives."""
        return apply_edits(self.before, [edit.shift(-self.sentence.start)])

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; alternatives share the sentence and the findings."""
        return {
            **self.edit.to_dict(),
            "applied": self.applied,
            "sentence": self.sentence.to_dict(),
            "before": self.before,
            "after": self.after,
            "findings": [finding.fingerprint for finding in self.findings],
            "alternatives": [other.to_dict() for other in self.alternatives],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A text with its edits applied, and everything that was offered."""

    document: Document
    """The text as it was."""
    report: Report
    """What was found in it, each finding with what could be written."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, the same from the command, the library and the server."""
        return {
            "schema": SCHEMA,
            "document": {"id": self.document.id, "format": self.document.format},
            "changed": self.changed,
            "text": self.text,
            "edits": [suggestion.to_dict() for suggestion in self.edits],
            "notes": [note.to_dict() for note in self.notes],
            "report": self.report.to_dict(),
        }
