"""The search of a folder: in the order of names, without what is ignored, through no loop.

Links to folders are followed, unless they lead to a place that the search comes to anyway.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from unslant.workspace.discover import Failure
from unslant.workspace.files import explain, quoted
from unslant.workspace.ignores import Ignores, inherited, with_file

__all__ = ["Glob", "Search", "State", "parsed"]


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way."""

    spelled: str
    """How it is opened and shown; empty: the current one."""
    logical: str
    """Its absolute path by the way the search came; ignore rules go by it."""
    real: str
    """Its absolute path without links; it tells files apart."""
    rules: Ignores | None
    state: State

    def child(self, name: str) -> tuple[str, str]:
        """Return how a name inside is spelled, and its absolute path."""
        # Path objects would take half the time of a search.
        return os.path.join(self.spelled, name), os.path.join(self.logical, name)  # noqa: PTH118


@dataclass(slots=True)
class Search:
    """One search from a folder downwards."""

    top: Path
    glob: Glob
    suffixes: Collection[str]
    """With a dot, in lower case."""
    excluded: Ignores | None = None
    gitignore: bool = True
    """Whether what ``.gitignore`` names is left out."""
    _way: list[tuple[_Folder, Iterator[os.DirEntry[str]]]] = field(default_factory=list)
    _roots: list[str] = field(default_factory=list)
    """The places whose insides the search comes to: where it began, and where links led."""

    def run(self) -> Iterator[tuple[str, str] | Failure]:
        """Yield each file, as it is spelled and without links, or what stood in the way."""
        real = os.path.realpath(self.top)
        self._roots.append(real)
        spelled = "" if self.top == Path() else str(self.top)
        following: _Folder | None = _Folder(
            spelled, real, real, inherited(real) if self.gitignore else None, self.glob.start()
        )
        while following is not None or self._way:
            if following is not None:
                folder, following = following, None
                try:
                    self._way.append(_opened(folder, self.gitignore))
                except OSError as error:
                    yield Failure(Path(folder.spelled), explain(folder.spelled or ".", error))
                continue
            folder, entries = self._way[-1]
            entry = next(entries, None)
            if entry is None:
                self._way.pop()
                continue
            result = self._entered(folder, entry)
            if isinstance(result, _Folder):
                following = result
            elif result is not None:
                yield result

    def _entered(
        self, folder: _Folder, entry: os.DirEntry[str]
    ) -> _Folder | tuple[str, str] | Failure | None:
        state = self.glob.step(folder.state, entry.name)
        if not state:
            return None
        spelled, logical = folder.child(entry.name)
        try:
            is_folder = entry.is_dir()
        except OSError as error:
            if self._left_out(folder, logical, is_folder=False):
                return None
            return Failure(Path(spelled), explain(spelled, error))
        # The suffix is asked first, being so much cheaper to ask than the ignore rules.
        if not is_folder and not self._is_meant(folder, state, entry.name):
            return None
        if self._left_out(folder, logical, is_folder):
            return None
        linked = entry.is_symlink()
        real = os.path.realpath(entry.path) if linked else os.path.join(folder.real, entry.name)  # noqa: PTH118
        if is_folder:
            inner = _Folder(spelled, logical, real, folder.rules, state)
            return self._followed(folder, inner) if linked else inner
        if linked and not os.path.lexists(real):
            return Failure(Path(spelled), f"{quoted(spelled)} is a link to nothing; remove or mend it")
        return (spelled, real) if entry.is_file() else None

    def _is_meant(self, folder: _Folder, state: State, name: str) -> bool:
        known = os.path.splitext(name)[1].lower() in self.suffixes  # noqa: PTH122
        return self.glob.accepts(state) and (known or self.glob.names(folder.state, name))

    def _left_out(self, folder: _Folder, logical: str, is_folder: bool) -> bool:
        rules, excluded = folder.rules, self.excluded
        return (rules is not None and rules.ignores(logical, is_folder)) or (
            excluded is not None and excluded.ignores(logical, is_folder)
        )

    def _followed(self, folder: _Folder, link: _Folder) -> _Folder | Failure | None:
        """Return where a link in a folder leads; None: the search comes there anyway."""
        if _inside(folder.real, link.real) or any(link.real == passed.real for passed, _ in self._way):
            message = f"{quoted(link.spelled)} is a link back to a folder it is in; remove or exclude it"
            return Failure(Path(link.spelled), message)
        if any(_inside(link.real, root) for root in self._roots):
            return None
        self._roots.append(link.real)
        return link


def _opened(folder: _Folder, gitignore: bool) -> tuple[_Folder, Iterator[os.DirEntry[str]]]:
    """Return the folder, with the rules of its own ignore file, and its entries by name."""
    with os.scandir(folder.spelled or ".") as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if gitignore and entry.name == ".gitignore":
            rules = with_file(folder.rules, entry.path, folder.logical)
            folder = _Folder(folder.spelled, folder.logical, folder.real, rules, folder.state)
    return folder, iter(entries)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


_MAGIC = re.compile(r"[*?[]")

State = frozenset[int]
"""The parts of a pattern that may match next; empty: nothing below can match."""


class Glob:
    """The parts of a pattern below its fixed folder.

    A folder that matches stands for everything in it, as it does when a shell expands the pattern; no part at
    all stands for everything. Wildcards do not match hidden names.
    """

    def __init__(self, parts: Iterable[str] = ()) -> None:
        named = tuple(parts)
        self._parts = (*named, "**")
        self._matchers = [re.compile(fnmatch.translate(part)).match for part in self._parts]
        # A last part of wildcards alone says nothing about the sort of file.
        self._last = len(named) - 1 if named and named[-1].strip("*?") else None

    def start(self) -> State:
        """Return the state in the fixed folder."""
        return self._closed({0})

    def step(self, state: State, name: str) -> State:
        """Return the state one name further down."""
        hidden = name.startswith(".")
        following: set[int] = set()
        for index in state:
            if index == len(self._parts) or (hidden and not self._parts[index].startswith(".")):
                continue
            if self._parts[index] == "**":
                following.add(index)
            elif self._matchers[index](name):
                following.add(index + 1)
        return self._closed(following)

    def accepts(self, state: State) -> bool:
        """Say whether what has been stepped into is meant."""
        return len(self._parts) in state

    def names(self, state: State, name: str) -> bool:
        """Say whether the pattern's own last part matches here, so that the suffix does not matter."""
        return self._last in state and bool(self._matchers[self._last](name))

    def _closed(self, state: set[int]) -> State:
        for index, part in enumerate(self._parts):
            if part == "**" and index in state:
                state.add(index + 1)
        return frozenset(state)


def parsed(argument: str) -> tuple[Path, Glob]:
    """Return the fixed folder of a pattern and the rest."""
    parts = Path(argument).parts
    fixed = next(index for index, part in enumerate(parts) if _MAGIC.search(part))
    return Path(*parts[:fixed]), Glob(parts[fixed:])
