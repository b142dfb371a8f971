"""What a line of Markdown can start: markers, fences, definitions, delimiter rows."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "Cursor",
    "Definition",
    "definition",
    "fence_mark",
    "is_row_of_dashes",
    "is_thematic_break",
    "item_marker",
    "label_of",
    "underline_level",
]

_SPACE = re.compile(r"[ \t]*")
_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t\r\n]|\Z)")
_RUN = re.compile(r"`{3,}|~{3,}")
_DEFINITION = re.compile(r"\[([^\[\]\r\n]{1,999})\]:[ \t]*(<[^<>\r\n]*>|[^\s<]\S*)?[ \t]*")
_NEXT_LINE = re.compile(r"\r\n|\r|\n|\Z")
_TITLES = {'"': '"', "'": "'", "(": ")"}
_ROW = frozenset("|:- \t>")


class Cursor:
    """A position in a line, with the remaining columns of a tab that a marker has partly consumed."""

    def __init__(self, source: str, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.position = start
        self._column = 0
        self._spare = 0

    def first(self) -> int:
        """Return the position of the first character after white space, or the end."""
        match = _SPACE.match(self.source, self.position, self.end)
        return match.end() if match else self.position

    def rest(self) -> str:
        """Return the rest of the line."""
        return self.source[self.position : self.end]

    def is_blank(self) -> bool:
        """Return whether only white space is left."""
        return self.first() == self.end

    def indent(self) -> int:
        """Return the width of the white space ahead, a tab reaching to the next multiple of four."""
        return self._width(self.position, self.first()) + self._spare

    def skip_indent(self) -> None:
        """Go to the first character after white space."""
        first = self.first()
        self._advance(first)

    def take_columns(self, columns: int) -> bool:
        """Consume up to this much white space."""
        if self.indent() < columns:
            return False
        columns -= self._spare
        self._spare = 0
        while columns > 0:
            width = 4 - self._column % 4 if self.source[self.position] == "\t" else 1
            self._column += width
            self.position += 1
            columns -= width
        self._spare = -columns
        return True

    def take_quote_mark(self) -> bool:
        """Consume the ``>`` of a block quote and the space after it, if present."""
        first = self.first()
        if first >= self.end or self.source[first] != ">" or self.indent() >= 4:
            return False
        self._advance(first + 1)
        if self.indent():
            self.take_columns(1)
        return True

    def take(self, length: int) -> None:
        """Consume a marker."""
        self._advance(self.position + length)

    def _advance(self, position: int) -> None:
        self._column += self._width(self.position, position)
        self._spare = 0
        self.position = position

    def _width(self, start: int, end: int) -> int:
        if self.source.find("\t", start, end) < 0:
            return end - start
        column = self._column
        for sign in self.source[start:end]:
            column += 4 - column % 4 if sign == "\t" else 1
        return column - self._column


def item_marker(cursor: Cursor, lead: int, in_paragraph: bool) -> int:
    """Consume a list marker that is indented by ``lead``; return the indent of its item, 0 for no marker.

    Within a paragraph only an item with text interrupts, and of numbers only 1.
    """
    match = _ITEM.match(cursor.source, cursor.position, cursor.end)
    if match is None or is_thematic_break(cursor):
        return 0
    if in_paragraph:
        number = match.group(1)
        if (number is not None and int(number) != 1) or not cursor.source[match.end() : cursor.end].strip():
            return 0
    width = match.end() - match.start()
    cursor.take(width)
    spaces = cursor.indent()
    if cursor.is_blank() or spaces > 4:
        spaces = 1
    if not cursor.is_blank():
        cursor.take_columns(spaces)
    return lead + width + spaces


def fence_mark(cursor: Cursor) -> str:
    """Return the fence that opens code here, or an empty string."""
    match = _RUN.match(cursor.source, cursor.first(), cursor.end)
    if match is None:
        return ""
    mark = match.group()
    inline = mark[0] == "`" and cursor.source.find("`", match.end(), cursor.end) >= 0
    return "" if inline else mark


def is_thematic_break(cursor: Cursor) -> bool:
    """Return whether the rest of the line is a thematic break."""
    first = cursor.first()
    if cursor.source[first : first + 1] not in ("-", "*", "_"):
        return False
    signs = cursor.source[first : cursor.end].replace(" ", "").replace("\t", "")
    return len(signs) >= 3 and not signs.strip(signs[0])


def underline_level(cursor: Cursor) -> int:
    """Return the level of the heading that this line underlines, 0 for none."""
    text = cursor.rest().strip(" \t")
    if cursor.indent() >= 4 or not text or text[0] not in "=-" or text.strip(text[0]):
        return 0
    return 1 if text[0] == "=" else 2


def is_row_of_dashes(cursor: Cursor) -> bool:
    """Return whether a table starts here: this line has bars, and the next is a delimiter row of the same width."""
    if cursor.source.find("|", cursor.position, cursor.end) < 0:
        return False
    line_end = _NEXT_LINE.match(cursor.source, cursor.end)
    start = line_end.end() if line_end else cursor.end
    following = _NEXT_LINE.search(cursor.source, start)
    row = cursor.source[start : following.start() if following else start]
    return (
        "-" in row
        and "|" in row
        and _ROW.issuperset(row)
        and _cells(row.lstrip(" \t>")) == _cells(cursor.rest())
    )


def _cells(row: str) -> int:
    row = row.strip().removeprefix("|")
    bars = row.count("|") - row.count("\\|")
    return bars if row.endswith("|") and not row.endswith("\\|") else bars + 1


class Definition(NamedTuple):
    """A link definition, a footnote marker or a comment in the form of a definition."""

    end: int
    """Where its marker ends."""
    label: str
    footnote: bool
    comment: bool
    titled: bool


def definition(cursor: Cursor) -> Definition | None:
    """Return the definition in the line, or None."""
    match = _DEFINITION.match(cursor.source, cursor.first(), cursor.end)
    if match is None:
        return None
    label, target = match.groups()
    if label.startswith("^"):
        colon = cursor.source.index("]:", match.start()) + 2
        return Definition(colon, "", True, False, False)
    title = cursor.source[match.end() : cursor.end].strip(" \t")
    if target is None or (title and (len(title) < 2 or _TITLES.get(title[0]) != title[-1])):
        return None
    comment = target in ("#", "<>", "<#>") and bool(title)
    return Definition(match.end(), label_of(label), False, comment, bool(title))


def label_of(text: str) -> str:
    """Return the normalised form of a link label."""
    return " ".join(text.casefold().split())
