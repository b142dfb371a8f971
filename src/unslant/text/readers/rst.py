"""reStructuredText: paragraphs, headings, lists and admonitions are prose; code, directives and targets are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unslant.text.readers.line_markup import Line, LineReader, LineScanner

_PROSE_DIRECTIVES = frozenset(
    "admonition attention caution centered compound container danger deprecated error figure glossary hint important "
    "note rubric seealso sidebar tip todo topic versionadded versionchanged warning".split()
)
_QUOTES = frozenset(("epigraph", "highlights", "pull-quote"))
_TITLED = frozenset(("admonition", "centered", "rubric", "sidebar", "topic"))
"""Directives whose argument is prose."""
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_SIMPLE_TABLE = re.compile(r"(?:={2,}[ ]+)+={2,}[ \t]*$")
_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+[ \t]*$")
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|\n]{1,99}\|[ \t]+)?([A-Za-z][\w:.+\-]*)::(?:[ \t]+|$)")
_FOOTNOTE = re.compile(r"[ \t]*\.\.[ \t]+\[(?:\d{1,6}|#[\w\-]{0,40}|\*|[A-Za-z][\w.\-]{0,40})\](?:[ \t]+|$)")
_EXPLICIT = re.compile(r"[ \t]*\.\.(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|\(?(?:\d{1,9}|#|[A-Za-z])[.)])[ \t]+")
_FIELD = re.compile(r"[ \t]*:[^:\s`][^:\n`]{0,60}:(?=[ \t]|$)")
_MARK = re.compile(r"[`*|:\[_]")
_ANY = r"(?:[^`\n]|\n(?![ \t]{0,80}\n))"
"""A character of inline markup, which goes on over the end of a line, but not of a paragraph."""
_WORD = r"(?:[^`<>\n]|\n(?![ \t]{0,80}\n))"
_INLINE = re.compile(
    rf"(``{_ANY}{{1,300}}``)"
    rf"|(:[a-z][\w:+.\-]{{0,40}}:`){_WORD}{{0,200}}(<{_WORD}{{1,300}}>`)"
    rf"|(:(?:abbr|dfn|emphasis|strong|sub|subscript|sup|superscript|term|title):`){_ANY}{{1,300}}(`)"
    rf"|(:[a-z][\w:+.\-]{{0,40}}:`{_ANY}{{1,300}}`)"
    rf"|(`){_WORD}{{1,200}}(<{_WORD}{{1,300}}>`__?)"
    rf"|(`){_ANY}{{1,300}}(`__?)"
    rf"|(`{_ANY}{{1,300}}`)"
    r"|(\|[^|\s][^|\n]{0,60}\|_{0,2})"
    r"|(\[(?:\d{1,6}|#[\w\-]{0,40}|\*|[A-Za-z][\w\-]{0,40})\]_)"
    r"|(?<=[A-Za-z0-9])(__?)(?=[\s.,;:!?)\]'\"]|$)"
    r"|(\*\*?)(?=\S)"
    r"|(?<=\S)(\*\*?)"
)


class _RstScanner(LineScanner):
    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._levels: list[str] = []
        self._indents = [0]
        """Where the content of the enclosing lists, definitions and directives begins."""
        self._quotes: list[int] = []
        """The indents among them that are block quotes."""
        self._opened = False
        """Whether a directive was just opened, whose first line says how far its content is indented."""
        self._skip_above: int | None = None
        """Lines that are indented more than this are hidden."""
        self._after_blank = True
        self._literal_next = False
        self._rows = 0

    def scan(self, lines: Iterator[Line]) -> None:
        """Read the lines, each with the one before and the one after."""
        every = list(lines)
        previous: Line | None = None
        for number, line in enumerate(every):
            if line.blank:
                self.out.close()
                self._after_blank = True
                self._rows = 0
                continue
            following = every[number + 1] if number + 1 < len(every) else None
            self._line(line, previous, following)
            previous = line
            self._after_blank = False

    def _line(self, line: Line, previous: Line | None, following: Line | None) -> None:
        out = self.out
        if self._skip_above is not None:
            if line.indent > self._skip_above:
                out.hide(line.start, line.end)
                return
            self._skip_above = None
        if self._literal_next and self._after_blank:
            self._literal_next = False
            if previous is not None and line.indent > previous.indent:
                self._skip_above = previous.indent
                out.hide(line.start, line.end)
                return
        if _EXPLICIT.match(line.text):
            self._explicit(line)
        elif line.text.lstrip().startswith(">>> "):
            out.close()
            out.hide(line.start, line.end)
            self._rows = 1
        elif self._rows:  # the rest of a doctest
            out.hide(line.start, line.end)
        elif _ADORNMENT.match(line.text) or _SIMPLE_TABLE.match(line.text) or _GRID.match(line.text):
            out.close()
            out.hide(line.start, line.end)
        elif following is not None and line.indent == 0 and self._is_underlined(line, following):
            self._heading(line, following.text[0])
        else:
            self._prose(line, previous)

    def _explicit(self, line: Line) -> None:
        """Read a line that begins with two dots: a directive, a target, a footnote or a comment."""
        out = self.out
        out.close()
        if footnote := _FOOTNOTE.match(line.text):
            out.hide(line.start, line.start + footnote.end())
            out.text(line.start + footnote.end(), line.end)
            self._begin_directive(line.indent)
            return
        match = _DIRECTIVE.match(line.text)
        name = match[1].rpartition(":")[2] if match else ""
        if match is None or name not in (_PROSE_DIRECTIVES | _QUOTES):
            body = line.text.strip()[2:].lstrip()
            if match is None and not body.startswith(("_", "[", "|")):
                out.comment(line.start, line.end)
            else:
                out.hide(line.start, line.end)
            self._skip_above = line.indent
            return
        out.hide(line.start, line.start + match.end())
        if name in _TITLED or name in ("note", "tip", "warning", "important", "hint", "caution", "danger"):
            out.text(line.start + match.end(), line.end)
        else:
            out.hide(line.start + match.end(), line.end)
        self._begin_directive(line.indent)
        if name in _QUOTES:
            self._quotes.append(line.indent + 2)

    def _begin_directive(self, indent: int) -> None:
        self._leave(indent)
        self._indents.append(indent + 2)
        self._opened = True

    def _is_underlined(self, line: Line, following: Line) -> bool:
        match = _ADORNMENT.match(following.text)
        return match is not None and len(following.text.strip()) >= min(len(line.text.strip()), 4)

    def _heading(self, line: Line, adornment: str) -> None:
        if adornment not in self._levels:
            self._levels.append(adornment)
        self._leave(0)
        self.out.heading(self._levels.index(adornment) + 1, line.start, line.end)

    def _prose(self, line: Line, previous: Line | None) -> None:
        out = self.out
        start = line.start
        if self._opened:
            self._begin_content(line.indent)
        if self._after_blank:
            self._enter(line)
        elif previous is not None and line.indent > previous.indent and line.indent > self._indents[-1]:
            self._indents.append(line.indent)  # the definition of a term
            out.close()
        if self._quotes and line.indent >= self._quotes[-1]:
            out.quotations.append((line.start, line.end))
        field = _FIELD.match(line.text)
        item = _ITEM.match(line.text)
        if field is not None:
            out.close()
            out.hide(start, start + field.end())
        elif item is not None and self._begins_item(line, previous):
            out.close()
            out.hide(start, start + item.end())
            self._leave(line.indent)
            self._indents.append(item.end())
        if line.text.lstrip().startswith("|"):  # a line of verse, or a row of a table
            self._cells(line)
        else:
            out.text(start, line.end)
        if line.text.rstrip().endswith("::"):
            end = line.start + len(line.text.rstrip())
            out.hide(end - 2, end)
            self._literal_next = True

    def _begins_item(self, line: Line, previous: Line | None) -> bool:
        """Return whether a line that looks like an item of a list is one, and not a line of a paragraph."""
        if self._after_blank or previous is None or _ITEM.match(previous.text):
            return True
        return line.indent < previous.indent  # the item before goes on over several lines

    def _cells(self, line: Line) -> None:
        self.out.close()
        at = line.start
        for part in line.text.split("|"):
            self.out.block(at, at + len(part))
            self.out.hide(at + len(part), min(at + len(part) + 1, line.end))
            at += len(part) + 1

    def _begin_content(self, indent: int) -> None:
        """Take the indent of a directive's content from its first line."""
        self._opened = False
        opened = self._indents[-1]
        if indent >= opened:
            self._indents[-1] = indent
            self._quotes = [indent if quote == opened else quote for quote in self._quotes]

    def _enter(self, line: Line) -> None:
        """Begin a paragraph: leave what it is not inside, and see whether it is a block quote."""
        self._leave(line.indent)
        top = self._indents[-1]
        if line.indent > top and _ITEM.match(line.text) is None:
            self._indents.append(line.indent)
            self._quotes.append(line.indent)

    def _leave(self, indent: int) -> None:
        while len(self._indents) > 1 and self._indents[-1] > indent:
            gone = self._indents.pop()
            while self._quotes and self._quotes[-1] >= gone:
                self._quotes.pop()


class RstReader(LineReader):
    """Reads reStructuredText."""

    scanner = _RstScanner
    mark = _MARK
    inline = _INLINE
