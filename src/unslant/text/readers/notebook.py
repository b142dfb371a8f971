"""Jupyter notebooks: the Markdown cells are prose, read as Markdown; everything else is not."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.text.readers.embedded import decode_strings, json_signs, read_embedded
from unslant.text.readers.masking import ParsedMarkup, Ranges, SingleParseReader

_DEPTH = 100


class NotebookReader(SingleParseReader):
    """Reads notebooks."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the prose and the structure of the Markdown cells."""
        return read_embedded(source, (decode_strings(source, strings) for strings in _markdown_cells(source)))


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
    for start, end in json_signs(source):
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
