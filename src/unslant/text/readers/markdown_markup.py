"""Markup of Markdown: what a line can start, and what stands inside a block. Each pass is linear in the block."""

from __future__ import annotations

import re
from typing import NamedTuple

from unslant.text.readers.html import TagScanner
from unslant.text.readers.masking import Hidden

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


_CODE_OR_TAG = re.compile(r"`+|<|(?<![\w$])(?:\$\$|\$(?=[^\s$]))|\\(?=[^\w\s]|[\r\n])")
# Two prices in a sentence are no formula: it holds a sign that prose does not have between two dollars.
_FORMULA = re.compile(
    r"\$(?=[^$]{0,300}?[\\^_{}=])[^\s$](?:[^$\r\n]{0,298}[^\s$])?\$(?!\w)|\$\$[^$]{1,1000}\$\$"
)
_TICKS = re.compile(r"`+")
_AUTOLINK = re.compile(r"<(?:[A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>]*|[\w.+%\-]{1,64}@[\w.\-]{1,253})>")
# A character after a backslash is also blanked if it would otherwise be read as markup.
_MARKUP_SIGNS = "*_`[]<~|&\\{$"
_SIGN = re.compile(r"!?\[|\]|\*+|_+|~~+|==+|\{[#:.%][^{}\r\n]{0,200}\}")
_CITED = re.compile(r"\[(?:\^[^\[\]\s]{1,100}|-?@[^\[\]\r\n]{1,200})\]")
_LABEL = re.compile(r"\[([^\[\]]{0,999})\]")
_GAP = re.compile(r"[ \t]*(?:\r\n|\r|\n)?[ \t]*")
_TARGET_PIECE = re.compile(r"[^\s()\\]*")
_NESTED = 8


def hide_code(text: str, start: int, stop: int, hidden: Hidden) -> None:
    """Hide code, formulas, automatic links and backslashes; tags are skipped, because they are parsed later."""
    tags: TagScanner | None = None
    last: dict[int, int] | None = None
    position = start
    while match := _CODE_OR_TAG.search(text, position, stop):
        at, position = match.span()
        if text[at] == "`":
            last = _last_runs(text, at, stop) if last is None else last
            end = _code_end(text, match, stop, last)
            if end:
                hidden.add(at, end)
                position = end
        elif text[at] == "$":
            formula = _FORMULA.match(text, at, stop)
            if formula is not None:
                hidden.add(*formula.span())
                position = formula.end()
        elif text[at] == "<":
            link = _AUTOLINK.match(text, at, stop)
            if link is not None:
                hidden.add(*link.span())
                position = link.end()
                continue
            tags = tags or TagScanner(text, start, stop)
            tag = tags.at(at)
            position = tag.end if tag is not None else position
        else:
            position = min(at + 2, stop)
            hidden.add(at, at + 1 + (text[at + 1 : at + 2] in _MARKUP_SIGNS and at + 1 < stop))


def _last_runs(text: str, start: int, stop: int) -> dict[int, int]:
    """Return the last position of each length of backtick run, beyond which a search cannot succeed."""
    return {match.end() - match.start(): match.start() for match in _TICKS.finditer(text, start, stop)}


def _code_end(text: str, opening: re.Match[str], stop: int, last: dict[int, int]) -> int:
    length = opening.end() - opening.start()
    if last.get(length, -1) < opening.end():
        return 0
    for run in _TICKS.finditer(text, opening.end(), stop):
        if run.end() - run.start() == length:
            return run.end()
    return 0


def hide_links_and_emphasis(text: str, start: int, stop: int, labels: set[str]) -> list[tuple[int, int]]:
    """Return the ranges to blank: targets, titles, labels and the markers themselves, in order."""
    found: list[tuple[int, int]] = []
    openings: list[int] = []
    closers = {sign: text.rfind(sign, start, stop) for sign in ")\"'>"}
    position = start
    while match := _SIGN.search(text, position, stop):
        at, position = match.span()
        sign = text[at]
        if sign in "![":
            cited = _CITED.match(text, at, stop) if sign == "[" else None
            if cited:
                found.append(cited.span())
                position = cited.end()
            else:
                openings.append(at)
        elif sign == "]":
            if openings:
                opening = openings.pop()
                end = _link_end(text, (opening, at), stop, (labels, closers))
                if end:
                    found += [(opening, text.index("[", opening) + 1), (at, end)]
                    position = end
        elif sign == "{" or _is_emphasis(text, match, start, stop):
            found.append(match.span())
    found.sort()
    return found


def _is_emphasis(text: str, run: re.Match[str], start: int, stop: int) -> bool:
    """Return whether a run can open or close emphasis: text touches it, and ``_`` is not inside a word."""
    before = text[run.start() - 1] if run.start() > start else " "
    after = text[run.end()] if run.end() < stop else " "
    if before.isspace() and after.isspace():
        return False
    return run.group()[0] != "_" or not (before.isalnum() and after.isalnum())


def _link_end(
    text: str, brackets: tuple[int, int], stop: int, document: tuple[set[str], dict[str, int]]
) -> int:
    """Return where the link with this text in brackets ends; 0 if it is not a link."""
    opening, at = brackets
    labels, closers = document
    following = text[at + 1 : at + 2] if at + 1 < stop else ""
    if following == "(":
        end = _target_end(text, at + 2, stop, closers)
        if end:
            return end
    if following == "[":
        label = _LABEL.match(text, at + 1, stop)
        if label is not None and label_of(label.group(1)) in labels:
            return label.end()
        if label is not None and label.group(1):
            return 0
        at = label.end() - 1 if label is not None else at
    inner = text.index("[", opening) + 1
    words = text[inner : brackets[1]] if brackets[1] - inner < 1000 else ""
    return at + 1 if labels and words and label_of(words) in labels else 0


def _target_end(text: str, position: int, stop: int, closers: dict[str, int]) -> int:
    """Return where ``(target "title")`` ends, starting inside the bracket; 0 if it is not a target."""
    position = _gap(text, position, stop)
    if text.startswith("<", position, stop):
        if closers[">"] < position:
            return 0
        position = text.index(">", position) + 1
    else:
        position = _bare_target(text, position, stop)
    after = _gap(text, position, stop)
    quote = text[after : after + 1] if after < stop else ""
    if after > position and quote and quote in "\"'(":
        closing = ")" if quote == "(" else quote
        if closers[closing] <= after:
            return 0
        after = _gap(text, text.index(closing, after + 1) + 1, stop)
    return after + 1 if text.startswith(")", after, stop) else 0


def _bare_target(text: str, position: int, stop: int) -> int:
    """Return where a target without angle brackets ends; its brackets must be balanced, to a fixed depth."""
    depth = 0
    while True:
        piece = _TARGET_PIECE.match(text, position, stop)
        position = piece.end() if piece else position
        sign = text[position] if position < stop else ""
        if sign == "\\":
            position += not text[position + 1 : position + 2].isspace()
        elif sign == "(" and depth < _NESTED:
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        else:
            return position
        position = min(position + 1, stop)


def _gap(text: str, position: int, stop: int) -> int:
    match = _GAP.match(text, position, stop)
    return match.end() if match else position
