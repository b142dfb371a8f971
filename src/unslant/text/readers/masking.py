"""What the readers share: collecting what is not prose, blanking it, and leaving out reference sections."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from unslant.core.types import Span
from unslant.text.readers.addresses import addresses, has_addresses

__all__ = [
    "Hidden",
    "ParsedMarkup",
    "Ranges",
    "Sections",
    "SingleParse",
    "finished",
    "is_reference_title",
    "merged",
    "pairs",
    "trimmed",
]

Ranges = list[tuple[int, int]]
"""Half-open pairs in order."""

_SAME_LINE = re.compile(r"[^\r\n]+")


class ParsedMarkup(NamedTuple):
    """What one parse of a source tells; see the ``Reader`` protocol for each field."""

    prose: str
    blocks: tuple[Span, ...] | None = None
    quotations: tuple[Span, ...] = ()
    comments: tuple[Span, ...] = ()
    hidden: tuple[Span, ...] = ()
    """What is no prose and yet was not blanked, because a copy of a large text costs more than a few positions."""


class SingleParse(ABC):
    """The ``Reader`` protocol in terms of one parse.

    Nothing is kept between calls: who needs more than one of the four calls ``parse``.
    """

    @abstractmethod
    def parse(self, source: str) -> ParsedMarkup:
        """Return all that the markup tells."""

    def mask(self, source: str) -> str:
        """Return text of the same length with everything that is not prose blanked."""
        return self.parse(source).prose

    def blocks(self, source: str) -> tuple[Span, ...] | None:
        """Return the stretches that no sentence crosses, in order; None: blank lines decide."""
        return self.parse(source).blocks

    def quotations(self, source: str) -> tuple[Span, ...]:
        """Return what the markup itself says is quoted, in order."""
        return self.parse(source).quotations

    def comments(self, source: str) -> tuple[Span, ...]:
        """Return the comments, in order, delimiters included."""
        return self.parse(source).comments


class Hidden:
    """Stretches to be blanked, added in the order of their starts; what overlaps is joined."""

    def __init__(self) -> None:
        # Flat and packed: a large page has a million tags, and a tuple for each would outweigh the page.
        self._flat = array("q")

    def add(self, start: int, end: int) -> None:
        """Hide ``[start, end)``; an empty stretch hides nothing."""
        flat = self._flat
        if flat and start <= flat[-1]:
            if end > flat[-1]:
                flat[-1] = end
        elif end > start:
            flat.append(start)
            flat.append(end)

    def blank(self, source: str) -> str:
        """Return the source with spaces for what is hidden, line ends kept; itself if nothing is."""
        if not self._flat:
            return source
        parts = []
        done = 0
        for start, end in self:
            parts.append(source[done:start])
            parts.append(_SAME_LINE.sub(_spaces, source[start:end]))
            done = end
        parts.append(source[done:])
        return "".join(parts)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        ends = iter(self._flat)
        return zip(ends, ends, strict=True)


def _spaces(match: re.Match[str]) -> str:
    return " " * (match.end() - match.start())


def merged(ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Return the ranges in order as spans, those that overlap joined into one."""
    out: Ranges = []
    for start, end in sorted(ranges):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif end > start:
            out.append((start, end))
    return tuple(Span(start, end) for start, end in out)


def trimmed(prose: str, ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Return the ranges without the white space at their ends; blank ones are left out."""
    spans = []
    for start, end in ranges:
        text = prose[start:end].rstrip()
        lead = len(text) - len(text.lstrip())
        if text:
            spans.append(Span(start + lead, start + len(text)))
    return tuple(spans)


def pairs(hidden: Iterable[tuple[int, int]]) -> Hidden:
    """Return ordered pairs as stretches to be blanked."""
    out = Hidden()
    for start, end in hidden:
        out.add(start, end)
    return out


def finished(
    prose: str, sections: Ranges, blocks: Iterable[tuple[int, int]], quotations: Ranges, comments: Ranges
) -> ParsedMarkup:
    """Blank reference sections and addresses, and put what was found into its final form."""
    prose = pairs(sections).blank(prose)
    if has_addresses(prose):
        prose = pairs(addresses(prose)).blank(prose)
    return ParsedMarkup(prose, trimmed(prose, blocks), merged(quotations), merged(comments))


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
