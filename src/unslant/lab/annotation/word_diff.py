"""Which words an edit changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from unslant.core.types import Span

__all__ = ["EditedPair", "edited_pairs", "word_spans"]

_WORD = re.compile(r"\w+(?:['\u2019\-]\w+)*|[^\w\s]")


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
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def edited_pairs(source: str, target: str) -> tuple[EditedPair, ...]:
    """Return what was changed between two sentences, by the longest runs of words that they share."""
    from difflib import SequenceMatcher

    before, after = word_spans(source), word_spans(target)
    matcher = SequenceMatcher(None, _words(source, before), _words(target, after), autojunk=False)
    return tuple(
        EditedPair(_join_spans(before[i:j]), _join_spans(after[k:l]))
        for tag, i, j, k, l in matcher.get_opcodes()  # noqa: E741
        if tag != "equal"
    )


def _words(text: str, spans: list[Span]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def _join_spans(spans: list[Span]) -> Span | None:
    return Span(spans[0].start, spans[-1].end) if spans else None
