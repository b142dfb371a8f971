"""The progress bar of every command."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

_T = TypeVar("_T")
_PATIENCE = 1.0
"""Seconds before the bar appears."""
_PAUSE = 0.1
"""Seconds between two drawings."""
_WIDTH = 30
QUIET = "unslant.quiet"
"""The key in the context of a command that ``--quiet`` sets."""


def is_quiet() -> bool:
    """Return whether the running command was given ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


class ProgressBar:
    """Shows on a terminal how much of each step is done; silent in a pipe, with ``--quiet`` and for quick work."""

    def __init__(self, label: str = "", total: int | None = None) -> None:
        self._wanted = sys.stderr.isatty() and not is_quiet()
        self._visible = False
        self._label, self._total = label, total
        self._first = self._done = 0
        self._start = self._drawn = time.monotonic()

    def __call__(self, label: str, done: int, total: int | None) -> None:
        """Show how far a step is; a new label, or a count that starts again, is a new step."""
        if label != self._label or done < self._done:
            self.clear()
            # A resumed step begins in the middle: its rate must not count what was done before.
            self._begin(label, total, max(done - 1, 0))
        self.advance(done - self._done)
        if total is not None and done >= total:
            self.clear()

    def advance(self, count: int, note: str = "") -> None:
        """Count more work of the current step as done; a note, such as the rate, is shown behind."""
        self._done += count
        now = time.monotonic()
        if not self._wanted or now - self._start < _PATIENCE or now - self._drawn < _PAUSE:
            return
        self._drawn = now
        state = self._state(now - self._start) + (f", {note}" if note else "")
        sys.stderr.write(f"\r\x1b[K{self._label} {state}")
        sys.stderr.flush()
        self._visible = True

    def clear(self) -> None:
        """Remove the bar from the screen, so that something else can be written."""
        if self._visible:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._visible = False

    def around(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield the items, with the bar cleared while each is used."""
        try:
            for item in items:
                self.clear()
                yield item
        finally:
            self.clear()

    def _begin(self, label: str, total: int | None, done: int) -> None:
        self._label, self._total = label, total
        self._first = self._done = done
        self._start = self._drawn = time.monotonic()

    def _state(self, seconds: float) -> str:
        if self._total is None:
            return f"{self._done:,}"
        share = min(1.0, self._done / max(self._total, 1))
        fresh = self._done - self._first
        left = seconds * max(self._total - self._done, 0) / fresh if fresh else 0
        return f"[{'#' * int(share * _WIDTH):<{_WIDTH}}] {share:4.0%}, about {left:.0f} s left"
