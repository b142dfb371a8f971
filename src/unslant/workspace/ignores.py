"""The rules of ``.gitignore`` files and of ``.git/info/exclude``.

The machine-wide ``core.excludesFile`` is deliberately not read, so that a project is checked in the same way on every
machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_bytes

if TYPE_CHECKING:
    from pathspec.pattern import Pattern

__all__ = ["Ignores", "add_ignore_file", "ignores_from_patterns", "inherited_ignores"]

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
    return next((pattern for pattern in patterns if pattern.include is not None), None)


def _matches(pattern: Pattern, path: str) -> bool:
    """Return whether a pattern matches this path itself; in the library it also matches everything inside.

    The search never enters an ignored folder, and re-including applies to that folder alone, as in git.
    """
    result = pattern.match_file(path)
    if result is None:
        return False
    end = result.match.start(_MARK) if _MARK in result.match.re.groupindex else -1
    return end in (-1, len(path) - 1)
