"""What the readers share: collecting what is not prose, blanking it, and leaving out reference sections.

URLs and email addresses are found without backtracking.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from unslant.core.types import Span

_SIGNS = ("://", "www.", "@")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*\Z")
_LOCAL = re.compile(r"[\w.+%\-]+\Z")
_DOMAIN = re.compile(r"(?:[\w\-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w\-])")
_REST = re.compile(r"[^\s<>\"“”«»\x00]*")
_TRAILING = ".,;:!?'\u2019*_~…|]}"
# Schemes and mailboxes are short; a longer run of letters before the sign is something else.
_LONGEST_SCHEME, _LONGEST_LOCAL = 20, 64


def may_have_addresses(text: str) -> bool:
    """Return quickly whether the text could contain an address."""
    return any(sign in text for sign in _SIGNS)


def find_addresses(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the ranges of addresses, in order, without sentence-final punctuation."""
    stop = len(text) if end is None else end
    done = start
    for at, sign in _find_signs(text, start, stop):
        if at >= done:
            found = _address(text, at, sign, (done, stop))
            if found is not None:
                yield found
                done = found[1]


def _find_signs(text: str, start: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield where an address may be; ``str.find`` is many times faster here than one pattern."""
    ahead = [(at, sign) for sign in _SIGNS if (at := text.find(sign, start, stop)) >= 0]
    while ahead:
        at, sign = nearest = min(ahead)
        yield nearest
        ahead.remove(nearest)
        following = text.find(sign, at + len(sign), stop)
        if following >= 0:
            ahead.append((following, sign))


def _address(text: str, at: int, sign: str, bounds: tuple[int, int]) -> tuple[int, int] | None:
    done, stop = bounds
    after = at + len(sign)
    if sign == "@":
        local = _LOCAL.search(text[max(done, at - _LONGEST_LOCAL) : at])
        domain = _DOMAIN.match(text, after, stop)
        if local is None or domain is None:
            return None
        return at - len(local.group()), domain.end()
    first = at
    if sign == "://":
        scheme = _SCHEME.search(text[max(done, at - _LONGEST_SCHEME) : at])
        if scheme is None:
            return None
        first = at - len(scheme.group())
    elif at > done and text[at - 1].isalnum():
        return None
    rest = _REST.match(text, after, stop)
    last = _strip_trailing(text, after, rest.end() if rest else after)
    return (first, last) if last > after else None


def _strip_trailing(text: str, start: int, end: int) -> int:
    """Strip closing punctuation, and a closing bracket without an opening one in the address."""
    surplus = text.count(")", start, end) - text.count("(", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return end


Ranges = list[tuple[int, int]]
"""Half-open pairs in order."""

_SAME_LINE = re.compile(r"[^\r\n]+")


class ParsedMarkup(NamedTuple):
    """The result of parsing a source; see the ``Reader`` protocol for each field."""

    prose: str
    blocks: tuple[Span, ...] | None = None
    quotations: tuple[Span, ...] = ()
    comments: tuple[Span, ...] = ()
    hidden: tuple[Span, ...] = ()
    """Parts that are not prose but were not blanked, because copying a large text costs more than a few positions."""


class SingleParseReader(ABC):
    """A ``Reader`` whose methods all use ``parse``.

    Nothing is kept between calls; to get more than one of the results, call ``parse``.
    """

    @abstractmethod
    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup."""

    def mask(self, source: str) -> str:
        """Return text of the same length with everything that is not prose blanked."""
        return self.parse(source).prose

    def blocks(self, source: str) -> tuple[Span, ...] | None:
        """Return the blocks that no sentence crosses, in order; None if blank lines decide."""
        return self.parse(source).blocks

    def quotations(self, source: str) -> tuple[Span, ...]:
        """Return the quotations in the markup, in order."""
        return self.parse(source).quotations

    def comments(self, source: str) -> tuple[Span, ...]:
        """Return the comments, in order, delimiters included."""
        return self.parse(source).comments


class Hidden:
    """Ranges to blank, added in the order of their starts; overlapping ranges are joined."""

    def __init__(self) -> None:
        # Flat and packed: a large page has a million tags, and a tuple for each would need more memory than the page.
        self._flat = array("q")

    def add(self, start: int, end: int) -> None:
        """Hide ``[start, end)``; an empty range hides nothing."""
        flat = self._flat
        if flat and start <= flat[-1]:
            if end > flat[-1]:
                flat[-1] = end
        elif end > start:
            flat.append(start)
            flat.append(end)

    def blank(self, source: str) -> str:
        """Return the source with hidden ranges replaced by spaces, except line ends."""
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


def merge_ranges(ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Return the ranges in order as spans, with overlapping ranges joined."""
    out: Ranges = []
    for start, end in sorted(ranges):
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif end > start:
            out.append((start, end))
    return tuple(Span(start, end) for start, end in out)


def trim_ranges(prose: str, ranges: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    """Return the ranges without white space at their ends; blank ranges are dropped."""
    spans = []
    for start, end in ranges:
        text = prose[start:end].rstrip()
        lead = len(text) - len(text.lstrip())
        if text:
            spans.append(Span(start + lead, start + len(text)))
    return tuple(spans)


def to_hidden(hidden: Iterable[tuple[int, int]]) -> Hidden:
    """Return ordered ranges as ``Hidden``."""
    out = Hidden()
    for start, end in hidden:
        out.add(start, end)
    return out


def finish_parse(
    prose: str, sections: Ranges, blocks: Iterable[tuple[int, int]], quotations: Ranges, comments: Ranges
) -> ParsedMarkup:
    """Blank reference sections and addresses, and return the result."""
    prose = to_hidden(sections).blank(prose)
    if may_have_addresses(prose):
        prose = to_hidden(find_addresses(prose)).blank(prose)
    return ParsedMarkup(prose, trim_ranges(prose, blocks), merge_ranges(quotations), merge_ranges(comments))


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
    """Return whether a heading introduces a list of references; surrounding numbers and signs are ignored."""
    if len(title) > _LONGEST:
        return False
    words = " ".join(title.casefold().split())
    return words.strip("0123456789.:#*_ ()[]") in _TITLES


class Sections:
    """Tracks the headings of a document and collects reference sections."""

    def __init__(self, also: frozenset[str] = frozenset()) -> None:
        self.hidden: list[tuple[int, int]] = []
        self._also = also
        self._level = 0
        self._start = 0

    def heading(self, level: int, start: int, end: int, title: str) -> None:
        """Record a heading; a reference section lasts until a heading of the same or a higher level."""
        if self._level and level <= self._level:
            self.close(start)
        if not self._level and (is_reference_title(title) or title.strip().casefold() in self._also):
            self._level = level
            self._start = end

    def close(self, position: int) -> None:
        """End the current reference section, if any."""
        if self._level:
            self.hidden.append((self._start, max(position, self._start)))
            self._level = 0
