"""Which words an edit changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from unslant.core.types import Span
from unslant.text.diff import diff_words
from unslant.text.words import split_words

__all__ = ["EditedPair", "edited_pairs", "word_spans"]


@dataclass(frozen=True, slots=True)
class EditedPair:
    """Words before an edit and what they became; one of the two is None where words were added or deleted."""

    source: Span | None
    target: Span | None

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "source": self.source.to_dict() if self.source else None,
            "target": self.target.to_dict() if self.target else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the wire form."""
        source, target = data.get("source"), data.get("target")
        return cls(Span.from_dict(source) if source else None, Span.from_dict(target) if target else None)


def word_spans(text: str) -> list[Span]:
    """Return the words and marks of a text."""
    return [Span(*span) for span in split_words(text).spans]


def edited_pairs(source: str, target: str) -> tuple[EditedPair, ...]:
    """Return what was changed between two sentences, by the longest runs of words that they share."""
    before, after = split_words(source), split_words(target)
    return tuple(
        EditedPair(before.cover(*hunk.before), after.cover(*hunk.after))
        for hunk in diff_words(before.written, after.written)
    )
