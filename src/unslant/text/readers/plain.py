"""Plain text: everything is prose except addresses and inline ignores.

The text of an office document is plain text with one paragraph per line.
"""

from __future__ import annotations

import re

from unslant.text.readers.line_markup import LineMarkup, lines_of
from unslant.text.readers.masking import (
    ParsedMarkup,
    Ranges,
    SingleParseReader,
    find_addresses,
    may_have_addresses,
    merge_ranges,
    to_hidden,
)

QUOTATION_MARK = "> "
"""How a paragraph of a block quotation begins in the text of an office document."""

_SIGN = "unslant:"
_LINE_COMMENT = re.compile(r"[ \t]*(?:#{1,8}|/{2,8}|%{1,8}|;{1,8})[ \t]*unslant:[^\r\n]*")
_OPENING = re.compile(r"<!--\s*unslant:")


class PlainReader(SingleParseReader):
    """Reads text without markup."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the source itself as prose, and the ranges to ignore, so that nothing is copied."""
        comments = _comments(source) if _SIGN in source else []
        found = find_addresses(source) if may_have_addresses(source) else ()
        return ParsedMarkup(source, comments=merge_ranges(comments), hidden=merge_ranges((*comments, *found)))

    def mask(self, source: str) -> str:
        """Return text of the same length with addresses and inline ignores blanked."""
        return to_hidden((span.start, span.end) for span in self.parse(source).hidden).blank(source)


def _comments(source: str) -> Ranges:
    """Return the line comments and ``<!-- -->`` comments that start with ``unslant:``."""
    found: Ranges = []
    line = 0
    position = 0
    while (at := source.find(_SIGN, position)) >= 0:
        position = at + len(_SIGN)
        # Only the part since the last line start is searched again, so one endless line takes linear time.
        line = max(line, source.rfind("\n", line, at) + 1, source.rfind("\r", line, at) + 1)
        match = _LINE_COMMENT.match(source, line) if at - line < 200 else None
        if match is not None:
            found.append(match.span())
            position = match.end()
    found += _between_marks(source)
    return sorted(found)


def _between_marks(source: str) -> Ranges:
    found: Ranges = []
    position = 0
    while match := _OPENING.search(source, position):
        end = source.find("-->", match.end())
        if end < 0:
            break
        found.append((match.start(), end + 3))
        position = end + 3
    return found


class ParagraphReader(SingleParseReader):
    """Reads text in which every line is a paragraph, so that line and column are paragraph and offset."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return every line as a block, and those of block quotations without their mark."""
        out = LineMarkup(source)
        for line in lines_of(source):
            start = line.start
            if line.text.startswith(QUOTATION_MARK):
                out.quotations.append((start, line.end))
                start += len(QUOTATION_MARK)
                out.hide(line.start, start)
            out.block(start, line.end)
        return out.finish()
