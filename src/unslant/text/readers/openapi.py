"""OpenAPI descriptions in YAML or JSON: the values of ``description``, ``summary`` and ``title`` are prose.

They are Markdown, as OpenAPI says. Examples, defaults and everything else are data.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from unslant.text.readers.embedded import PlacedText, decode_strings, json_signs, read_embedded
from unslant.text.readers.line_markup import Line, lines_of
from unslant.text.readers.masking import ParsedMarkup, Ranges, SingleParseReader

_PROSE = frozenset(("description", "summary", "title"))
_DATA = frozenset(("const", "default", "enum", "example", "examples"))
"""Keys with values that are data, whatever they contain."""
_DEPTH = 100
_NAME = r"[\w$\-./{}]{1,200}"
_KEY = re.compile(rf"((?:[ ]|-[ ])*)(?:\"({_NAME})\"|'({_NAME})'|({_NAME}))[ ]*:(?:[ ]+|$)")
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}[ ]*(?:#.*)?$")
_TAIL = re.compile(r"[ ]#.*$|[ ]+$")


class OpenApiReader(SingleParseReader):
    """Reads OpenAPI descriptions."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return the descriptions as prose."""
        if source.lstrip("\ufeff \t\r\n").startswith("{"):
            return read_embedded(source, _json_texts(source))
        comments: Ranges = []
        # first, because the comments are known only after the last text
        texts = list(_yaml_texts(source, comments))
        return read_embedded(source, texts, comments)


def _json_texts(source: str) -> Iterator[PlacedText]:
    """Yield the strings that are values of a key for prose and not within data."""
    path: list[str] = []
    """The keys that lead here; lists have the key that they are the value of."""
    key = name = ""
    for start, end in json_signs(source):
        sign = source[start:end]
        if sign in "{[":
            if len(path) >= _DEPTH:
                return
            path.append(name)
            key = name = ""
        elif sign in "}]":
            if path:
                path.pop()
            key = name = ""
        elif sign == ":":
            name = key
        elif sign == ",":
            key = name = ""
        elif name in _PROSE and not _DATA.intersection(path):
            yield decode_strings(source, [(start + 1, end - 1)])
        else:
            key = sign.strip('"')


class _Scalar:
    """A value that may go on in the lines below."""

    def __init__(self, indent: int, style: str) -> None:
        self.indent = indent
        """Lines that are indented by more belong to it."""
        self.style = style
        """``|`` for a block, a quotation mark, or empty for a plain value."""
        self.parts: list[str] = []
        self.places = array("q")
        self.inner: int | None = None
        """The indent of the first line of a block."""

    def add(self, start: int, text: str) -> None:
        if self.parts:
            # lines of plain and quoted values are joined; in Markdown, a line end does the same
            self.parts.append("\n")
            self.places.append(start - 1)
        self.parts.append(text)
        self.places.extend(range(start, start + len(text)))

    def text(self) -> PlacedText:
        return "".join(self.parts), self.places


def _yaml_texts(source: str, comments: Ranges) -> Iterator[PlacedText]:
    """Yield the values of keys for prose, block, quoted or plain; collect the comments between them."""
    scalar: _Scalar | None = None
    data: int | None = None
    """The indent of a key for data; what is indented by more is its value."""
    for line in lines_of(source):
        blank = not line.text.strip()
        if scalar is not None:
            if blank or _columns(line) > scalar.indent:
                _continue(scalar, line)
                continue
            yield scalar.text()
            scalar = None
        if blank:
            continue
        columns = _columns(line)
        if data is not None and columns > data:
            continue
        data = None
        if line.text.lstrip().startswith("#"):
            comments.append((line.start + columns, line.end))
            continue
        match = _KEY.match(line.text)
        if match is None:
            continue
        key = match[2] or match[3] or match[4]
        if key in _DATA:
            data = len(match[1])
        elif key in _PROSE and match.end() < len(line.text):
            scalar = _begin(line, match)
    if scalar is not None:
        yield scalar.text()


def _columns(line: Line) -> int:
    return len(line.text) - len(line.text.lstrip(" "))


def _begin(line: Line, key: re.Match[str]) -> _Scalar | None:
    value = line.text[key.end() :]
    if _BLOCK.match(value):
        return _Scalar(len(key[1]), "|")
    if value[0] in "{[&*!#%@`|>":
        # a mapping, a list, an anchor or a tag: not written as prose
        return None
    scalar = _Scalar(len(key[1]), value[0] if value[0] in "\"'" else "")
    _add_flow(scalar, line.start + key.end(), value)
    return scalar


def _continue(scalar: _Scalar, line: Line) -> None:
    if scalar.style != "|":
        _add_flow(scalar, line.start + _columns(line), line.text.lstrip(" "))
        return
    if scalar.inner is None and line.text.strip():
        scalar.inner = _columns(line)
    skip = min(scalar.inner or 0, _columns(line))
    scalar.add(line.start + skip, line.text[skip:])


def _add_flow(scalar: _Scalar, start: int, text: str) -> None:
    """Add a line of a plain or quoted value, without its quotation marks and comment."""
    if not scalar.style:
        tail = _TAIL.search(text)
        text = text[: tail.start()] if tail else text
    elif not scalar.parts:
        start, text = start + 1, text[1:]
    if scalar.style and text.rstrip().endswith(scalar.style):
        text = text.rstrip()[:-1]
    scalar.add(start, text)
