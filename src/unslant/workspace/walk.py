"""Searching folders for files, in the order of names, skipping ignored files and following no loops.

Links to folders are followed, unless they lead to a place that the search visits anyway. Glob patterns such as
``docs/**/*.md`` are matched part by part on the way down, so that no folder is opened needlessly.

The rules are those of ``.gitignore`` files and of ``.git/info/exclude``. The machine-wide ``core.excludesFile`` is
deliberately not read, so that a project is checked in the same way on every machine.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import explain, quote_name, read_bytes
from unslant.text.formats import NAMES, full_name
from unslant.workspace.discover import Failure

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

# In git, "a/**" means everything in a, but not a itself; the library includes a, and loses what is re-included.
_ALL_INSIDE = re.compile(r"/\*\*(/?)\s*$")

# In git, "*/" and "**/" mean every folder at any depth; the library sees only the first in a path.
_EVERY_FOLDER = re.compile(r"^\s*(!?)\*\*?/\s*$")

# The group in the library's patterns that captures the slash after the matched name.
_MARK = "ps_d"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The rules of one ignore file; if none matches, those above decide."""

    base: str
    """The absolute path that the patterns are relative to."""
    patterns: tuple[Pattern, ...]
    """In reverse order, because the last match wins."""
    above: Ignores | None = None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether an absolute path is ignored, assuming that its parents are not."""
        rules: Ignores | None = self
        while rules is not None:
            relative = rules._relative(path) + "/" * is_folder
            for pattern in rules.patterns:
                if _matches(pattern, relative):
                    return bool(pattern.include)
            rules = rules.above
        return False

    def _relative(self, path: str) -> str:
        base = self.base.rstrip(os.sep) + os.sep
        inside = path[len(base) :] if path.startswith(base) else os.path.relpath(path, self.base)
        return inside.replace(os.sep, "/")


def add_ignore_file(above: Ignores | None, file: str, base: str) -> Ignores | None:
    """Return the rules of an ignore file on top of those above; invalid lines are skipped."""
    try:
        lines = _text(Path(file)).splitlines()
    except InputError:
        return above
    patterns = tuple(pattern for pattern in map(_pattern, reversed(lines)) if pattern)
    return Ignores(base, patterns, above) if patterns else above


def _text(path: Path) -> str:
    return read_bytes(path, max_bytes=4 << 20).decode("utf-8-sig", "surrogateescape")


def ignores_from_patterns(lines: Sequence[str], base: str) -> Ignores | None:
    """Return the rules of the setting ``exclude``; an invalid pattern raises ``ConfigError``."""
    patterns = [(line, _pattern(line)) for line in reversed(lines)]
    for line, pattern in patterns:
        if pattern is None:
            raise ConfigError(f"exclude: {line!r} is not a valid .gitignore pattern; correct or remove it")
    return Ignores(base, tuple(pattern for _, pattern in patterns if pattern)) if patterns else None


def inherited_ignores(folder: str) -> Ignores | None:
    """Return the rules of a folder's parents, up to the git root.

    If they ignore the folder itself, the user named it on purpose, and they are dropped.
    """
    parents: list[str] = []
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):  # noqa: PTH118
        above = os.path.dirname(top)  # noqa: PTH120
        if above == top:
            return None
        top = above
        parents.append(top)
    rules = _info_exclude(Path(top))
    for parent, inner in pairwise([*reversed(parents), folder]):
        file = os.path.join(parent, ".gitignore")  # noqa: PTH118
        if os.path.lexists(file):
            rules = add_ignore_file(rules, file, parent)
        if rules is not None and rules.ignores(inner, is_folder=True):
            return None
    return rules


def _info_exclude(top: Path) -> Ignores | None:
    """Return the rules of ``.git/info/exclude``; a linked worktree shares those of the main one."""
    git = top / ".git"
    try:
        if git.is_file():
            git = top / _text(git).removeprefix("gitdir:").strip()
            common = git / "commondir"
            if common.is_file():
                git = git / _text(common).strip()
    except (InputError, OSError, ValueError):
        return None
    file = git / "info" / "exclude"
    return add_ignore_file(None, str(file), str(top)) if file.is_file() else None


def _pattern(line: str) -> Pattern | None:
    """Return the pattern of a line, adapted where the library differs from git; None if there is none."""
    from pathspec import GitIgnoreSpec

    line = _ALL_INSIDE.sub(r"/**/*\1", _EVERY_FOLDER.sub(r"\1?*/", line))
    try:
        patterns = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return None
    pattern = next((pattern for pattern in patterns if pattern.include is not None), None)
    if pattern is not None and (regex := pattern.regex) is not None:
        pattern.regex = re.compile(commit_early(regex.pattern), regex.flags)
    return pattern


_STAR = r"\[\^/\]\*"
_LITERAL = rf"(?!{_STAR})(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\\[/()*+?])"
_STARS = re.compile(rf"(?:{_STAR})+")
_STAR_BEFORE_STAR = re.compile(rf"{_STAR}((?:{_LITERAL})+)(?={_STAR})")
_FOLDERS = r"\(\?:/\.\+\)\?"
_PARTS = rf"(?:(?!{_FOLDERS})(?:\\.|[^\\]))+?"
_FIRST_FOLDERS = re.compile(rf"^\^\(\?:\.\+/\)\?({_PARTS})(?={_FOLDERS})")
_MORE_FOLDERS = re.compile(rf"{_FOLDERS}({_PARTS})(?={_FOLDERS})")


def commit_early(regex: str) -> str:
    """Return an equivalent of a regular expression of the library that does not try every division of a name.

    What follows a wildcard is taken where it first fits, if another wildcard follows: nothing is gained by a later
    place. Without this, a pattern such as ``*a*a*a*b`` takes longer than anybody waits.
    """
    regex = _STAR_BEFORE_STAR.sub(r"(?>[^/]*?\1)", _STARS.sub("[^/]*", regex))
    regex = _FIRST_FOLDERS.sub(r"^(?>(?:.+?/)??\1(?=/))", regex)
    return _MORE_FOLDERS.sub(r"(?>(?:/.+?)??\1(?=/))", regex)


def _matches(pattern: Pattern, path: str) -> bool:
    """Return whether a pattern matches this path itself; in the library it also matches everything inside.

    The search never enters an ignored folder, and re-including applies to that folder alone, as in git.
    """
    result = pattern.match_file(path)
    if result is None:
        return False
    end = result.match.start(_MARK) if _MARK in result.match.re.groupindex else -1
    return end in (-1, len(path) - 1)


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder in the search."""

    spelled: str
    """The path to open and show; empty for the current folder."""
    logical: str
    """The absolute path through links; ignore rules apply to it."""
    real: str
    """The absolute path without links; it identifies the folder."""
    rules: Ignores | None
    state: State

    def child(self, name: str) -> tuple[str, str]:
        """Return the path of a name inside, as shown and absolute."""
        # Path objects would take up half the time of a search.
        return os.path.join(self.spelled, name), os.path.join(self.logical, name)  # noqa: PTH118


