"""Markdown: CommonMark with front matter, and GitHub's tables, footnotes and task lists.

The block structure is found in one pass over the lines. It is parsed here because none of the libraries we
measured reports where inside a line a block begins, runs in linear time and needs little memory. Block quotes
and lists are followed to a fixed depth; deeper markers are read as text.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from unslant.text.readers.html import BLOCK_TAGS, Elements
from unslant.text.readers.markdown_markup import (
    Cursor,
    definition,
    fence_mark,
    hide_code,
    hide_links_and_emphasis,
    is_row_of_dashes,
    is_thematic_break,
    item_marker,
    underline_level,
)
from unslant.text.readers.masking import (
    Hidden,
    ParsedMarkup,
    Ranges,
    Sections,
    SingleParseReader,
    finish_parse,
)

_DEPTH = 32
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_ATX = re.compile(r"#{1,6}(?=[ \t\r\n]|\Z)")
_HTML = re.compile(r"</?([A-Za-z][A-Za-z0-9\-]*)(?=[\s/>]|\Z)|<!--|<[!?]")
_WHOLE = frozenset({"script", "pre", "style", "textarea", "table", "svg", "math"})
_ALERT = re.compile(r"[ \t]*\[![A-Za-z]{1,20}\][ \t]*(?=[\r\n]|\Z)")
_TASK = re.compile(r"\[[ xX]\](?=[ \t])")
_TITLE_LINE = re.compile(r"(?:\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\))[ \t]*(?=[\r\n]|\Z)")


class _Container(NamedTuple):
    indent: int
    """The columns that a line must be indented by to belong to a list item; 0 for a block quote."""
    start: int
    quotes: bool = False


class BlockScanner:
    """Parses the lines of a source from ``start`` on; the fields contain the results."""

    def __init__(self, source: str, start: int, code_indent: float = 4) -> None:
        """Parse; lines that are indented by ``code_indent`` columns are code."""
        self.hidden = Hidden()
        self.blocks: Ranges = []
        self.quotations: Ranges = []
        self.comments: Ranges = []
        self.labels: set[str] = set()
        self.sections = Sections()
        self._source = source
        self._code_indent = code_indent
        self._stack: list[_Container] = []
        self._leaf = ""
        self._open = (0, 0)
        self._fence = ""
        self._html_end = -1
        self._ends: dict[str, int] = {}
        self._title_may_follow = False
        self._last = start
        self.hidden.add(0, start)
        for match in _LINE.finditer(source, start):
            self._line(match.start(), match.end(1))
        self._close_leaf()
        self._unwind(0)
        self.sections.close(len(source))

    def _line(self, start: int, end: int) -> None:
        cursor = Cursor(self._source, start, end)
        depth = self._match_containers(cursor)
        everything = depth == len(self._stack)
        if self._leaf in ("fence", "html") and everything and self._verbatim(cursor):
            return
        if cursor.is_blank():
            self._close_leaf()
            self._unwind(depth)
            self.hidden.add(start, end)
            return
        if not everything and self._leaf != "paragraph":
            self._close_leaf()
        started = self._leaf == "paragraph" and everything and self._underline(cursor)
        if not started:
            self._start(cursor, depth)
        self._last = end

    def _match_containers(self, cursor: Cursor) -> int:
        """Consume the markers of the containers that the line continues; return their number."""
        for depth, container in enumerate(self._stack):
            if container.indent:
                if not cursor.is_blank() and not cursor.take_columns(container.indent):
                    return depth
            elif not cursor.take_quote_mark():
                return depth
        return len(self._stack)

    def _unwind(self, depth: int) -> None:
        while len(self._stack) > depth:
            container = self._stack.pop()
            if container.quotes and not any(outer.quotes for outer in self._stack):
                self.quotations.append((container.start, max(self._last, container.start + 1)))

    def _close_leaf(self) -> None:
        if self._leaf in ("paragraph", "html"):
            self.blocks.append(self._open)
        self._leaf = ""

    def _verbatim(self, cursor: Cursor) -> bool:
        """Process a line of fenced code or HTML; return False if a blank line ends the HTML."""
        if self._leaf == "fence":
            text = cursor.rest().strip(" \t")
            if cursor.indent() < 4 and text.startswith(self._fence) and not text.strip(self._fence[0]):
                self._leaf = ""
            self.hidden.add(cursor.start, cursor.end)
            self._last = cursor.end
            return True
        if self._html_end < 0 and cursor.is_blank():
            return False
        self.hidden.add(cursor.start, cursor.position)
        self._open = (self._open[0], cursor.end)
        self._last = cursor.end
        if 0 <= self._html_end <= cursor.end:
            self._close_leaf()
        return True

    def _underline(self, cursor: Cursor) -> bool:
        level = underline_level(cursor)
        if not level:
            return False
        start, end = self._open
        title = self._source[start:end] if end - start < 400 else ""
        self._close_leaf()
        self.hidden.add(cursor.start, cursor.end)
        self.sections.heading(level, start, cursor.end, title)
        return True

    def _start(self, cursor: Cursor, depth: int) -> None:
        """Open the containers that start on this line, then the leaf."""
        continues = self._leaf == "paragraph"
        while (lead := cursor.indent()) < self._code_indent and depth < _DEPTH:
            cursor.skip_indent()
            mark = cursor.position
            in_paragraph = continues and depth == len(self._stack)
            if cursor.take_quote_mark():
                quotes = not self._alert(cursor)
                container = _Container(0, mark, quotes)
            elif indent := item_marker(cursor, lead, in_paragraph):
                container = _Container(indent, mark)
                if task := _TASK.match(self._source, cursor.position):
                    cursor.position = task.end()
            elif not in_paragraph and (label_end := self._footnote(cursor)):
                cursor.position = label_end
                container = _Container(4, mark)
            else:
                break
            self._close_leaf()
            self._unwind(depth)
            self._stack.append(container)
            depth += 1
            continues = False
        self._start_leaf(cursor, depth, continues)

    def _alert(self, cursor: Cursor) -> bool:
        """Return whether a block quote is one of GitHub's boxes, which contain the writer's own words."""
        match = _ALERT.match(self._source, cursor.position)
        if match is not None:
            cursor.position = match.end()
        return match is not None

    def _footnote(self, cursor: Cursor) -> int:
        found = definition(cursor)
        return found.end if found is not None and found.footnote else 0

    def _start_leaf(self, cursor: Cursor, depth: int, continues: bool) -> None:
        title_line = self._title_may_follow and _TITLE_LINE.match(self._source, cursor.first())
        self._title_may_follow = False
        if continues and (cursor.indent() >= self._code_indent or not self._begins(cursor)):
            # Even without the marker in front: a paragraph continues until something else starts.
            self.hidden.add(cursor.start, cursor.first())
            self._open = (self._open[0], cursor.end)
            return
        if self._leaf != "table" or depth < len(self._stack) or self._begins(cursor):
            self._close_leaf()
        self._unwind(depth)
        is_code = cursor.indent() >= self._code_indent
        if cursor.is_blank() or is_code or self._leaf == "table" or title_line:
            self.hidden.add(cursor.start, cursor.end)
            return
        cursor.skip_indent()
        self._leaf_at(cursor)

    def _begins(self, cursor: Cursor) -> bool:
        """Return whether something that can interrupt a paragraph starts here."""
        first = cursor.first()
        sign = self._source[first : first + 1]
        if sign == "<":
            return self._html(first) is not None
        return bool(
            (sign == "#" and _ATX.match(self._source, first))
            or (sign in ("`", "~") and fence_mark(cursor))
            or is_thematic_break(cursor)
            or is_row_of_dashes(cursor)
        )

    def _leaf_at(self, cursor: Cursor) -> None:
        source, first = self._source, cursor.position
        self.hidden.add(cursor.start, first)
        self._open = (first, cursor.end)
        if match := _ATX.match(source, first):
            self._heading(match, cursor.end)
        elif fence := fence_mark(cursor):
            self._leaf, self._fence = "fence", fence
            self.hidden.add(first, cursor.end)
        elif is_thematic_break(cursor):
            self.hidden.add(first, cursor.end)
        elif (end := self._html(first)) is not None:
            self._leaf, self._html_end = "html", end
            if 0 <= end <= cursor.end:
                self._close_leaf()
        elif is_row_of_dashes(cursor):
            self._leaf = "table"
            self.hidden.add(first, cursor.end)
        elif found := definition(cursor):
            self.hidden.add(first, cursor.end)
            self.labels.add(found.label)
            self._title_may_follow = not found.titled
            if found.comment:
                self.comments.append((first, cursor.end))
        else:
            self._leaf = "paragraph"

    def _heading(self, match: re.Match[str], end: int) -> None:
        text = self._source[match.end() : end].rstrip(" \t")
        words = text.rstrip("#")
        if words and words[-1] not in " \t":
            words = text
        inner = match.end() + len(words)
        self.hidden.add(match.start(), match.end())
        self.hidden.add(inner, end)
        if inner > match.end():
            self.blocks.append((match.end(), inner))
        self.sections.heading(len(match.group()), match.start(), end, words)

    def _html(self, first: int) -> int | None:
        """Return where an HTML block that starts here ends, -1 for at a blank line; None if there is none."""
        match = _HTML.match(self._source, first)
        if match is None:
            return None
        name = match.group(1)
        if name is None:
            return self._html_closes("-->" if match.group() == "<!--" else ">", match.end())
        name = name.lower()
        if name in _WHOLE and not match.group().startswith("</"):
            end = self._html_closes(f"</{name}", match.end())
            return end if end < len(self._source) else -1
        return -1 if name in BLOCK_TAGS or name in _WHOLE else None

    def _html_closes(self, mark: str, start: int) -> int:
        """Return where a closing mark ends, or the end of the source; each is searched only once."""
        if self._ends.get(mark, -1) < start:
            match = re.compile(re.escape(mark), re.IGNORECASE).search(self._source, start)
            self._ends[mark] = match.end() if match is not None else len(self._source)
        return self._ends[mark]


_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\r|\n)")


class MarkdownReader(SingleParseReader):
    """Reads Markdown; the HTML in it is read as HTML.

    Three passes, each over text of the same length in which the one before has blanked what it knows: lines,
    then code and HTML, then links and emphasis.
    """

    def __init__(self, *, indented_code: bool = True) -> None:
        """Read lines that are indented by four columns as code, or as text."""
        self._code_indent = 4 if indented_code else math.inf

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup."""
        lines = BlockScanner(source, _front_matter_end(source), self._code_indent)
        code = Hidden()
        text = lines.hidden.blank(source)
        for start, end in lines.blocks:
            hide_code(text, start, end, code)
        text = code.blank(text)
        elements = Elements(text)
        for start, end in lines.blocks:
            elements.end_block(start)
            elements.feed(start, end)
            elements.end_block(end)
        elements.finish()
        text = elements.hidden.blank(text)
        inline = Hidden()
        for start, end in lines.blocks:
            for pair in hide_links_and_emphasis(text, start, end, lines.labels):
                inline.add(*pair)
        sections = sorted(lines.sections.hidden + elements.sections.hidden)
        return finish_parse(
            inline.blank(text),
            sections,
            elements.blocks,
            lines.quotations + elements.quotations,
            lines.comments + elements.comments,
        )


def _front_matter_end(source: str) -> int:
    """Return where YAML between ``---`` or TOML between ``+++`` at the start ends; 0 if there is none."""
    opening = _FRONT_MATTER.match(source)
    if opening is None:
        return 0
    marks = r"---|\.\.\." if opening.group(1) == "---" else r"\+\+\+"
    closing = re.compile(rf"[\r\n](?:{marks})[ \t]*(?=[\r\n]|\Z)").search(source, opening.end() - 1)
    return closing.end() if closing is not None else 0
