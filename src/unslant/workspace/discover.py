"""From command-line arguments to files: in the given order, by name within a folder, each file once.

A file that is named is used whatever its suffix. In a folder, files with a known suffix are used; in a glob, files that
match. Hidden files and folders, and whatever ``.gitignore`` or ``exclude`` name, are skipped there. An argument that
cannot be used is reported and does not stop the others.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from unslant.core.errors import nearest
from unslant.core.files import explain, quote_name

if TYPE_CHECKING:
    from unslant.workspace.walk import Ignores, Search

# Modules for searching folders are imported late, because most runs name a file or two.


def discover(
    arguments: Iterable[str],
    suffixes: Collection[str],
    exclude: Sequence[str] = (),
    root: Path | None = None,
    gitignore: bool = True,
    skipped: Counter[str] | None = None,
) -> Iterator[Found | Failure]:
    """Yield the files that the arguments name, lazily, and a failure for each argument that names none.

    ``suffixes`` are the known suffixes, with a dot, in lower case. ``exclude`` are patterns as in ``.gitignore``,
    relative to ``root`` (default: the current folder); an invalid one raises ``ConfigError``. With
    ``gitignore=False``, ``.gitignore`` files are not read. ``skipped`` counts, by suffix, the files that a search
    passes over because their suffix is not known.
    """
    excluded: Ignores | None = None
    if exclude:
        from unslant.workspace.walk import ignores_from_patterns

        excluded = ignores_from_patterns(exclude, os.path.realpath(root or Path()))
    seen: set[str] = set()
    for argument in arguments:
        options = _SearchOptions(suffixes, excluded, gitignore, Counter() if skipped is None else skipped)
        yield from _resolve(argument, options, seen)


class _SearchOptions(NamedTuple):
    """How to search a folder."""

    suffixes: Collection[str]
    excluded: Ignores | None
    gitignore: bool
    skipped: Counter[str]


def _resolve(argument: str, options: _SearchOptions, seen: set[str]) -> Iterator[Found | Failure]:
    if argument == "-":
        yield from _once(Found(None, STDIN, explicit=True), STDIN, seen)
        return
    path = Path(argument)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        if set("*?[").isdisjoint(argument) or not isinstance(error, FileNotFoundError | NotADirectoryError):
            yield Failure(path, _explain_missing(path, error))
            return
        from unslant.workspace.walk import Search, parse_glob

        top, glob = parse_glob(argument)
        message = f"no file matches {quote_name(argument)}; check the spelling"
        yield from _search(Search(top, glob, *options), seen, Failure(path, message))
        return
    if not stat.S_ISDIR(mode):
        found = Found(path, path.as_posix(), explicit=True, within=path.parent)
        yield from _once(found, os.path.realpath(path), seen)
        return
    from unslant.workspace.walk import Glob, Search

    message = (
        f"nothing to check in {quote_name(argument)}: no file has a known suffix, or all are ignored; "
        "name a file to check it whatever its suffix"
    )
    yield from _search(Search(path, Glob(), *options), seen, Failure(path, message))


def _search(search: Search, seen: set[str], if_none: Failure) -> Iterator[Found | Failure]:
    """Yield the files of a search; finding none is a failure, so that it is not mistaken for a clean result."""
    empty = True
    if search.top.is_dir():
        for result in search.run():
            empty = False
            if isinstance(result, Failure):
                yield result
            else:
                path = Path(result[0])
                found = Found(path, path.as_posix(), explicit=False, within=search.top)
                yield from _once(found, result[1], seen)
    if empty:
        yield if_none


def _once(found: Found, key: str, seen: set[str]) -> Iterator[Found]:
    if key not in seen:
        seen.add(key)
        yield found


def _explain_missing(path: Path, error: OSError | ValueError) -> str:
    """Return why a file cannot be found, and a similar name if there is one."""
    if isinstance(error, FileNotFoundError):
        try:
            close = nearest(path.name, os.listdir(path.parent))  # noqa: PTH208
        except OSError:
            close = None
        if close:
            return f"{quote_name(path)} does not exist; did you mean {quote_name(path.parent / close)}?"
    return explain(path, error)


STDIN = "<stdin>"
"""The name of standard input in reports."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to check."""

    path: Path | None
    """The path; None for standard input."""
    display: str
    """The name in reports: as the user typed it, with forward slashes."""
    explicit: bool
    """Whether the user named this file; otherwise a search found it."""
    within: Path | None = None
    """The folder that the user named, or that of the named file; None for standard input."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An argument, or a place in a search, that cannot be checked."""

    path: Path
    message: str
    """A sentence for the user."""
