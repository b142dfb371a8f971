"""Counterfactual texts: the same text with groups, parties and genders swapped.

The lists are data (``swaps.toml``). A swap maps each word of a pair to the other, so that swapping twice restores the
text; a text for which this does not hold is not swapped.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.errors import UnknownName
from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.text.words import CHARACTERS, whole_words

_NEXT = re.compile(rf"\s+({CHARACTERS.pattern})")
_NO_NOUN = frozenset(
    "a about after again all an and as at away back because before but by down for from how if in into is it like "
    "not of off on or out over so than that the then there they this through to today too under until up was what "
    "when where which while who why with yesterday you".split()
)
"""Words that follow an object pronoun, not a possessive."""


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.detector").joinpath("swaps.toml").read_text("utf-8"))


def swap_lists() -> tuple[str, ...]:
    """Return the names of the lists."""
    return tuple(name for name in _data() if name != "version")


def swap_pairs(name: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a list; a form with two counterparts is in two pairs."""
    if name not in swap_lists():
        raise UnknownName("swap list", name, swap_lists())
    entry = _data()[name]
    forms = entry.get("forms", {})
    shared = [(forms[form], forms["shared"]) for form in ("before_noun", "elsewhere") if forms]
    return (*((left, right) for left, right in entry["pairs"]), *shared)


class Swapper:
    """Swaps the words of some lists."""

    def __init__(self, lists: Sequence[str] = ()) -> None:
        self._other: dict[str, tuple[str, str]] = {}
        self._shared: dict[str, tuple[str, str]] = {}
        self._cased: set[str] = set()
        for name in lists or swap_lists():
            self._add(name)
        self._pattern = whole_words((*self._other, *self._shared), re.IGNORECASE)

    def _add(self, name: str) -> None:
        if name not in swap_lists():
            raise UnknownName("swap list", name, swap_lists())
        entry = _data()[name]
        for left, right in entry["pairs"]:
            self._other |= {left.lower(): (left, right), right.lower(): (right, left)}
            if entry.get("cased"):
                self._cased |= {left.lower(), right.lower()}
        if forms := entry.get("forms"):
            before, elsewhere = forms["before_noun"], forms["elsewhere"]
            self._shared[forms["shared"]] = (before, elsewhere)
            self._other |= {form: (form, forms["shared"]) for form in (before, elsewhere)}

    def text(self, text: str) -> str | None:
        """Return the text with every listed word swapped; None if there is none or the swap is not reversible."""
        swapped = "".join(new for _, new in self._segments(text))
        if swapped == text or "".join(new for _, new in self._segments(swapped)) != text:
            return None
        return swapped

    def _segments(self, text: str) -> list[tuple[str, str]]:
        """Split the text into segments, each with its replacement."""
        segments, last = [], 0
        for match in self._pattern.finditer(text):
            between = text[last : match.start()]
            segments += [(between, between), (match[0], self._counterpart(match))]
            last = match.end()
        return [*segments, (text[last:], text[last:])]

    def _counterpart(self, match: re.Match[str]) -> str:
        found = match[0].lower()
        if found in self._shared:
            before, elsewhere = self._shared[found]
            return _match_case(match[0], found, before if _noun_follows(match) else elsewhere)
        listed, other = self._other[found]
        if found in self._cased and match[0] not in (listed, listed.upper()):
            return match[0]
        return _match_case(match[0], listed, other)

    def swap(self, example: Example) -> Example | None:
        """Return the example with its text swapped and its spans moved; labels stay."""
        swapped = self.text(example.text)
        if swapped is None:
            return None
        spans = example.spans
        if spans is not None:
            moved = self._position_map(example.text)
            spans = tuple(
                LabelledSpan(
                    Span(moved(span.span.start, False), moved(span.span.end, True)), span.kind, span.share
                )
                for span in spans
            )
        return replace(example, text=swapped, spans=spans)

    def _position_map(self, text: str) -> Any:
        """Return a function from old to new positions; inside a swapped word, it returns the start or the end."""
        borders: list[tuple[int, int, int, int]] = []
        old = new = 0
        for before, after in self._segments(text):
            borders.append((old, old + len(before), new, new + len(after)))
            old, new = old + len(before), new + len(after)

        def move(position: int, is_end: bool) -> int:
            for start, end, new_start, new_end in borders:
                inside = start < position <= end if is_end else start <= position < end
                if inside and end - start == new_end - new_start:
                    return new_start + position - start
                if inside:
                    return new_end if is_end else new_start
            return new

        return move


def _noun_follows(match: re.Match[str]) -> bool:
    """Guess whether a noun phrase follows: the next word is not one that usually follows an object pronoun."""
    following = _NEXT.match(match.string, match.end())
    return following is not None and following[1].lower() not in _NO_NOUN


def _match_case(found: str, listed: str, other: str) -> str:
    """Return the counterpart with the capitalization of the word found."""
    if found == listed:
        return other
    if found.isupper() and len(found) > 1:
        return other.upper()
    return other[:1].upper() + other[1:] if found[:1].isupper() else other
