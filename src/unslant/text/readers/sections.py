"""Sections that list references: not prose, whatever format they are written in."""

from __future__ import annotations

__all__ = ["Sections", "is_reference_title"]

_TITLES = frozenset(
    {
        "bibliography",
        "citations",
        "endnotes",
        "external links",
        "footnotes",
        "further reading",
        "literature cited",
        "notes and references",
        "reference list",
        "references",
        "references and notes",
        "references cited",
        "works cited",
    }
)
_LONGEST = 60


def is_reference_title(title: str) -> bool:
    """Say whether a heading announces a list of references; numbers and signs around it do not count."""
    if len(title) > _LONGEST:
        return False
    words = " ".join(title.casefold().split())
    return words.strip("0123456789.:#*_ ()[]") in _TITLES


class Sections:
    """Follows the headings of a document and collects the stretches under reference headings."""

    def __init__(self, also: frozenset[str] = frozenset()) -> None:
        self.hidden: list[tuple[int, int]] = []
        self._also = also
        self._level = 0
        self._start = 0

    def heading(self, level: int, start: int, end: int, title: str) -> None:
        """Note a heading; a reference section lasts until a heading of its level or above."""
        if self._level and level <= self._level:
            self.close(start)
        if not self._level and (is_reference_title(title) or title.strip().casefold() in self._also):
            self._level = level
            self._start = end

    def close(self, position: int) -> None:
        """End the reference section that is open, if any."""
        if self._level:
            self.hidden.append((self._start, max(position, self._start)))
            self._level = 0
