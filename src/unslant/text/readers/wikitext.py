"""MediaWiki wikitext: templates, tables, references and link targets are not prose."""

from __future__ import annotations

import re
from collections import deque

from unslant.text.readers.html import BLOCK_TAGS, Elements
from unslant.text.readers.masking import (
    Hidden,
    ParsedMarkup,
    Ranges,
    Sections,
    SingleParseReader,
    finish_parse,
    to_hidden,
)
from unslant.text.readers.wikitext_markup import hide_braces, hide_links

_RAW = frozenset(
    [
        *("categorytree", "ce", "chem", "gallery", "graph", "hiero", "imagemap", "inputbox", "mapframe"),
        *("maplink", "math", "nowiki", "pre", "ref", "references", "score", "source", "syntaxhighlight"),
        *("templatedata", "timeline"),
    ]
)
"""Elements that do not contain prose and are not parsed."""

_KNOWN = (
    _RAW
    | BLOCK_TAGS
    | frozenset(
        [
            *(
                "abbr",
                "b",
                "bdi",
                "bdo",
                "big",
                "br",
                "cite",
                "code",
                "data",
                "del",
                "dfn",
                "em",
                "font",
                "i",
            ),
            *(
                "includeonly",
                "indicator",
                "ins",
                "kbd",
                "mark",
                "noinclude",
                "onlyinclude",
                "poem",
                "q",
                "rb",
            ),
            *("rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "sup"),
            *("time", "tt", "u", "var", "wbr"),
        ]
    )
) - {"link", "meta", "title", "html", "head", "body"}
"""The tags that MediaWiki knows; anything else between angle brackets is text."""

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_MARKS = re.compile(r"[*#:;]+")
_BEHAVIOUR = re.compile(r"'{2,}|__[A-Z]{3,40}__|~{3,5}")
_REST_IS_BLANK = re.compile(r"[ \t]*(?=[\r\n]|\Z)")
_REDIRECT = re.compile(r"\s{0,99}#redirect\b", re.IGNORECASE)
_ALSO_REFERENCES = frozenset({"notes", "sources"})


class WikitextReader(SingleParseReader):
    """Reads wikitext as in the edit box of a page.

    Each pass works on text of the same length in which the one before has blanked what it knows: tags, then
    braces, then links, then lines.
    """

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup."""
        elements = Elements(source, raw=_RAW, known=_KNOWN)
        elements.feed(0, len(source))
        elements.finish()
        text = elements.hidden.blank(source)
        braces, quotations = hide_braces(text)
        text = to_hidden(braces).blank(text)
        links, files = hide_links(text)
        text = to_hidden(links).blank(text)
        lines = _WikitextLines(source, text, quotations)
        apart = [pair for pair in sorted(braces + quotations + files) if _is_apart(source, *pair)]
        boundaries = sorted(position for pair in elements.blocks + apart for position in pair)
        return finish_parse(
            lines.hidden.blank(text),
            sorted(lines.sections.hidden + elements.sections.hidden),
            _cut(lines.blocks, boundaries),
            elements.quotations + quotations,
            elements.comments,
        )


class _WikitextLines:
    """Parses the starts of lines: headings, lists, preformatted text, paragraphs."""

    def __init__(self, source: str, text: str, quotations: Ranges) -> None:
        self.hidden = Hidden()
        self.blocks: Ranges = []
        self.sections = Sections(_ALSO_REFERENCES)
        self._source = source
        self._text = text
        self._paragraph: tuple[int, int] | None = None
        self._quotations = deque(quotations)
        redirect = _REDIRECT.match(text)
        for match in _LINE.finditer(text):
            start, end = match.span(1)
            if redirect is not None and start < redirect.end():
                self.hidden.add(start, end)
            else:
                self._line(start, end)
        self._end_paragraph()
        self.sections.close(len(text))

    def _line(self, start: int, end: int) -> None:
        line = self._text[start:end]
        bare = line.strip()
        # Blank text may have been markup; the source tells whether a line is empty or starts with a space.
        if not bare:
            if not self._source[start:end].strip():
                self._end_paragraph()
        elif self._source[start] == " " and not self._is_quoted(start):
            self._end_paragraph()
            self.hidden.add(start, end)
        elif bare[0] == "=" and bare[-1] == "=" and len(bare) > 2:
            self._end_paragraph()
            self._heading(start, end, bare)
        elif marks := _MARKS.match(line):
            self._end_paragraph()
            self._read_item(start, end, marks.end())
        elif bare.startswith("----"):
            self._end_paragraph()
            self.hidden.add(start, end - len(line.lstrip().lstrip("-")))
            self.blocks.append((start, end))
        else:
            self._signs(start, end)
            self._paragraph = (self._paragraph[0] if self._paragraph else start, end)

    def _is_quoted(self, position: int) -> bool:
        while self._quotations and self._quotations[0][1] <= position:
            self._quotations.popleft()
        return bool(self._quotations) and self._quotations[0][0] < position

    def _end_paragraph(self) -> None:
        if self._paragraph is not None:
            self.blocks.append(self._paragraph)
        self._paragraph = None

    def _heading(self, start: int, end: int, bare: str) -> None:
        level = min(len(bare) - len(bare.lstrip("=")), len(bare) - len(bare.rstrip("=")), 6)
        first = self._text.index("=", start) + level
        last = self._text.rindex("=", start, end) + 1 - level
        self.hidden.add(start, first)
        if first < last:
            self._signs(first, last)
            self.blocks.append((first, last))
            self.sections.heading(level, start, end, self._text[first:last].replace("''", ""))
        self.hidden.add(last, end)

    def _read_item(self, start: int, end: int, width: int) -> None:
        """Process a list item; in ``; term : definition`` both parts are blocks."""
        self.hidden.add(start, start + width)
        colon = self._text.find(" : ", start, end) if self._text[start] == ";" else -1
        if colon >= 0:
            self._signs(start + width, colon)
            self.blocks.append((start, colon + 1))
            self.hidden.add(colon + 1, colon + 2)
            self._signs(colon + 2, end)
            self.blocks.append((colon + 2, end))
        else:
            self._signs(start + width, end)
            self.blocks.append((start, end))

    def _signs(self, start: int, end: int) -> None:
        for match in _BEHAVIOUR.finditer(self._text, start, end):
            self.hidden.add(*match.span())


def _is_apart(source: str, start: int, end: int) -> bool:
    """Return whether a template, table or image is on separate lines."""
    return (not start or source[start - 1] in "\r\n") and _REST_IS_BLANK.match(source, end) is not None


def _cut(blocks: Ranges, boundaries: list[int]) -> Ranges:
    """Return the blocks, split where there is a boundary inside one."""
    parts: Ranges = []
    ahead = deque(boundaries)
    for start, end in blocks:
        while ahead and ahead[0] < end:
            boundary = ahead.popleft()
            if boundary > start:
                parts.append((start, boundary))
                start = boundary
        parts.append((start, end))
    return parts
