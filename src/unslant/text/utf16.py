"""Offsets for clients that count UTF-16 code units, as Java, JavaScript and most editors do."""

from __future__ import annotations

import re
from bisect import bisect_left

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16Offsets:
    """Converts offsets in one text from code points to UTF-16 code units."""

    __slots__ = ("_astral",)

    def __init__(self, text: str) -> None:
        # most texts have few such characters, so an offset is found without reading the text again
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def units(self, offset: int) -> int:
        """Return how many code units precede this code point."""
        return offset + bisect_left(self._astral, offset)
