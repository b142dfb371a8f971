"""On which line of a TOML text a value stands, which the standard library's reader does not tell."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from unslant.config.reading import KeyPath

__all__ = ["locate"]

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]*+")
_SCALAR = re.compile(r"[^,\]}#\n]*+")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|""?(?!"))*+"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)


def locate(text: str) -> dict[KeyPath, int]:
    """Return the line, from 1, on which each key, table and list item of a valid TOML text is first named."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    """Walks over TOML that has been read without error, so nothing is checked again."""

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self._sizes: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        while self._peek():
            if self._peek() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _peek(self) -> str:
        """Step over white space and comments and return the code point that follows; empty at the end."""
        self._take(_BLANK)
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match.group()

    def _note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, bisect_left(self._breaks, self._at) + 1)

    def _header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the table that it opens."""
        of_array = self._text.startswith("[[", self._at)
        width = 2 if of_array else 1
        self._at += width
        path: KeyPath = ()
        for part in self._key():
            # A name that stands for an array of tables means its newest one.
            if path in self._sizes:
                path = (*path, self._sizes[path] - 1)
            path = (*path, part)
            self._note(path)
        if of_array:
            self._sizes[path] = self._sizes.get(path, 0) + 1
            path = (*path, self._sizes[path] - 1)
            self._note(path)
        self._at += width
        return path

    def _key(self) -> Iterator[str]:
        """Yield the parts of a dotted key, each while the position is still on its line."""
        while True:
            quoted = self._peek() in ("'", '"')
            raw = self._take(_STRING if quoted else _BARE_KEY)
            yield _unquoted(raw) if quoted else raw
            if self._peek() != ".":
                return
            self._at += 1

    def _pair(self, path: KeyPath) -> None:
        for part in self._key():
            path = (*path, part)
            self._note(path)
        self._at += 1
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        start = self._peek()
        if start == "[":
            self._array(path)
        elif start == "{":
            self._inline_table(path)
        elif start in ("'", '"'):
            self._take(_STRING)
        else:
            self._take(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        while self._peek() not in ("]", ""):
            self._note((*path, index))
            self._value((*path, index))
            index += 1
            if self._peek() == ",":
                self._at += 1
        self._at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._at += 1
        while self._peek() not in ("}", ""):
            self._pair(path)
            if self._peek() == ",":
                self._at += 1
        self._at += 1


def _unquoted(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    import tomllib

    value: str = tomllib.loads(f"key = {raw}")["key"]
    return value
