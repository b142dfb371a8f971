"""Jupyter notebooks: the Markdown cells are prose, read as Markdown; everything else is not.

The text of a cell stands in JSON strings. It is read with a map from its characters to their places in the file, so
that positions are those of the file; characters written as an escape are blank.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator

from unslant.core.types import Span
from unslant.text.readers.markdown import MarkdownReader
from unslant.text.readers.masking import ParsedMarkup, Ranges, SingleParseReader, merge_ranges, trim_ranges

__all__ = ["NotebookReader"]

_SIGN = re.compile(r'["{}\[\],:]')
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\.)*+"')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_DEPTH = 100
_PLAIN = re.compile(r"[^\r\n]+")


class NotebookReader(SingleParseReader):
    """Reads notebooks."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure of the Markdown cells."""
        prose = list(_PLAIN.sub(lambda match: " " * len(match[0]), source))
        blocks: Ranges = []
        quotations: Ranges = []
        comments: Ranges = []
        for strings in _markdown_cells(source):
            text, places = _decode(source, strings)
            reading = MarkdownReader().parse(text)
            for at, char in enumerate(reading.prose):
                if char != " " and source[places[at]] == char and char not in "\r\n":
                    prose[places[at]] = char
            for into, spans in (
                (blocks, reading.blocks or ()),
                (quotations, reading.quotations),
                (comments, reading.comments),
            ):
                into.extend((places[span.start], places[span.end - 1] + 1) for span in spans)
        text = "".join(prose)
        return ParsedMarkup(
            text, trim_ranges(text, blocks), merge_ranges(quotations), _hidden(text, comments)
        )


def _hidden(prose: str, comments: Ranges) -> tuple[Span, ...]:
    return tuple(span for span in merge_ranges(comments) if not prose[span.start : span.end].strip())


def _decode(source: str, strings: Ranges) -> tuple[str, array[int]]:
    """Return the text of some JSON strings, and where each of its characters stands."""
    parts: list[str] = []
    places = array("q")
    for start, end in strings:
        at = start
        while at < end:
            escape = _ESCAPE.match(source, at, end)
            if escape is None:
                following = source.find("\\", at, end)
                stop = end if following < 0 else following
                parts.append(source[at:stop])
                places.extend(range(at, stop))
                at = stop
                continue
            try:
                char = json.loads(f'"{escape[0]}"')
            except ValueError:
                char = " "
            parts.append(char)
            places.append(escape.end() - 1 if char in '"\\/' else at)
            at = escape.end()
    return "".join(parts), places


def _signs(source: str) -> Iterator[tuple[int, int]]:
    """Yield where the strings and signs of JSON are; a string that is never closed ends the search."""
    position = 0
    while found := _SIGN.search(source, position):
        string = _STRING.match(source, found.start()) if found[0] == '"' else found
        if string is None:
            return
        position = string.end()
        yield string.span()


class _Cell:
    """What is known of an object in the list of cells."""

    def __init__(self) -> None:
        self.kind = ""
        self.strings: Ranges = []


def _markdown_cells(source: str) -> Iterator[Ranges]:
    """Yield the strings of each Markdown cell, without their quotation marks."""
    path: list[str] = []
    """The keys of the open objects and lists; ``[`` for a list."""
    key = ""
    name = ""
    cell = _Cell()
    for start, end in _signs(source):
        sign = source[start:end]
        if sign in "{[":
            if len(path) >= _DEPTH:
                return
            path.append(name if sign == "{" else f"{name}[")
            if path == ["", "cells[", ""]:
                cell = _Cell()
            name = key = ""
        elif sign in "}]":
            if path == ["", "cells[", ""] and cell.kind == "markdown":
                yield cell.strings
            if path:
                path.pop()
            name = key = ""
        elif sign == ":":
            name = key
        elif sign == ",":
            name = key = ""
        elif path == ["", "cells[", ""] and name == "cell_type":
            cell.kind = sign.strip('"')
        elif (path == ["", "cells[", ""] and name == "source") or path == ["", "cells[", "", "source["]:
            cell.strings.append((start + 1, end - 1))
        else:
            key = sign.strip('"')
