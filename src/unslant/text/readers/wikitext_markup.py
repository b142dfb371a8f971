"""Templates, tables and links of wikitext.

Templates and tables are matched with one stack, so nesting depth costs nothing. Of a link, the words that a
reader of the page sees stay; targets and options are hidden.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from unslant.text.readers.masking import Ranges

_BRACE_SIGN = re.compile(
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
class _OpenBrace:
    start: int
    width: int
    """The number of open braces, or ``_TABLE`` or ``_LINK``."""
    bars: list[int] = field(default_factory=list)


class _Node(NamedTuple):
    start: int
    end: int
    shown: tuple[int, int] | None = None
    """The quotation inside, which stays visible."""


def hide_braces(text: str) -> tuple[Ranges, Ranges]:
    """Return the ranges that templates and tables hide, in order, and the quotations in templates.

    Braces that are not matched are hidden themselves, what follows them is not.
    """
    scanner = _BraceScanner(text)
    for match in _BRACE_SIGN.finditer(text):
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


class _BraceScanner:
    """The stack of open markup; it includes links, because their bars do not belong to the enclosing template."""

    def __init__(self, text: str) -> None:
        self.nodes: list[_Node] = []
        self._text = text
        self._stack: list[_OpenBrace] = []
        self._tables = 0

    def open(self, start: int, width: int) -> None:
        self._stack.append(_OpenBrace(start, width))
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
            # A link that is not closed inside a template is not a link.
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
                self._stack.append(_OpenBrace(opening.start, opening.width - width))
            elif opening.width > width:
                self.nodes.append(_Node(opening.start, opening.start + 1))
        if end > start:
            self.nodes.append(_Node(start, end))

    def hide_unmatched(self) -> None:
        """Hide unmatched braces."""
        while self._stack:
            self._pop()

    def _pop(self) -> _OpenBrace:
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
            shown = self._quotation(bars, end - 2) if name in _QUOTING else None
        self.nodes.append(_Node(start, end, shown))

    def _quotation(self, bars: list[int], end: int) -> tuple[int, int] | None:
        """Return the parameter with the quotation: the first one without a name, or the one with a matching name."""
        for bar, following in zip(bars, [*bars[1:], end], strict=True):
            named = _QUOTED.match(self._text, bar + 1, following)
            begin = named.end() if named is not None else bar + 1
            has_name = named is not None and named.group().endswith("=")
            if has_name or not _NAMED.match(self._text, bar + 1, following):
                return (begin, following) if begin < following else None
        return None


def _visible_quotations(nodes: list[_Node]) -> tuple[Ranges, Ranges]:
    """Return the hidden ranges and the quotations; a quotation inside a hidden range stays hidden."""
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


_LINK_SIGN = re.compile(r"\[\[|\[(?=[A-Za-z]{3,10}:|//)|\]+|\||(?:\r\n|\r|\n)[ \t]*(?=[\r\n])")
_ADDRESS = re.compile(r"\[(?:(?:https?|ftps?|irc|git|news|gopher)://|mailto:|//)[^\s\[\]]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,8})?")
_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|cent(?:er|re)|none|upright|baseline|sub|super|top"
    r"|text-top|middle|bottom|text-bottom|[0-9]{0,5}(?:x[0-9]{1,5})?\s?px|(?:link|page|class|lang|thumb|upright)\s*=.*)\s*",
    re.IGNORECASE | re.DOTALL,
)
_ALTERNATIVE = re.compile(r"\s*alt\s*=")
_FILE = re.compile(r"\[\[\s{0,9}(?:file|image|media)\s{0,9}:", re.IGNORECASE)
# A file does not have more options than this; the rest is its caption.
_BARS = 50


class _OpenLink(NamedTuple):
    start: int
    address_end: int
    """Where the address of an external link ends; 0 for an internal one."""
    bars: list[int]


def hide_links(text: str) -> tuple[Ranges, Ranges]:
    """Return the ranges that links hide, ordered by start and possibly nested, and the ranges of images."""
    found: Ranges = []
    files: Ranges = []
    stack: list[_OpenLink] = []
    for match in _LINK_SIGN.finditer(text):
        sign = match.group()
        at = match.start()
        if sign == "[[":
            stack.append(_OpenLink(at, 0, []))
        elif sign == "[":
            address = _ADDRESS.match(text, at)
            if address is not None:
                stack.append(_OpenLink(at, address.end(), []))
        elif sign == "|":
            if stack and not stack[-1].address_end and len(stack[-1].bars) < _BARS:
                stack[-1].bars.append(at)
        elif sign[0] == "]":
            _close(text, (at, match.end()), stack, (found, files))
        else:
            stack.clear()
    found.sort()
    return found, files


def _close(text: str, run: tuple[int, int], stack: list[_OpenLink], out: tuple[Ranges, Ranges]) -> None:
    """Match a run of closing brackets: one for an external link, two for an internal one."""
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


def _inside(text: str, link: _OpenLink, at: int) -> Ranges:
    """Return the ranges that ``[[...]]`` hides, given the position of its closing brackets."""
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
    """Return the ranges of a file's alternative text and caption: the last part that is not an option."""
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
