"""From offsets to the lines and columns that people and editors count in."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

__all__ = ["LineIndex"]


class LineIndex:
    r"""Where the lines of a source begin: built once in linear time, asked in logarithmic time.

    A line ends with ``\n``, ``\r\n`` or ``\r``, each counted as one end; no other character ends a line.
    """

    __slots__ = ("_starts",)

    def __init__(self, source: str) -> None:
        ends = "\r\n?|\n" if "\r" in source else "\n"
        self._starts = array("Q", [0])
        self._starts.extend(match.end() for match in re.finditer(ends, source))

    def __len__(self) -> int:
        """Return how many lines there are; a source that ends with a line end has an empty last line."""
        return len(self._starts)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a code point, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start(self, line: int) -> int:
        """Return the offset at which a line begins, lines counted from 1."""
        return self._starts[line - 1]
