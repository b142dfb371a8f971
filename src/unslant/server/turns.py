"""Who goes first: long texts are read in slices, and short requests go in between.

All requests share the cores. A text of many pages would keep them for seconds, so the passes that read it stop after
each slice of a few sentences and give way to short requests that are waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Turns"]

_LONGEST_PAUSE = 0.1
"""Seconds that a long text gives way before it reads its next slice anyway, so that it is never held up for good."""


class Turns:
    """Counts the requests that go first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._first = 0

    @contextmanager
    def first(self) -> Iterator[None]:
        """Go first: others give way until this ends."""
        with self._changed:
            self._first += 1
        try:
            yield
        finally:
            with self._changed:
                self._first -= 1
                self._changed.notify_all()

    def give_way(self) -> None:
        """Wait until nobody goes first, but not for long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._first, _LONGEST_PAUSE)
