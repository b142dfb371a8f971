"""Between code points and what editors count in: lines, and UTF-16, UTF-8 or UTF-32 units within a line."""

from __future__ import annotations

import re
from bisect import bisect_left

from lsprotocol import types

from unslant.core.types import Span
from unslant.report.positions import LineIndex

__all__ = ["Positions"]

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_ENDS = "\r\n"


class Positions:
    r"""The places of one text as a client counts them; lines end with ``\n``, ``\r\n`` or ``\r`` and nothing else."""

    __slots__ = ("_astral", "_encoding", "_lines", "_source")

    def __init__(self, source: str, encoding: str = "utf-16") -> None:
        """Count in ``utf-16``, ``utf-8`` or ``utf-32``."""
        self._source = source
        self._lines = LineIndex(source)
        plain = encoding == "utf-32" or source.isascii()
        self._encoding = "utf-32" if plain else encoding
        # where they are few, as in most texts, a column is found without reading its line again
        self._astral = (
            [match.start() for match in _ASTRAL.finditer(source)] if self._encoding == "utf-16" else []
        )

    def place(self, offset: int) -> types.Position:
        """Return the place of a code point."""
        line, column = self._lines.locate(offset)
        start = offset - column + 1
        if self._encoding == "utf-8":
            character = len(self._source[start:offset].encode("utf-8", "surrogatepass"))
        else:
            character = offset - start + bisect_left(self._astral, offset) - bisect_left(self._astral, start)
        return types.Position(line - 1, character)

    def range(self, span: Span) -> types.Range:
        """Return the place of a stretch."""
        return types.Range(self.place(span.start), self.place(span.end))

    def offset(self, position: types.Position) -> int:
        """Return the code point at a place; what lies behind the end of a line or text is its end.

        A place within a character is where that character begins.
        """
        if position.line >= len(self._lines):
            return len(self._source)
        start, end = self.line(position.line)
        if self._encoding == "utf-32":
            return min(start + position.character, end)
        left = position.character
        for offset in range(start, end):
            width = self._width(self._source[offset])
            if left < width:
                return offset
            left -= width
        return end

    def line(self, number: int) -> tuple[int, int]:
        """Return where a line begins and ends, its line end left out; lines are counted from 0."""
        start = self._lines.start(number + 1)
        last = number + 1 >= len(self._lines)
        end = len(self._source) if last else self._lines.start(number + 2)
        while not last and end > start and self._source[end - 1] in _ENDS:
            end -= 1
        return start, end

    def _width(self, char: str) -> int:
        if self._encoding == "utf-16":
            return 2 if char > "\uffff" else 1
        return len(char.encode("utf-8", "surrogatepass"))