@dataclass(slots=True)
class Search:
    """A search of a folder and everything below it."""

    top: Path
    glob: Glob
    suffixes: Collection[str]
    """With a dot, in lower case."""
    excluded: Ignores | None = None
    gitignore: bool = True
    """Whether to skip what ``.gitignore`` names."""
    skipped: Counter[str] = field(default_factory=Counter)
    """How many files have another suffix, by suffix."""
    _way: list[tuple[_Folder, Iterator[os.DirEntry[str]]]] = field(default_factory=list)
    _roots: list[str] = field(default_factory=list)
    """The folders that the search covers: where it started, and where links led."""

    def run(self) -> Iterator[tuple[str, str] | Failure]:
        """Yield each file, as shown and without links, or a failure."""
        real = os.path.realpath(self.top)
        self._roots.append(real)
        spelled = "" if self.top == Path() else str(self.top)
        following: _Folder | None = _Folder(
            spelled, real, real, inherited_ignores(real) if self.gitignore else None, self.glob.start()
        )
        while following is not None or self._way:
            if following is not None:
                folder, following = following, None
                try:
                    self._way.append(_open_folder(folder, self.gitignore))
                except OSError as error:
                    yield Failure(Path(folder.spelled), explain(folder.spelled or ".", error))
                continue
            folder, entries = self._way[-1]
            entry = next(entries, None)
            if entry is None:
                self._way.pop()
                continue
            result = self._visit(folder, entry)
            if isinstance(result, _Folder):
                following = result
            elif result is not None:
                yield result

    def _visit(self, folder: _Folder, entry: os.DirEntry[str]) -> _Folder | tuple[str, str] | Failure | None:
        state = self.glob.step(folder.state, entry.name)
        if not state:
            return None
        spelled, logical = folder.child(entry.name)
        try:
            is_folder = entry.is_dir()
        except OSError as error:
            if self._is_ignored(folder, logical, is_folder=False):
                return None
            return Failure(Path(spelled), explain(spelled, error))
        # The suffix comes first, because checking it is much cheaper than the ignore rules.
        if not is_folder and not self._matches_name(folder, state, entry.name):
            if self.glob.accepts(state) and not self._is_ignored(folder, logical, is_folder):
                self.skipped[os.path.splitext(entry.name)[1].lower()] += 1  # noqa: PTH122
            return None
        if self._is_ignored(folder, logical, is_folder):
            return None
        linked = entry.is_symlink()
        real = os.path.realpath(entry.path) if linked else os.path.join(folder.real, entry.name)  # noqa: PTH118
        if is_folder:
            inner = _Folder(spelled, logical, real, folder.rules, state)
            return self._follow(folder, inner) if linked else inner
        if linked and not os.path.lexists(real):
            return Failure(Path(spelled), f"{quote_name(spelled)} is a broken link; remove or fix it")
        return (spelled, real) if entry.is_file() else None

    def _matches_name(self, folder: _Folder, state: State, name: str) -> bool:
        known = os.path.splitext(name)[1].lower() in self.suffixes or full_name(name) in NAMES  # noqa: PTH122
        return self.glob.accepts(state) and (known or self.glob.names(folder.state, name))

    def _is_ignored(self, folder: _Folder, logical: str, is_folder: bool) -> bool:
        rules, excluded = folder.rules, self.excluded
        return (rules is not None and rules.ignores(logical, is_folder)) or (
            excluded is not None and excluded.ignores(logical, is_folder)
        )

    def _follow(self, folder: _Folder, link: _Folder) -> _Folder | Failure | None:
        """Return where a link leads; None if the search visits that place anyway."""
        if _inside(folder.real, link.real) or any(link.real == passed.real for passed, _ in self._way):
            message = (
                f"{quote_name(link.spelled)} is a link to a folder that contains it; remove or exclude it"
            )
            return Failure(Path(link.spelled), message)
        if any(_inside(link.real, root) for root in self._roots):
            return None
        self._roots.append(link.real)
        return link


