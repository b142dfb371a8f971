"""All terms of all rules in one automaton over words.

A sentence is read once. Each word is looked up in one table; only the few that begin a term are followed further, along
edges that hold every inflection, so the work grows with the text and not with the number of rules.

The automaton is plain data, so that a compiled one is read from JSON in a few milliseconds. A node is a list of its
edges, of the targets for whatever word comes, and of the terms that are complete there. Edges map a lower-case word to
targets; one that also asks for a part of speech or for capitals is a list ``[target, pos, slot, capitals]``. A negative
target is no node but the end of the term with the inverted number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unslant.rules.pos import plausible

__all__ = ["Automaton", "Match", "Tokens"]

_WORD = re.compile(r"[\w\u0300-\u036f]+(?:['\u2019][\w\u0300-\u036f]+)*")
_JOINS = frozenset(("", "-", "\u2010", "\u2011"))


def _lowered(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):
        # a few letters, such as the dotted capital I, grow when lowered and would shift all positions
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lowered.replace("\u2019", "'")


class Tokens:
    """The words of one sentence, lower-case, with their positions in it."""

    __slots__ = ("spans", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        lowered = _lowered(text)
        self.spans = [match.span() for match in _WORD.finditer(lowered)]
        self.words = [lowered[start:end] for start, end in self.spans]

    def __len__(self) -> int:
        return len(self.words)

    def written(self, at: int) -> str:
        """Return a word as it is written."""
        start, end = self.spans[at]
        return self.text[start:end]

    def gap(self, at: int) -> str:
        """Return what stands between a word and the one before it."""
        return self.text[self.spans[at - 1][1] : self.spans[at][0]]

    def joined(self, at: int) -> bool:
        """Say whether nothing but white space or one hyphen stands between a word and the one before it."""
        return at > 0 and self.gap(at).strip() in _JOINS

    def context(self, at: int) -> list[str]:
        """Return two words before, the word and one after; punctuation in between leaves a gap."""
        one = self.words[at - 1] if self.joined(at) else ""
        two = self.words[at - 2] if one and self.joined(at - 1) else ""
        after = self.words[at + 1] if at + 1 < len(self) and self.joined(at + 1) else ""
        return [two, one, self.words[at], after]


@dataclass(frozen=True, slots=True)
class Match:
    """A term found: which, and from which word to which, both inclusive."""

    entry: int
    first: int
    last: int
    exact: int
    """A bit for each word, counted from the first, that matched with its capitals."""


class Automaton:
    """Finds all terms in one pass over the words."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Take what ``building.build`` or ``to_data`` gave."""
        self._nodes: list[list[Any]] = data["nodes"]
        self._at_start = frozenset(data["at_start"])

    def to_data(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {"nodes": self._nodes, "at_start": sorted(self._at_start)}

    def find(self, tokens: Tokens) -> list[Match]:
        """Return every way in which a term matches, ordered by its first word."""
        edges = self._nodes[0][0]
        found: list[Match] = []
        for at, word in enumerate(tokens.words):
            if word in edges:
                found.extend(self._follow(tokens, at))
        return found

    def _follow(self, tokens: Tokens, first: int) -> Iterator[Match]:
        words = tokens.words
        waiting = [(0, first, 0)]
        while waiting:
            number, at, exact = waiting.pop()
            if number < 0:
                if first == 0 or ~number not in self._at_start:
                    yield Match(~number, first, at - 1, exact)
                continue
            edges, anything, ends = self._nodes[number]
            for entry in ends:
                if first == 0 or entry not in self._at_start:
                    yield Match(entry, first, at - 1, exact)
            if at == len(words) or (at > first and not tokens.joined(at)):
                continue
            waiting.extend((target, at + 1, exact) for target in anything)
            for edge in edges.get(words[at], ()):
                if isinstance(edge, int):
                    waiting.append((edge, at + 1, exact))
                    continue
                target, pos, slot, capitals = edge
                if capitals is not None:
                    if tokens.written(at) == capitals:
                        waiting.append((target, at + 1, exact | 1 << (at - first)))
                elif plausible(tokens.context(at), 2, pos, slot):
                    waiting.append((target, at + 1, exact))
