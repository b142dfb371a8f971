"""Templates and tables of wikitext: matched with one stack, so that depth costs nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from unslant.text.readers.masking import Ranges

__all__ = ["hide_braces"]

_SIGN = re.compile(
    r"\{\{+|\}\}+|\[\[|\]\]|(?:^|(?<=[\r\n]))[ \t:]{0,40}\{\||(?:^|(?<=[\r\n]))[ \t]{0,40}\|\}(?!\})|\|"
)
_QUOTING = frozenset(
    [
        *("blockquote", "bquote", "centered pull quote", "cquote", "poem quote", "poemquote", "pull quote"),
        *(
            "quotation",
            "quote",
            "quote box",
            "quotebox",
            "rquote",
            "talk quote",
            "tq",
            "tq2",
            "tqb",
            "verse quote",
        ),
    ]
)
_QUOTED = re.compile(r"\s*(?:(?:1|text|quote|content)\s*=)?")
_NAMED = re.compile(r"\s{0,40}[^\s=<>\[\]|{}][^=<>\[\]|{}\r\n]{0,40}=")


_TABLE, _LINK = 0, -1


@dataclass(slots=True)
class _Open:
    start: int
    width: int
    """The braces that wait for their counterpart, or ``_TABLE`` or ``_LINK``."""
    bars: list[int] = field(default_factory=list)


class _Node(NamedTuple):
    start: int
    end: int
    shown: tuple[int, int] | None = None
    """The quotation in it, which stays visible."""


def hide_braces(text: str) -> tuple[Ranges, Ranges]:
    """Return what templates and tables hide, in order, and what templates say is quoted.

    Braces that are not matched are hidden themselves, what follows them is not.
    """
    scanner = _Scanner(text)
    for match in _SIGN.finditer(text):
        sign = match.group()
        if sign == "|":
            scanner.bar(match.start())
        elif sign == "[[":
            scanner.open(match.start(), _LINK)
        elif sign.endswith("{|"):
            scanner.open(match.start(), _TABLE)
        elif sign == "]]":
            scanner.close_link()
        elif sign.endswith("|}"):
            scanner.close_table(match.end())
        elif sign[0] == "{":
            scanner.open(match.start(), len(sign))
        else:
            scanner.close_braces(match.start(), match.end())
    scanner.hide_unmatched()
    return _visible_quotations(scanner.nodes)


class _Scanner:
    """The stack of what is open; links are on it because their bars do not belong to the template around."""

    def __init__(self, text: str) -> None:
        self.nodes: list[_Node] = []
        self._text = text
        self._stack: list[_Open] = []
        self._tables = 0

    def open(self, start: int, width: int) -> None:
        self._stack.append(_Open(start, width))
        self._tables += width == _TABLE

    def bar(self, position: int) -> None:
        if self._stack and self._stack[-1].width > 0 and len(self._stack[-1].bars) < 100:
            self._stack[-1].bars.append(position)

    def close_link(self) -> None:
        if self._stack and self._stack[-1].width == _LINK:
            self._stack.pop()

    def close_table(self, end: int) -> None:
        if not self._tables:
            return
        while (opening := self._pop()).width != _TABLE:
            pass
        self.nodes.append(_Node(opening.start, end))

    def close_braces(self, start: int, end: int) -> None:
        """Match closing braces with opening ones, three for a parameter, two for a template."""
        while end - start >= 2:
            # A link that is still open inside a template was never one.
            while self._stack and self._stack[-1].width == _LINK:
                self._stack.pop()
            if not self._stack or self._stack[-1].width == _TABLE:
                break
            opening = self._stack[-1]
            width = min(opening.width, end - start, 3)
            self._template(opening.start + opening.width - width, start + width, width, opening.bars)
            start += width
            self._stack.pop()
            if opening.width - width >= 2:
                self._stack.append(_Open(opening.start, opening.width - width))
            elif opening.width > width:
                self.nodes.append(_Node(opening.start, opening.start + 1))
        if end > start:
            self.nodes.append(_Node(start, end))

    def hide_unmatched(self) -> None:
        """Hide the braces themselves of what was never closed."""
        while self._stack:
            self._pop()

    def _pop(self) -> _Open:
        opening = self._stack.pop()
        self._tables -= opening.width == _TABLE
        if opening.width != _LINK:
            line = self._text.find("{", opening.start)
            self.nodes.append(_Node(line, line + max(opening.width, 2)))
        return opening

    def _template(self, start: int, end: int, width: int, bars: list[int]) -> None:
        shown = None
        if width == 2 and bars and bars[0] - start < 60:
            name = self._text[start + 2 : bars[0]].replace("_", " ").strip().lower()
            shown = self._quoted(bars, end - 2) if name in _QUOTING else None
        self.nodes.append(_Node(start, end, shown))

    def _quoted(self, bars: list[int], end: int) -> tuple[int, int] | None:
        """Return the parameter with the quotation: the first without a name, or the one that is named so."""
        for bar, following in zip(bars, [*bars[1:], end], strict=True):
            named = _QUOTED.match(self._text, bar + 1, following)
            begin = named.end() if named is not None else bar + 1
            has_name = named is not None and named.group().endswith("=")
            if has_name or not _NAMED.match(self._text, bar + 1, following):
                return (begin, following) if begin < following else None
        return None


def _visible_quotations(nodes: list[_Node]) -> tuple[Ranges, Ranges]:
    """Return what is hidden and what is quoted: a quotation inside something hidden stays hidden with it."""
    hidden: Ranges = []
    quotations: Ranges = []
    tails: Ranges = []
    skip = 0
    for start, end, shown in sorted(nodes, key=lambda node: (node.start, -node.end)):
        while tails and tails[-1][0] <= start:
            hidden.append(tails.pop())
            skip = max(skip, hidden[-1][1])
        if start < skip:
            continue
        if shown is None:
            hidden.append((start, end))
            skip = end
        else:
            hidden.append((start, shown[0]))
            tails.append((shown[1], end))
            quotations.append((start, end))
            skip = shown[0]
    hidden += reversed(tails)
    return hidden, quotations
