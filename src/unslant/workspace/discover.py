"""From command-line arguments to files: as given, by name within a folder, each file once.

A file is taken whatever its suffix. A directory is searched for files with a known suffix, a glob for what it
matches; there, hidden files and folders, what ``.gitignore`` names and what ``exclude`` names are left out.
What cannot be used is reported and does not stop the rest.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unslant.core.errors import nearest
from unslant.workspace.files import explain, quoted

if TYPE_CHECKING:
    from unslant.workspace.ignores import Ignores
    from unslant.workspace.walk import Search

__all__ = ["STDIN", "Failure", "Found", "discover"]

# What a search needs is imported only for one, as most runs name a file or two.


def discover(
    arguments: Iterable[str],
    suffixes: Collection[str],
    exclude: Sequence[str] = (),
    root: Path | None = None,
    gitignore: bool = True,
) -> Iterator[Found | Failure]:
    """Yield the files that the arguments mean, or a failure for what means none, lazily.

    ``suffixes`` are the known ones, with a dot, in lower case (a mapping from them will do). ``exclude`` are
    patterns as in ``.gitignore``, relative to ``root`` (by default the current folder); a bad one is a
    ``ConfigError``. With ``gitignore=False`` no ``.gitignore`` file counts.
    """
    excluded: Ignores | None = None
    if exclude:
        from unslant.workspace.ignores import with_patterns

        excluded = with_patterns(exclude, os.path.realpath(root or Path()))
    seen: set[str] = set()
    for argument in arguments:
        yield from _named(argument, _SearchOptions(suffixes, excluded, gitignore), seen)


class _SearchOptions(NamedTuple):
    """How a folder is searched."""

    suffixes: Collection[str]
    excluded: Ignores | None
    gitignore: bool


def _named(argument: str, wanted: _SearchOptions, seen: set[str]) -> Iterator[Found | Failure]:
    if argument == "-":
        yield from _once(Found(None, STDIN, explicit=True), STDIN, seen)
        return
    path = Path(argument)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if set("*?[").isdisjoint(argument) or not isinstance(error, FileNotFoundError | NotADirectoryError):
            yield Failure(path, _missing(path, error))
            return
        from unslant.workspace.walk import Search, parsed

        top, glob = parsed(argument)
        message = f"no file matches {quoted(argument)}; check the spelling"
        yield from _searched(Search(top, glob, *wanted), seen, Failure(path, message))
        return
    if not stat.S_ISDIR(mode):
        yield from _once(Found(path, path.as_posix(), explicit=True), os.path.realpath(path), seen)
        return
    from unslant.workspace.walk import Glob, Search

    message = (
        f"nothing to check in {quoted(argument)}: no file there has a known suffix, or all are ignored; "
        "name a file to check it whatever its suffix"
    )
    yield from _searched(Search(path, Glob(), *wanted), seen, Failure(path, message))


def _searched(search: Search, seen: set[str], if_none: Failure) -> Iterator[Found | Failure]:
    """Yield what a search comes upon; nothing is a failure, lest it be taken for a clean result."""
    empty = True
    if search.top.is_dir():
        for result in search.run():
            empty = False
            if isinstance(result, Failure):
                yield result
            else:
                path = Path(result[0])
                yield from _once(Found(path, path.as_posix(), explicit=False), result[1], seen)
    if empty:
        yield if_none


def _once(found: Found, key: str, seen: set[str]) -> Iterator[Found]:
    if key not in seen:
        seen.add(key)
        yield found


def _missing(path: Path, error: OSError | ValueError) -> str:
    """Return why a named file is not there, and the one that may have been meant."""
    if isinstance(error, FileNotFoundError):
        try:
            close = nearest(path.name, os.listdir(path.parent))  # noqa: PTH208
        except OSError:
            close = None
        if close:
            return f"{quoted(path)} does not exist; did you mean {quoted(path.parent / close)}?"
    return explain(path, error)


STDIN = "<stdin>"
"""How standard input is named in reports."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be checked."""

    path: Path | None
    """Where it is; None: standard input."""
    display: str
    """How it is named in reports: as the user spelled it, with forward slashes."""
    explicit: bool
    """Whether the user named this very file; otherwise a search came upon it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An argument, or a place that a search came to, of which nothing can be checked."""

    path: Path
    message: str
    """One sentence for a person."""
