"""Who goes first: long texts are read in slices, and short requests go in between.

All requests share the cores. A text of many pages would keep them for seconds, so the passes that read it stop after
each slice of a few sentences and give way to short requests that are waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from unslant.core.types import Analysis, Sentence
from unslant.protocols import Analyzer

__all__ = ["SlicedAnalyzer", "Turns"]

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


class SlicedAnalyzer:
    """Hands sentences to an analyzer in slices of a bounded number of characters, with a step before each."""

    def __init__(self, analyzer: Analyzer, size: int, step: Callable[[], None]) -> None:
        self._analyzer = analyzer
        self._size = size
        self._step = step

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        found: list[Analysis] = []
        for part in _slices(sentences, self._size):
            self._step()
            found.extend(self._analyzer.analyze(part))
        return found


def _slices(sentences: Sequence[Sentence], size: int) -> Iterator[Sequence[Sentence]]:
    start = length = 0
    for index, sentence in enumerate(sentences):
        length += len(sentence.span)
        if length >= size:
            yield sentences[start : index + 1]
            start, length = index + 1, 0
    if start < len(sentences):
        yield sentences[start:]
