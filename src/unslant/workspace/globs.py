"""Patterns such as ``docs/**/*.md``, matched part by part on the way down: no folder is opened in vain."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["Glob", "State", "parsed"]

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
