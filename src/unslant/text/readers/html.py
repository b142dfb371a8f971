"""HTML: text between tags is prose; code, tables, scripts, attributes and reference lists are not.

``Elements`` follows the elements through a text and records which are hidden, quoted, or end a block. The
HTML reader runs it over whole pages, the other readers over the HTML inside their own markup. Broken nesting
is handled roughly as browsers do: an end tag closes what is open inside it, and a block ends inline elements.
Tags, comments, declarations and character references are found in linear time for any input.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import NamedTuple

from unslant.text.readers.masking import (
    Hidden,
    ParsedMarkup,
    Ranges,
    Sections,
    SingleParseReader,
    find_addresses,
    finish_parse,
)

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


_SECTIONING = frozenset({"article", "aside", "body", "main", "section"})

BLOCK_TAGS = _SECTIONING | frozenset(
    [
        *(
            "address",
            "blockquote",
            "button",
            "caption",
            "center",
            "col",
            "colgroup",
            "dd",
            "details",
            "dialog",
        ),
        *(
            "dir",
            "div",
            "dl",
            "dt",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "frame",
            "frameset",
        ),
        *("h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "legend"),
        *(
            "li",
            "link",
            "menu",
            "menuitem",
            "meta",
            "nav",
            "noframes",
            "noscript",
            "ol",
            "optgroup",
            "option",
        ),
        *("p", "param", "pre", "search", "select", "source", "summary", "table", "tbody", "td", "template"),
        *("textarea", "tfoot", "th", "thead", "title", "tr", "track", "ul"),
    ]
)
"""Elements that no sentence crosses."""

RAW_TAGS = frozenset({"iframe", "noembed", "noframes", "script", "style", "textarea", "xmp"})
"""Elements whose content is not parsed: only their end tag ends them."""

_HIDDEN_INLINE = frozenset({"code", "kbd", "samp", "tt", "var"})
_HIDDEN = _HIDDEN_INLINE | frozenset(
    ["audio", "canvas", "datalist", "math", "object", "pre", "select", "svg", "table", "template", "video"]
)
_QUOTING = frozenset({"blockquote", "q"})
_INLINE = _HIDDEN_INLINE | {"q"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_REFERENCE_CLASSES = frozenset(
    {"references", "reflist", "footnotes", "bibliography", "doc-bibliography", "doc-endnotes"}
)
_NOT_IN_ADDRESS = re.compile(r"&(?!amp;)#?[A-Za-z0-9]{2,8};?")
_CLOSES = {'"': '"', "“": "”", "„": "“”", "«": "»", "\u2039": "\u203a"}


class Elements:
    """Collects what the tags of a text hide, quote and separate; ``feed`` it range by range, in order.

    ``raw`` elements are hidden unparsed; with ``known`` given, other names are text.
    """

    def __init__(
        self,
        text: str,
        *,
        raw: frozenset[str] = RAW_TAGS,
        known: frozenset[str] | None = None,
        addresses: bool = False,
    ) -> None:
        self.text = text
        self.hidden = Hidden()
        self.blocks: Ranges = []
        self.quotations: Ranges = []
        self.comments: Ranges = []
        self.sections = Sections()
        self._raw = raw
        self._known = known
        self._addresses = addresses
        self._open: list[tuple[str, int]] = []
        self._count: dict[str, int] = {}
        self._hiding = 0
        self._block = 0
        self._quote: Mark | None = None
        self._heading: tuple[int, int] | None = None
        self._unclosed: set[str] = set()

    def feed(self, start: int, stop: int) -> None:
        """Read ``[start, stop)``; no tag crosses its ends."""
        text = self.text
        tags = TagScanner(text, start, stop, self._known)
        done = position = start
        while (at := text.find("<", position, stop)) >= 0:
            tag = tags.at(at)
            if tag is None:
                position = at + 1
                continue
            self._content(done, at)
            done = position = self._tag(tag, stop)
        self._content(done, stop)

    def end_block(self, position: int) -> None:
        """End the current block and its inline elements."""
        while self._open and self._open[-1][0] in _INLINE:
            self._pop(position)
        self._quote = None
        if position > self._block:
            self.blocks.append((self._block, position))
        self._block = position

    def finish(self) -> None:
        """End everything that is still open."""
        end = len(self.text)
        while self._open:
            self._pop(end)
        self.end_block(end)
        self.sections.close(end)

    def _content(self, start: int, stop: int) -> None:
        if self._hiding:
            self.hidden.add(start, stop)
            return
        if self._addresses and self.text.find("://", start, stop) >= 0:
            # Before the character references, or an ``&amp;`` would end the address.
            for first, last in find_addresses(self.text, start, stop):
                inner = _NOT_IN_ADDRESS.search(self.text, first, last)
                self._running_text(start, first)
                start = inner.start() if inner else last
                self.hidden.add(first, start)
        self._running_text(start, stop)

    def _running_text(self, start: int, stop: int) -> None:
        for mark in hide_entities(self.text, start, stop, self.hidden):
            if self._quote is None:
                self._quote = mark if mark.sign in _CLOSES else None
            elif mark.sign in _CLOSES[self._quote.sign]:
                self.quotations.append((self._quote.start, mark.end))
                self._quote = None

    def _tag(self, tag: Tag, stop: int) -> int:
        """Process a tag; return where the text continues."""
        name = tag.name
        if name == "!--":
            self.comments.append((tag.start, tag.end))
        if name in BLOCK_TAGS:
            self.end_block(tag.start)
            self._block = tag.end
        if name in self._raw and not tag.closing and not tag.empty:
            end = self._raw_end(tag, stop)
            self.hidden.add(tag.start, end)
            return end
        alternative = attribute(self.text, tag, "alt") if name == "img" and not self._hiding else None
        if alternative:
            self.hidden.add(tag.start, alternative[0])
            hide_entities(self.text, *alternative, self.hidden)
            self.hidden.add(alternative[1], tag.end)
        else:
            self.hidden.add(tag.start, tag.end)
        self._nest(tag)
        return tag.end

    def _nest(self, tag: Tag) -> None:
        name = tag.name
        if name in _HEADINGS:
            self._head(tag)
        elif tag.closing and name in _SECTIONING:
            self.sections.close(tag.start)
        if tag.closing:
            if self._count.get(name):
                self._close(tag)
        elif name in _HIDDEN or name in _QUOTING or self._is_reference_list(tag):
            if not tag.empty:
                self._push(tag)
        elif self._count.get(name):
            # The same element nested in a tracked one: its end tag must not end the outer one.
            self._push(tag)

    def _head(self, tag: Tag) -> None:
        if not tag.closing:
            self._heading = (tag.start, tag.end)
        elif self._heading is not None:
            start, inner = self._heading
            self.sections.heading(_HEADINGS[tag.name], start, tag.end, _words(self.text, inner, tag.start))
            self._heading = None

    def _is_reference_list(self, tag: Tag) -> bool:
        if tag.name not in ("ol", "ul", "div", "section", "sup"):
            return False
        for name in ("class", "role"):
            value = attribute(self.text, tag, name)
            if value is not None and value[1] - value[0] < 200:
                words = set(self.text[value[0] : value[1]].lower().split())
                if words & _REFERENCE_CLASSES or (tag.name == "sup" and "reference" in words):
                    return True
        return False

    def _push(self, tag: Tag) -> None:
        self._open.append((tag.name, tag.start))
        self._count[tag.name] = self._count.get(tag.name, 0) + 1
        self._hiding += tag.name not in _QUOTING

    def _pop(self, end: int) -> str:
        name, start = self._open.pop()
        self._count[name] -= 1
        self._hiding -= name not in _QUOTING
        if name in _QUOTING:
            self.quotations.append((start, end))
        return name

    def _close(self, tag: Tag) -> None:
        while self._pop(tag.end if self._open[-1][0] == tag.name else tag.start) != tag.name:
            pass

    def _raw_end(self, tag: Tag, stop: int) -> int:
        """Return where a raw element ends; an unclosed one extends to the end of the range."""
        if tag.name in self._unclosed:
            return tag.end
        match = re.compile(rf"</{re.escape(tag.name)}(?![\w\-])[^<>]*>", re.IGNORECASE).search(
            self.text, tag.end, stop
        )
        if match is not None:
            return match.end()
        if self._known is None:
            return stop
        self._unclosed.add(tag.name)
        return tag.end


def _words(text: str, start: int, end: int) -> str:
    """Return a heading's words without its tags; nothing if it is too long for a heading."""
    return re.sub(r"<[^<>]*>", " ", text[start:end]) if end - start < 400 else ""


class HtmlReader(SingleParseReader):
    """Reads pages and fragments, well formed or not."""

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the tags."""
        elements = Elements(source, addresses=True)
        elements.feed(0, len(source))
        elements.finish()
        prose = elements.hidden.blank(source)
        return finish_parse(
            prose, elements.sections.hidden, elements.blocks, elements.quotations, elements.comments
        )
