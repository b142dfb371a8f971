"""Markdown inside of another format, such as the strings of a JSON file.

The text is read with a map from its characters to their places in the file, so that positions are those of the file;
characters written as an escape are blank.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator

from unslant.text.readers.markdown import MarkdownReader
from unslant.text.readers.masking import ParsedMarkup, Ranges, merge_ranges, trim_ranges

_SIGN = re.compile(r'["{}\[\],:]')
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\.)*+"')
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")
_INK = re.compile(r"[^\r\n]+")

PlacedText = tuple[str, "array[int]"]
"""A text, and where each of its characters stands in the source."""


def read_embedded(
    source: str, texts: Iterable[PlacedText], comments: Iterable[tuple[int, int]] = ()
) -> ParsedMarkup:
    """Return the prose and the structure of texts in Markdown; ``comments`` are those of the format around them."""
    prose = list(_INK.sub(lambda match: " " * len(match[0]), source))
    blocks: Ranges = []
    quotations: Ranges = []
    found: Ranges = list(comments)
    for text, places in texts:
        reading = MarkdownReader().parse(text)
        for at, char in enumerate(reading.prose):
            if char != " " and source[places[at]] == char and char not in "\r\n":
                prose[places[at]] = char
        for into, spans in (
            (blocks, reading.blocks or ()),
            (quotations, reading.quotations),
            (found, reading.comments),
        ):
            into.extend((places[span.start], places[span.end - 1] + 1) for span in spans)
    text = "".join(prose)
    return ParsedMarkup(
        text,
        trim_ranges(text, blocks),
        merge_ranges(quotations),
        tuple(span for span in merge_ranges(found) if not text[span.start : span.end].strip()),
    )


def json_signs(source: str) -> Iterator[tuple[int, int]]:
    """Yield where the strings and signs of JSON are; a string that is never closed ends the search."""
    position = 0
    while found := _SIGN.search(source, position):
        string = _STRING.match(source, found.start()) if found[0] == '"' else found
        if string is None:
            return
        position = string.end()
        yield string.span()


def decode_strings(source: str, strings: Ranges) -> PlacedText:
    """Return the text of some JSON strings, joined; the ranges are without quotation marks."""
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
