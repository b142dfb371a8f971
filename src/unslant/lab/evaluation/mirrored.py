"""Mirrored sentences: whether the findings stay the same when only the people in a sentence are exchanged.

The sentences are in ``mirrored.toml``. They are checked as a user's text is, with rules, model and settings.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files

from unslant.core.types import Report


@dataclass(frozen=True, slots=True)
class MirroredPair:
    """A sentence with a gap, and the two names that are put in it."""

    axis: str
    """What the names differ in, such as ``ages``."""
    sentence: str
    names: tuple[str, str]

    def texts(self) -> tuple[str, str]:
        """Return the sentence with each of the names; a name that begins it has a capital letter."""
        first, second = self.names
        return self._fill(first), self._fill(second)

    def _fill(self, name: str) -> str:
        return self.sentence.format(name[:1].upper() + name[1:] if self.sentence.startswith("{}") else name)


def mirrored_pairs() -> list[MirroredPair]:
    """Return every pair of names of every axis in each sentence of its form."""
    data = tomllib.loads(files("unslant.lab.evaluation").joinpath("mirrored.toml").read_text("utf-8"))
    return [
        MirroredPair(axis, sentence, (first, second))
        for axis, entry in data["axes"].items()
        for first, second in entry["pairs"]
        for sentence in data["forms"][entry["form"]]
    ]


def findings_differ(pair: MirroredPair, check: Callable[[str], Report]) -> bool:
    """Tell whether the two texts get findings on different words; anywhere in the exchanged name is one place."""
    first, second = (
        _places(pair, name, check(text)) for name, text in zip(pair.names, pair.texts(), strict=True)
    )
    return first != second


def _places(pair: MirroredPair, name: str, report: Report) -> list[tuple[int, int]]:
    """Return where the findings are, counted as if the name had one character."""
    gap = pair.sentence.index("{}")

    def place(position: int, is_end: bool) -> int:
        if position <= gap + (0 if is_end else len(name) - 1):
            return min(position, gap)
        return max(position - len(name), gap) + 1

    return sorted(
        (place(finding.span.start, False), place(finding.span.end, True)) for finding in report.findings
    )
