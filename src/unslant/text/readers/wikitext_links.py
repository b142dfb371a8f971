"""Links of wikitext: the words that a reader of the page sees stay, targets and options go."""

from __future__ import annotations

import re
from typing import NamedTuple

from unslant.text.readers.masking import Ranges

__all__ = ["hide_links"]

_SIGN = re.compile(r"\[\[|\[(?=[A-Za-z]{3,10}:|//)|\]+|\||(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_ADDRESS = re.compile(r"\[(?:(?:https?|ftps?|irc|git|news|gopher)://|mailto:|//)[^\s\[\]]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8})?")
_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|cent(?:er|re)|none|upright|baseline|sub|super|top"
    r"|text-top|middle|bottom|text-bottom|[0-9]{0,5}(?:x[0-9]{1,5})?\s?px|(?:link|page|class|lang|thumb|upright)\s*=.*)\s*",
    re.IGNORECASE | re.DOTALL,
)
_ALTERNATIVE = re.compile(r"\s*alt\s*=")
_FILE = re.compile(r"\[\[\s{0,9}(?:file|image|media)\s{0,9}:", re.IGNORECASE)
# A longer list of options is not a file's; the rest is taken as its caption.
_BARS = 50


class _Open(NamedTuple):
    start: int
    address_end: int
    """Where the address of an outside link ends; 0 for an inside one."""
    bars: list[int]


def hide_links(text: str) -> tuple[Ranges, Ranges]:
    """Return what links hide, ordered by start and maybe one inside another, and where pictures stand."""
    found: Ranges = []
    files: Ranges = []
    stack: list[_Open] = []
    for match in _SIGN.finditer(text):
        sign = match.group()
        at = match.start()
        if sign == "[[":
            stack.append(_Open(at, 0, []))
        elif sign == "[":
            address = _ADDRESS.match(text, at)
            if address is not None:
                stack.append(_Open(at, address.end(), []))
        elif sign == "|":
            if stack and not stack[-1].address_end and len(stack[-1].bars) < _BARS:
                stack[-1].bars.append(at)
        elif sign[0] == "]":
            _close(text, (at, match.end()), stack, (found, files))
        else:
            stack.clear()
    found.sort()
    return found, files


def _close(text: str, run: tuple[int, int], stack: list[_Open], out: tuple[Ranges, Ranges]) -> None:
    """Match a run of closing brackets, one for an outside link, two for an inside one."""
    at, end = run
    found, files = out
    while stack and at < end:
        opening = stack[-1]
        if opening.address_end:
            found += [(opening.start, opening.address_end), (at, at + 1)]
            at += 1
        elif end - at >= 2:
            found += _inside(text, opening, at)
            if _FILE.match(text, opening.start):
                files.append((opening.start, at + 2))
            at += 2
        else:
            return
        stack.pop()


def _inside(text: str, link: _Open, at: int) -> Ranges:
    """Return what ``[[...]]`` hides, given where its closing brackets stand."""
    start, bars = link.start, link.bars
    target = text[start + 2 : min(bars[0] if bars else at, start + 80)]
    prefix, colon, _ = target.partition(":")
    kind = prefix.strip().lower() if colon else ""
    if _FILE.match(text, start):
        return _around(start, at + 2, _captions(text, bars, at))
    if kind == "category" or (not bars and colon and _LANGUAGE.fullmatch(prefix)):
        return [(start, at + 2)]
    return _around(start, at + 2, [(bars[0] + 1 if bars else start + 2, at)])


def _captions(text: str, bars: list[int], at: int) -> Ranges:
    """Return where a file's alternative text and its caption, the last part that is no option, stand."""
    shown: Ranges = []
    parts = list(zip([bar + 1 for bar in bars], [*bars[1:], at], strict=True))
    for number, (start, end) in enumerate(parts, 1):
        alternative = _ALTERNATIVE.match(text, start, end)
        if alternative is not None:
            shown.append((alternative.end(), end))
        elif number == len(parts) and not _OPTION.fullmatch(text, start, end):
            shown.append((start, end))
    return shown


def _around(start: int, end: int, shown: Ranges) -> Ranges:
    hidden = []
    for first, last in shown:
        hidden.append((start, first))
        start = last
    return [*hidden, (start, end)]
