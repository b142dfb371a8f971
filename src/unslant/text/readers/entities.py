"""Character references such as ``&amp;``, which stand for a character that is not there to be read.

A reference is blanked. Where it stands for a letter or an apostrophe inside a word, the whole word is: what
would be left of it is another word. One that stands for a dash or another sign leaves its semicolon, so
that no term is matched across it, and ``&amp;`` leaves its ``&``.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from unslant.text.readers.masking import Hidden

__all__ = ["Mark", "hide_entities"]

_REFERENCE = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));")
_WORD_AFTER = re.compile(r"\w{0,64}")
_WORD_BEFORE = re.compile(r"\w{1,64}\Z")
_QUOTES = '"“”„«»\u2039\u203a'
# An apostrophe or an invisible joint is part of the word that it stands in.
_JOINTS = "'\u2019\u00ad\u200b\u200c\u200d\u2060"


class Mark(NamedTuple):
    """A reference that stands for a quotation mark."""

    start: int
    end: int
    sign: str


def hide_entities(text: str, start: int, stop: int, hidden: Hidden) -> list[Mark]:
    """Blank the references within ``[start, stop)``; return those that stand for quotation marks."""
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
