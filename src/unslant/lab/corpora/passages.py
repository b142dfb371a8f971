"""Passages: the sentences of a document put together again, with what editors marked in them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span

__all__ = ["CALIBRATION", "EDITOR", "MarkedPassage", "part_of", "read_passages"]

EDITOR = "editor"
"""The corpus that editors marked."""

CALIBRATION = "calibration"
"""The training documents that are kept for calibration: no network learns from them."""

_PROFILES = {"documentation": "docs", "encyclopedia": "encyclopedia"}
_EVERY = 12
_JOINED, _APART = " ", "\n\n"


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A document of the corpus as running text, with what the editor marked."""

    id: str
    text: str
    marked: tuple[LabelledSpan, ...]
    """In positions of the text."""
    genre: str
    leaning: str | None
    origin: str
    """The corpus that the text comes from."""
    words: int

    @property
    def profile(self) -> str:
        """The name of the profile that the text belongs to by its genre."""
        return _PROFILES.get(self.genre, "news")


def part_of(example: Example) -> str:
    """Return which part an example is used in: its split, or ``calibration`` for every twelfth training document."""
    digest = int(hashlib.sha256((example.document or "").encode()).hexdigest(), 16)
    return CALIBRATION if example.split == "train" and digest % _EVERY == 0 else example.split or ""


def read_passages(examples: Iterable[Example], part: str) -> Iterator[MarkedPassage]:
    """Put the sentences of each document together again, in order."""
    chosen = (example for example in examples if part_of(example) == part)
    for document, group in groupby(chosen, key=lambda example: example.document):
        sentences = list(group)
        first = sentences[0]
        separator = _JOINED if first.extra.get("connected") else _APART
        text, marked = "", []
        for sentence in sentences:
            offset = len(text) + (len(separator) if text else 0)
            text += (separator if text else "") + sentence.text
            for span in sentence.spans or ():
                place = Span(span.span.start + offset, span.span.end + offset)
                marked.append(replace(span, span=place))
        origin = str(first.extra.get("origin", ""))
        yield MarkedPassage(
            str(document), text, tuple(marked), first.genre or "", first.leaning, origin, len(text.split())
        )
