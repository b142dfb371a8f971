"""A progress bar for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["Progress", "ProgressBars"]

_T = TypeVar("_T")
_PATIENCE = 1.0
"""Seconds before the bar appears."""
_PAUSE = 0.1
"""Seconds between two drawings."""
_WIDTH = 30


class Progress:
    """Shows on a terminal how much is done; silent in a pipe and for quick work."""

    def __init__(self, total: int, what: str = "checking") -> None:
        self._total = max(total, 1)
        self._what = what
        self._done = 0
        self._start = self._drawn = time.monotonic()
        self._visible = False
        self._wanted = sys.stderr.isatty()

    def advance(self, count: int) -> None:
        """Count more work as done."""
        self._done = min(self._total, self._done + count)
        now = time.monotonic()
        if not self._wanted or now - self._start < _PATIENCE or now - self._drawn < _PAUSE:
            return
        self._drawn = now
        share = self._done / self._total
        bar = "#" * int(share * _WIDTH)
        left = (now - self._start) * (1 - share) / share if share else 0
        sys.stderr.write(f"\r\x1b[K{self._what} [{bar:<{_WIDTH}}] {share:4.0%}, about {left:.0f} s left")
        sys.stderr.flush()
        self._visible = True

    def clear(self) -> None:
        """Take the bar off the screen, so that something else can be written."""
        if self._visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._visible = False

    def around(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items, with the bar out of the way while each is used."""
        try:
            for item in items:
                self.clear()
                yield item
        finally:
            self.clear()


class ProgressBars:
    """One bar for each task that reports ``(task, done, total)``, one task at a time."""

    def __init__(self) -> None:
        self._task, self._done = "", 0
        self._bar: Progress | None = None

    def __call__(self, task: str, done: int, total: int | None) -> None:
        """Show how much of a task is done; a total of None is not known yet, and nothing is shown."""
        if total is None:
            return
        if task != self._task or self._bar is None or done < self._done:
            if self._bar is not None:
                self._bar.clear()
            # A resumed task begins in the middle, and its rate should not count what was done before.
            self._task, self._done = task, max(done - 1, 0)
            self._bar = Progress(total - self._done, task)
        self._bar.advance(done - self._done)
        self._done = done
        if done >= total:
            self._bar.clear()
