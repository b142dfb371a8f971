"""Texts on their way into a network: white space normalized, long ones cut into windows, positions kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.types import Span

__all__ = ["NormalizedText", "Window", "normalize_whitespace", "windows"]

_UNEVEN = re.compile(r"\s\s|[^\S ]|[\ud800-\udfff]|^\s|\s$")
_RUNS = re.compile(r"(\s+)|\S+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A text in which every gap is one space, and where its letters stood."""

    text: str
    places: Sequence[int]
    """For each letter, where it stood."""

    def back(self, span: Span) -> Span:
        """Return where a span of the normalized text stands in the original."""
        return Span(self.places[span.start], self.places[span.end - 1] + 1)


def normalize_whitespace(text: str) -> NormalizedText:
    """Make runs of white space one space: blanked markup should not look like text to a network.

    Half characters that no tokenizer takes become the sign for an unknown one.
    """
    if not _UNEVEN.search(text):
        return NormalizedText(text, range(len(text)))
    parts: list[str] = []
    places: list[int] = []
    for match in _RUNS.finditer(text):
        if match[1] is None:
            parts.append(match[0])
            places.extend(range(match.start(), match.end()))
        elif parts and match.end() < len(text):
            parts.append(" ")
            places.append(match.start())
    return NormalizedText(_SURROGATES.sub("\ufffd", "".join(parts)), places)


@dataclass(frozen=True, slots=True)
class Window:
    """Some pieces that are read together, and those of them that this reading speaks for."""

    start: int
    end: int
    first: int
    """The first piece it speaks for."""
    last: int
    """The first piece after those."""


def windows(count: int, room: int) -> list[Window]:
    """Cut ``count`` pieces into windows of at most ``room`` that overlap by a quarter.

    Each piece is spoken for exactly once, by the window in which more is seen around it.
    """
    if count <= room:
        return [Window(0, count, 0, count)]
    overlap = room // 4
    starts = list(range(0, count - overlap, room - overlap))
    found = []
    for start in starts:
        end = min(start + room, count)
        first = start + overlap // 2 if start else 0
        last = end if start == starts[-1] else end - overlap + overlap // 2
        found.append(Window(start, end, first, last))
    return found