def _open_folder(folder: _Folder, gitignore: bool) -> tuple[_Folder, Iterator[os.DirEntry[str]]]:
    """Return the folder, with the rules of its own ignore file, and its entries in order."""
    with os.scandir(folder.spelled or ".") as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if gitignore and entry.name == ".gitignore":
            rules = add_ignore_file(folder.rules, entry.path, folder.logical)
            folder = _Folder(folder.spelled, folder.logical, folder.real, rules, folder.state)
    return folder, iter(entries)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


_MAGIC = re.compile(r"[*?[]")

State = frozenset[int]
"""The indices of the parts that can match next; empty if nothing below can match."""


class Glob:
    """The parts of a pattern below its fixed folder.

    A folder that matches stands for everything in it, as in a shell; an empty pattern matches everything. Wildcards
    do not match hidden names.
    """

    def __init__(self, parts: Iterable[str] = ()) -> None:
        named = tuple(parts)
        self._parts = (*named, "**")
        self._matchers = [re.compile(fnmatch.translate(part)).match for part in self._parts]
        # A last part of only wildcards does not imply a type of file.
        self._last = len(named) - 1 if named and named[-1].strip("*?") else None

    def start(self) -> State:
        """Return the state in the fixed folder."""
        return self._close({0})

    def step(self, state: State, name: str) -> State:
        """Return the state after one more name."""
        hidden = name.startswith(".")
        following: set[int] = set()
        for index in state:
            if index == len(self._parts) or (hidden and not self._parts[index].startswith(".")):
                continue
            if self._parts[index] == "**":
                following.add(index)
            elif self._matchers[index](name):
                following.add(index + 1)
        return self._close(following)

    def accepts(self, state: State) -> bool:
        """Return whether the current path matches."""
        return len(self._parts) in state

    def names(self, state: State, name: str) -> bool:
        """Return whether the pattern's own last part matches, so that the suffix does not matter."""
        return self._last in state and bool(self._matchers[self._last](name))

    def _close(self, state: set[int]) -> State:
        for index, part in enumerate(self._parts):
            if part == "**" and index in state:
                state.add(index + 1)
        return frozenset(state)


def parse_glob(argument: str) -> tuple[Path, Glob]:
    """Return the fixed folder of a pattern and the rest."""
    parts = Path(argument).parts
    fixed = next(index for index, part in enumerate(parts) if _MAGIC.search(part))
    return Path(*parts[:fixed]), Glob(parts[fixed:])
