"""Tags, comments, declarations and character references of HTML, found in linear time for any input."""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from unslant.text.readers.masking import Hidden

__all__ = ["Mark", "Tag", "TagScanner", "attribute", "hide_entities"]

_NAME = re.compile(r"<(/?)([A-Za-z][^\s/<>]*)")
_STOP = re.compile(r"[>\"']")
_ATTRIBUTES = {
    name: re.compile(
        rf"[\s\"'/]{name}\s{{0,9}}=\s{{0,9}}(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE
    )
    for name in ("alt", "class", "role")
}


class Tag(NamedTuple):
    """Markup between angle brackets."""

    start: int
    end: int
    name: str
    """In lower case; ``!--`` for a comment, ``!`` for a declaration or processing instruction."""
    closing: bool = False
    empty: bool = False
    """Whether it ends in ``/>``."""


class TagScanner:
    """Finds the end of the markup at a ``<`` within a range of text.

    With ``known`` given, other names are text. A page may be broken in any way: what has failed once is
    remembered, so that it is not tried again from every following ``<``.
    """

    def __init__(self, text: str, start: int, stop: int, known: frozenset[str] | None = None) -> None:
        self._text = text
        self._stop = stop
        self._last = text.rfind(">", start, stop)
        self._quotes = {quote: text.rfind(quote, start, stop) for quote in "\"'"}
        self._loose = False
        self._known = known

    def at(self, start: int) -> Tag | None:
        """Return the markup that starts at the ``<`` at ``start``, or None if it is text."""
        text = self._text
        if text.startswith("<!--", start, self._stop):
            return Tag(start, self._comment_end(start + 4), "!--")
        if start > self._last:
            return None
        if self._known is None and text.startswith(("<!", "<?"), start):
            return Tag(start, self._after("]]>" if text.startswith("<![CDATA[", start) else ">", start), "!")
        match = _NAME.match(text, start, self._stop)
        if match is None:
            return None
        name = match.group(2).lower()
        if self._known is not None and name not in self._known:
            return None
        end = self._end(match.end())
        return Tag(start, end, name, bool(match.group(1)), text[end - 2] == "/")

    def _comment_end(self, start: int) -> int:
        for abrupt in (">", "->"):
            if self._text.startswith(abrupt, start, self._stop):
                return start + len(abrupt)
        return self._after("-->", start)

    def _after(self, mark: str, start: int) -> int:
        """Return where a closing mark ends; without one, the rest belongs to the markup, as in browsers."""
        found = self._text.find(mark, start, self._stop)
        return self._stop if found < 0 else found + len(mark)

    def _end(self, position: int) -> int:
        """Return where the tag ends: after the first ``>`` that is not inside a quoted value."""
        text, start = self._text, position
        while not self._loose:
            match = _STOP.search(text, position, self._stop)
            if match is None:
                self._loose = True
                break
            sign = match.group()
            if sign == ">":
                return match.end()
            quoted = text[match.start() - 1] in "= \t\r\n" and self._quotes[sign] > match.start()
            position = text.index(sign, match.end()) + 1 if quoted else match.end()
        return text.index(">", start, self._stop) + 1


def attribute(text: str, tag: Tag, name: str) -> tuple[int, int] | None:
    """Return the range of the value of ``alt``, ``class`` or ``role``, without quotes, or None."""
    match = _ATTRIBUTES[name].search(text, tag.start + 1 + len(tag.name), tag.end - 1)
    return match.span(match.lastindex or 0) if match else None


_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));")
# Word characters alone, and at most 64: an apostrophe may be the reference itself, and a search must stay short.
_WORD_AFTER = re.compile(r"\w{0,64}")
_WORD_BEFORE = re.compile(r"\w{1,64}\Z")
_QUOTES = '"“”„«»\u2039\u203a'
# An apostrophe or an invisible joiner is part of its word.
_JOINTS = "'\u2019\u00ad\u200b\u200c\u200d\u2060"


class Mark(NamedTuple):
    """A character reference for a quotation mark."""

    start: int
    end: int
    sign: str


def hide_entities(text: str, start: int, stop: int, hidden: Hidden) -> list[Mark]:
    """Blank the character references within ``[start, stop)``; return those for quotation marks.

    If a reference is a letter or an apostrophe inside a word, the whole word is blanked, because the rest would be
    another word. A dash or another sign leaves its semicolon, so that no term matches across it, and ``&amp;``
    leaves its ``&``.
    """
    marks: list[Mark] = []
    if text.find("&", start, stop) < 0:
        return marks
    for match in _REFERENCE.finditer(text, start, stop):
        sign = _character(match)
        if sign is None:
            continue
        first, last = match.span()
        if sign in _QUOTES:
            marks.append(Mark(first, last, sign))
        elif sign == "&":
            first += 1
        elif sign.isalnum() or sign in _JOINTS:
            first, last = _word(text, (first, last), (start, stop))
        elif not sign.isspace():
            last -= 1
        hidden.add(first, last)
    return marks


def _character(match: re.Match[str]) -> str | None:
    decimal, hexadecimal, name = match.groups()
    if name is not None:
        return html5.get(name + ";")
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(code) if 0 < code < 0x110000 else None


def _word(text: str, reference: tuple[int, int], bounds: tuple[int, int]) -> tuple[int, int]:
    first, last = reference
    before = _WORD_BEFORE.search(text[max(bounds[0], first - 64) : first])
    after = _WORD_AFTER.match(text, last, bounds[1])
    return first - (len(before.group()) if before else 0), after.end() if after else last
