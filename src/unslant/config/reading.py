"""One value on its way in: what was written, where, and whom to tell if it cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol

from unslant.config.find import ConfigFile, label, printable
from unslant.core.errors import nearest

__all__ = [
    "Collector",
    "FileSource",
    "KeyPath",
    "OptionSource",
    "Problem",
    "Reading",
    "Source",
    "did_you_mean",
    "shown",
]

KeyPath = tuple[str | int, ...]
"""The keys and list indices that lead to a value."""

_LONG = 60


class Problem(NamedTuple):
    """A sentence for the user, and the line that it is about."""

    line: int
    sentence: str


@dataclass(slots=True)
class Collector:
    """What comes up while all values are read, so that every problem is told at once."""

    problems: list[Problem] = field(default_factory=list)
    selectors: list[Reading] = field(default_factory=list)
    """Selectors, to be checked when the user's own rules are known."""


class Source(Protocol):
    """Where values come from."""

    root: Path
    """Where the configuration lies."""
    base: Path
    """What relative paths of this source are relative to."""

    def line(self, path: KeyPath) -> int:
        """Return the line of a value, or of the nearest that encloses it; 0 where there are no lines."""
        ...

    def origin(self, path: KeyPath, value: object) -> str:
        """Return where a value stands, in one word."""
        ...

    def where(self, path: KeyPath) -> str:
        """Return how a sentence about a value begins."""
        ...

    def name(self, path: KeyPath) -> str:
        """Return what the user calls a value."""
        ...


class FileSource:
    """A configuration file."""

    def __init__(self, file: ConfigFile) -> None:
        self._file = file
        self._label = label(file.path)
        self.root = self.base = file.path.parent

    @cached_property
    def _lines(self) -> Mapping[KeyPath, int]:
        from unslant.config.locate import locate

        return locate(self._file.text)

    def line(self, path: KeyPath) -> int:
        """Return the line of a value, or of the nearest that encloses it."""
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
        """Return the key, dotted as TOML would have it."""
        return _dotted(path or self._file.prefix)


class OptionSource:
    """The command line."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base = Path.cwd()

    def line(self, path: KeyPath) -> int:  # noqa: ARG002 - a file needs the path
        """Return 0: the command line comes before any file."""
        return 0

    def origin(self, path: KeyPath, value: object) -> str:
        """Return the option; a switch that is turned off is named so."""
        return f"--no-{path[0]}" if value is False else f"--{path[0]}"

    def where(self, path: KeyPath) -> str:  # noqa: ARG002 - a file needs the path
        """Return nothing: the option's name says where."""
        return ""

    def name(self, path: KeyPath) -> str:
        """Return the option."""
        return f"--{_dotted(path)}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, where it was written, and the collector of problems."""

    value: object
    path: KeyPath
    source: Source
    collector: Collector

    def child(self, key: str | int, value: object) -> Reading:
        """Return the reading of a value inside this one."""
        return Reading(value, (*self.path, key), self.source, self.collector)

    def fail(self, rest: str) -> None:
        """Tell that this value cannot be used; the sentence begins with its name."""
        self.tell(f"{self.source.name(self.path)} {rest}")

    def must_be(self, what: str, hint: str = "") -> None:
        """Tell what this value must be, and what it is."""
        self.fail(f"must be {what}, not {shown(self.value)}{hint or '.'}")

    def unknown_key(self, known: Iterable[str]) -> None:
        """Tell that the last part of the path is not a key."""
        name = _dotted(self.path)
        self.tell(f"unknown key {name!r}{did_you_mean(name, known)}")

    def tell(self, sentence: str) -> None:
        """Tell a sentence about where this value stands."""
        source = self.source
        self.collector.problems.append(
            Problem(source.line(self.path), f"{source.where(self.path)}{sentence}")
        )


def did_you_mean(name: str, known: Iterable[str], otherwise: str = ".") -> str:
    """Return the end of a sentence about an unknown name: the nearest known one, if there is one."""
    close = nearest(name.lower(), known)
    return f". Did you mean {close!r}?" if close else otherwise


def _dotted(path: KeyPath) -> str:
    """Return a path as a dotted key; the index of a list item is left out, for the line tells it."""
    keys = (part for part in path if isinstance(part, str))
    return ".".join(
        key if key.replace("-", "").replace("_", "").isalnum() else f'"{printable(key)}"' for key in keys
    )


def shown(value: object) -> str:
    """Return a short form of a value as the user wrote it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value if len(value) <= _LONG else f"{value[:_LONG]}…")
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, dict) else str(value)
