"""Plain text: everything is prose but addresses and the lines that speak to unslant."""

from __future__ import annotations

import re

from unslant.text.readers.addresses import addresses, has_addresses
from unslant.text.readers.masking import ParsedMarkup, Ranges, SingleParse, merged, pairs

__all__ = ["PlainReader"]

_SIGN = "unslant:"
_LINE_COMMENT = re.compile(r"[ \t]*(?:#{1,8}|/{2,8}|%{1,8}|;{1,8})[ \t]*unslant:[^\r\n]*")
_OPENING = re.compile(r"<!--\s*unslant:")


class PlainReader(SingleParse):
    """Reads text without markup."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the source itself as prose, and what is to be left alone in it, so that nothing is copied."""
        comments = _comments(source) if _SIGN in source else []
        found = addresses(source) if has_addresses(source) else ()
        return ParsedMarkup(source, comments=merged(comments), hidden=merged((*comments, *found)))

    def mask(self, source: str) -> str:
        """Return text of the same length with addresses and the lines that speak to unslant blanked."""
        return pairs((span.start, span.end) for span in self.parse(source).hidden).blank(source)


def _comments(source: str) -> Ranges:
    """Return the lines of their own and the ``<!-- -->`` that begin with ``unslant:``."""
    found: Ranges = []
    line = 0
    position = 0
    while (at := source.find(_SIGN, position)) >= 0:
        position = at + len(_SIGN)
        # Only the stretch since the last line start is looked at again, so one endless line stays linear.
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
