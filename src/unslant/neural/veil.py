"""What a network is not told apart: parties, politicians, genders and other groups.

A detector that has seen more slanted sentences about one side than about the other learns the side. So the network
reads another word in place of a listed one, the same for both sides: its answer cannot depend on which was meant.
Positions are always those of the text as it was.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Veil", "Veiled", "listed"]


@cache
def listed() -> Mapping[str, str]:
    """Return what each listed word is read as; data, in ``veil.toml``."""
    data = tomllib.loads(files("unslant.neural").joinpath("veil.toml").read_text("utf-8"))
    lines = [line for entry in data.values() if isinstance(entry, dict) for line in entry["lines"]]
    return {word: line[0] for line in lines for word in line}


@dataclass(frozen=True, slots=True)
class Veiled:
    """A text in which listed words are covered, and where everything stood before."""

    text: str
    starts: Sequence[int] = ()
    """Where the covering words begin, in order."""
    ends: Sequence[int] = ()
    places: Sequence[tuple[int, int]] = ()
    """What each of them covers, in the text as it was."""

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return where a piece stood; a piece of a covering word stands for all that is covered."""
        return self._place(start, False), self._place(max(end, start), True)

    def _place(self, position: int, is_end: bool) -> int:
        # an end belongs to the word before it, a start to the one behind
        at = bisect_right(self.starts, position - 1 if is_end else position) - 1
        if at < 0:
            return position
        if position < self.ends[at] or (is_end and position == self.ends[at]):
            return self.places[at][1 if is_end else 0]
        return position - self.ends[at] + self.places[at][1]


class Veil:
    """Covers the words of a list."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._exact = {word: cover for word, cover in words.items() if word != word.lower()}
        self._exact |= {word.upper(): cover for word, cover in self._exact.items() if len(word) > 1}
        self._loose = {word: cover for word, cover in words.items() if word == word.lower()}
        self._pattern = _pattern(words) if words else None

    def cover(self, text: str, instead: Callable[[str], str] | None = None) -> Veiled:
        """Return the text as a network should read it; ``instead`` may name another word than the covering one."""
        if self._pattern is None:
            return Veiled(text)
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        places: list[tuple[int, int]] = []
        last = length = 0
        for match in self._pattern.finditer(text):
            cover = self._exact.get(match[0]) or self._loose.get(match[0].lower())
            if cover is None:
                continue
            cover = instead(cover) if instead else cover
            before = text[last : match.start()]
            parts += [before, cover]
            starts.append(length + len(before))
            length = starts[-1] + len(cover)
            ends.append(length)
            places.append(match.span())
            last = match.end()
        return Veiled("".join([*parts, text[last:]]), starts, ends, places) if parts else Veiled(text)


def _pattern(words: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern that finds the longest word at each place.

    The words are told apart by their first letter, else each would be tried at every word of a text.
    """
    longest_first = sorted({word.lower() for word in words}, key=lambda word: (-len(word), word))
    endings: dict[str, list[str]] = {}
    for word in longest_first:
        endings.setdefault(word[:1], []).append(re.escape(word[1:]))
    groups = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in endings.items())
    # a full stop that is a part of the word may be followed by anything
    return re.compile(rf"(?<![\w-])(?:{'|'.join(groups)})(?:(?<=\.)|(?![\w-]))", re.IGNORECASE)
