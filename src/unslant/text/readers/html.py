"""HTML: text between tags is prose; code, tables, scripts, attributes and reference lists are not.

``Elements`` follows the elements through a text and records which are hidden, quoted, or end a block. The
HTML reader runs it over whole pages, the other readers over the HTML inside their own markup. Broken nesting
is handled roughly as browsers do: an end tag closes what is open inside it, and a block ends inline elements.
"""

from __future__ import annotations

import re

from unslant.text.readers.addresses import find_addresses
from unslant.text.readers.masking import (
    Hidden,
    ParsedMarkup,
    Ranges,
    Sections,
    SingleParseReader,
    finish_parse,
)
from unslant.text.readers.tags import Mark, Tag, TagScanner, attribute, hide_entities

__all__ = ["BLOCK_TAGS", "RAW_TAGS", "Elements", "HtmlReader"]

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
