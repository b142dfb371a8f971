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
from collections.abc import Collection, Iterable, Iterator
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
        """Return three words before, the word and two after; punctuation in between leaves empty strings."""
        first, last = at, at
        while first > max(0, at - 3) and self.joined(first):
            first -= 1
        while last < min(len(self) - 1, at + 2) and self.joined(last + 1):
            last += 1
        return [""] * (3 - at + first) + self.words[first : last + 1] + [""] * (2 - last + at)


@dataclass(frozen=True, slots=True)
class Match:
    """A term found: which, and from which word to which, both inclusive."""

    entry: int
    first: int
    last: int
    exact: int
    """A bit for each word, counted from the first, that matched with its capitals."""


_Member = tuple[int, int]
"""A node that has been reached, and a bit for each word on the way to it that matched with its capitals."""


class _State:
    """All nodes that the same words lead to; made when first needed, so that a word costs one look-up."""

    __slots__ = ("accepts", "known", "members", "open", "steps")

    def __init__(self, members: Iterable[_Member], nodes: list[list[Any]]) -> None:
        self.members = [(node, exact) for node, exact in members if node >= 0]
        self.accepts = [(~node, exact) for node, exact in members if node < 0]
        self.accepts += [(entry, exact) for node, exact in self.members for entry in nodes[node][2]]
        edges = [nodes[node][0] for node, _ in self.members]
        self.known: Collection[str] = edges[0] if len(edges) == 1 else frozenset().union(*edges)
        self.open = [(target, exact) for node, exact in self.members for target in nodes[node][1]]
        self.steps: dict[str, _Step] = {}


_Step = tuple[frozenset[_Member], tuple[tuple[list[Any], int], ...]]
"""Where a word leads in any case, and the edges that ask for more, each with the bits so far."""


class Automaton:
    """Finds all terms in one pass over the words."""

    def __init__(self, data: dict[str, Any]) -> None:
        """Take what ``building.build`` or ``to_data`` gave."""
        self._nodes: list[list[Any]] = data["nodes"]
        self._at_start = frozenset(data["at_start"])
        self._states: dict[frozenset[_Member], _State] = {}
        self._root = self._state(frozenset(((0, 0),)))

    def to_data(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {"nodes": self._nodes, "at_start": sorted(self._at_start)}

    def find(self, tokens: Tokens) -> list[Match]:
        """Return every way in which a term matches, ordered by its first word."""
        known = self._root.known
        found: list[Match] = []
        for first, word in enumerate(tokens.words):
            if word in known:
                self._follow(tokens, first, found)
        return found

    def _follow(self, tokens: Tokens, first: int, found: list[Match]) -> None:
        words, at, state = tokens.words, first, self._root
        while at < len(words):
            if words[at] not in state.known and not state.open:
                return
            if at > first and not tokens.joined(at):
                return
            sure, unsure = state.steps.get(words[at]) or self._step(state, words[at])
            if unsure:
                sure = sure.union(_passed(tokens, at, first, unsure))
            if not sure:
                return
            state = self._state(sure)
            at += 1
            for entry, exact in state.accepts:
                if first == 0 or entry not in self._at_start:
                    found.append(Match(entry, first, at - 1, exact))

    def _state(self, members: frozenset[_Member]) -> _State:
        state = self._states.get(members)
        if state is None:
            state = self._states[members] = _State(members, self._nodes)
        return state

    def _step(self, state: _State, word: str) -> _Step:
        sure = list(state.open)
        unsure = []
        for node, exact in state.members:
            for edge in self._nodes[node][0].get(word, ()):
                if isinstance(edge, int):
                    sure.append((edge, exact))
                else:
                    unsure.append((edge, exact))
        step = frozenset(sure), tuple(unsure)
        if word in state.known:  # what leads on from any word is not remembered, for there is no end of words
            state.steps[word] = step
        return step


def _passed(
    tokens: Tokens, at: int, first: int, edges: Iterable[tuple[list[Any], int]]
) -> Iterator[tuple[int, int]]:
    """Yield where those edges lead whose part of speech or capitals are right."""
    for (target, pos, slot, capitals), exact in edges:
        if capitals is not None:
            if tokens.written(at) == capitals:
                yield target, exact | 1 << (at - first)
        elif plausible(tokens.context(at), pos, slot):
            yield target, exact
