"""Raw values and where they come from, so that an error can name the file and the line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from unslant.config.files import ConfigFile, label, printable
from unslant.core.errors import nearest

KeyPath = tuple[str | int, ...]
"""The keys and list indices that lead to a value."""

_LONG = 60


class ConfigProblem(NamedTuple):
    """An error message and the line it is about."""

    line: int
    message: str


@dataclass(slots=True)
class Collector:
    """Collects problems while values are read, so that all of them are reported at once."""

    problems: list[ConfigProblem] = field(default_factory=list)
    selectors: list[RawValue] = field(default_factory=list)
    """Selectors, to be checked once the user's own rules are known."""


class ValueSource(Protocol):
    """A place that values come from."""

    root: Path
    """The folder of the configuration."""
    base: Path
    """The folder that relative paths of this source refer to."""
    explicit: bool
    """Whether the user named this source, rather than that it came with the text."""

    def line(self, path: KeyPath) -> int:
        """Return the line of a value, or of the nearest enclosing one; 0 if the source has no lines."""
        ...

    def origin(self, path: KeyPath, value: object) -> str:
        """Return the origin of a value in one word."""
        ...

    def where(self, path: KeyPath) -> str:
        """Return the prefix of a message about a value."""
        ...

    def name(self, path: KeyPath) -> str:
        """Return the name of a value as the user knows it."""
        ...


class FileSource:
    """A configuration file."""

    def __init__(self, file: ConfigFile, *, explicit: bool = False) -> None:
        self.explicit = explicit
        self._file = file
        self._label = label(file.path)
        self.root = self.base = file.path.parent

    @cached_property
    def _lines(self) -> Mapping[KeyPath, int]:
        return locate(self._file.text)

    def line(self, path: KeyPath) -> int:
        """Return the line of a value, or of the nearest enclosing one."""
        full = (*self._file.prefix, *path)
        while full and full not in self._lines:
            full = full[:-1]
        return self._lines.get(full, 1)

    def origin(self, path: KeyPath, value: object) -> str:  # noqa: ARG002 - an option needs the value
        """Return the file and line."""
        return f"{self._label}:{self.line(path)}"

    def where(self, path: KeyPath) -> str:
        """Return the file and line."""
        return f"{self._label}:{self.line(path)}: "

    def name(self, path: KeyPath) -> str:
        """Return the dotted key, as in TOML."""
        return _dotted_key(path or self._file.prefix)


class OptionSource:
    """The command line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = Path.cwd()
        self.explicit = True

    def line(self, path: KeyPath) -> int:  # noqa: ARG002 - a file needs the path
        """Return 0: the command line comes before any file."""
        return 0

    def origin(self, path: KeyPath, value: object) -> str:
        """Return the option; ``--no-…`` if it turns something off."""
        return f"--no-{path[0]}" if value is False else f"--{path[0]}"

    def where(self, path: KeyPath) -> str:  # noqa: ARG002 - a file needs the path
        """Return an empty prefix: the option's name is enough."""
        return ""

    def name(self, path: KeyPath) -> str:
        """Return the option."""
        return f"--{_dotted_key(path)}"


@dataclass(frozen=True, slots=True)
class RawValue:
    """A value that is not validated yet, with its source and the collector of problems."""

    value: object
    path: KeyPath
    source: ValueSource
    collector: Collector

    def child(self, key: str | int, value: object) -> RawValue:
        """Return a value inside this one."""
        return RawValue(value, (*self.path, key), self.source, self.collector)

    def reject(self, rest: str) -> None:
        """Report that this value is invalid; the message starts with its name."""
        self.report(f"{self.source.name(self.path)} {rest}")

    def reject_type(self, what: str, hint: str = "") -> None:
        """Report which type this value must have, and what it is instead."""
        self.reject(f"must be {what}, not {show_value(self.value)}{hint or '.'}")

    def unknown_key(self, known: Iterable[str]) -> None:
        """Report that there is no such key."""
        name = _dotted_key(self.path)
        self.report(f"unknown key {name!r}{did_you_mean(name, known)}")

    def report(self, message: str) -> None:
        """Report a problem with this value."""
        source = self.source
        self.collector.problems.append(
            ConfigProblem(source.line(self.path), f"{source.where(self.path)}{message}")
        )


def did_you_mean(name: str, known: Iterable[str], otherwise: str = ".") -> str:
    """Return the end of a message about an unknown name: the closest known name, if any."""
    close = nearest(name.lower(), known)
    return f". Did you mean {close!r}?" if close else otherwise


def _dotted_key(path: KeyPath) -> str:
    """Return a path as a dotted key, without list indices: the line number covers those."""
    keys = (part for part in path if isinstance(part, str))
    return ".".join(
        key if key.replace("-", "").replace("_", "").isalnum() else f'"{printable(key)}"' for key in keys
    )


def show_value(value: object) -> str:
    """Return a short form of a value, as the user wrote it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONG else f"{value[:_LONG]}…")
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, dict) else str(value)


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
    """Return the line, counted from 1, on which each key, table and list item of valid TOML first appears.

    The standard library's parser does not report lines.
    """
    scanner = _TomlScanner(text)
    scanner.document()
    return scanner.lines


class _TomlScanner:
    """Scans TOML that has already been parsed without error, so it validates nothing."""

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
            yield _unquote(raw) if quoted else raw
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
            self._at += 1
            while self._peek() not in ("}", ""):
                self._pair(path)
                if self._peek() == ",":
                    self._at += 1
            self._at += 1
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


def _unquote(raw: str) -> str:
    if "\\" not in raw:
        return raw[1:-1]
    import tomllib

    value: str = tomllib.loads(f"key = {raw}")["key"]
    return value
