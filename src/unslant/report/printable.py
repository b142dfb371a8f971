"""Text that is safe to show on a terminal, and how wide it is there."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# C0 and C1 controls could control the terminal, bidirectional overrides could change the order in which words
# appear, and lone surrogates cannot be encoded.
_UNSAFE = "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_UNSAFE_IN_JSON = "[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
_SPACES = "\t\n\r\x0b\x0c\x85\u2028\u2029"
_WIDE = ("W", "F")
_UNEVEN = re.compile(
    "[^\\x00-\\xac\\xae-\\u02ff\\u2013\\u2014\\u2018\\u2019\\u201c\\u201d\\u2022\\u2026\\u20ac]"
)
"""Everything except the letters before the first combining mark and common punctuation, which are one cell wide."""
_JAMO = range(0x1160, 0x1200)  # vowels and final consonants, drawn inside the syllable before them


def clean(text: str) -> str:
    """Return text of the same length in which control characters are visible symbols or spaces."""
    if text.isprintable():
        return text
    return re.sub(_UNSAFE, _replacement, text)


def clean_lines(text: str) -> str:
    """Return text with its line breaks, in which every other control character is a visible symbol or a space."""
    return text if text.isprintable() else "\n".join(map(clean, text.split("\n")))


def escape_json(text: str) -> str:
    """Return JSON in which everything that could control a terminal is escaped; its value stays the same."""
    return re.sub(_UNSAFE_IN_JSON, lambda match: f"\\u{ord(match[0]):04x}", text)


def _replacement(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SPACES:
        return " "
    if char < " ":
        return chr(0x2400 + ord(char))
    return "\u2421" if char == "\x7f" else "\ufffd"


def cells(text: str) -> int:
    """Return the width in terminal cells: two for wide characters, none for combining marks."""
    return len(text) if _plain(text) else sum(map(_cell, text))


def _plain(text: str) -> bool:
    """Return whether every character is certain to be one cell wide and left-to-right."""
    return text.isascii() or _UNEVEN.search(text) is None


@lru_cache(4096)
def _cell(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or ord(char) in _JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def runs_right_to_left(text: str) -> bool:
    """Return whether a terminal may reorder parts of the text, so that nothing can be aligned below it."""
    return not _plain(text) and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def shorten(text: str, room: int) -> str:
    """Return the start of the text in ``room`` cells, cut between words if possible and marked with ``…``."""
    if room <= 0 or cells(text) <= room:
        return text if room > 0 else ""
    kept = _take(text, room - 1)
    return f"{kept[: kept.rfind(' ') + 1] or kept}…"


def shorten_left(text: str, room: int) -> str:
    """Return the end of the text in ``room`` cells, cut between words if possible and marked with ``…``."""
    if room <= 0 or cells(text) <= room:
        return text if room > 0 else ""
    kept = _take(text[::-1], room - 1)[::-1]
    while kept and not _cell(kept[0]):  # combining marks whose letter did not fit
        kept = kept[1:]
    return f"…{kept[max(kept.find(' '), 0) :]}"


def _take(text: str, room: int) -> str:
    if text.isascii():
        return text[: max(room, 0)]
    used = 0
    for place, char in enumerate(text):
        used += _cell(char)
        if used > room:
            return text[:place]
    return text


@lru_cache(4096)
def wrap(text: str, room: int) -> tuple[str, ...]:
    """Break the text between words into lines of ``room`` cells; a longer word gets its own line."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and cells(longer) > room:
            lines.append(line)
            longer = word
        line = longer
    return (*lines, line)


def plural(number: int, noun: str) -> str:
    """Return a number with its noun: *1 edit*, *1,200 edits*."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
