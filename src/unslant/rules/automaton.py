"""All terms of all rules in one automaton over words.

Each sentence is processed once. Each word is looked up in one table, and only the few that start a term are followed
further, along edges that include every inflection. So the work grows with the text, not with the number of rules.

The automaton is a list of strings, one per node, and a node is parsed only when a sentence leads there: so a compiled
automaton loads from JSON in a few milliseconds. The lines of a node are its edges, the targets for any word, and the
numbers of the terms that end there. An edge is ``word:target,target``. A target with conditions is written
``target/part of speech/slot/capitals``. A negative target is not a node but the end of the term with the inverted
number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from unslant.rules.pos import plausible
from unslant.text.words import WORD

_WORD_OR_GAP = re.compile(f"({WORD.pattern})")
_JOINS = frozenset(("", "-", "\u2010", "\u2011"))


def _lower(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):
        # a few letters, such as the dotted capital I, become longer in lower case, which would shift all positions
        lowered = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lowered.replace("\u2019", "'") if "\u2019" in lowered else lowered


class Tokens:
    """The words of a sentence, in lower case, and the text between them."""

    __slots__ = ("_gaps", "_spans", "headline", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        parts = _WORD_OR_GAP.split(_lower(text))
        self.words: list[str] = parts[1::2]
        self._gaps: list[str] = parts[::2]
        self._spans: list[tuple[int, int]] | None = None
        self.headline: bool | None = None
        """Whether it is a headline; set by the first who asks."""

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The span of each word; computed on demand, because most sentences do not need it."""
        if self._spans is None:
            self._spans = []
            at = 0
            for gap, word in zip(self._gaps, self.words, strict=False):
                at += len(gap)
                self._spans.append((at, at := at + len(word)))
        return self._spans

    def __len__(self) -> int:
        return len(self.words)

    def written(self, at: int) -> str:
        """Return a word as written."""
        start, end = self.spans[at]
        return self.text[start:end]

    def gap(self, at: int) -> str:
        """Return the text between a word and the one before it."""
        return self.text[self.spans[at - 1][1] : self.spans[at][0]]

    def follows_directly(self, at: int) -> bool:
        """Return whether only white space or a single hyphen separates a word from the one before it."""
        gap = self._gaps[at]
        return at > 0 and (gap == " " or gap.strip() in _JOINS)

    def context(self, at: int) -> list[str]:
        """Return three words before, the word and two after, with empty strings beyond any punctuation."""
        first, last = at, at
        while first > max(0, at - 3) and self.follows_directly(first):
            first -= 1
        while last < min(len(self) - 1, at + 2) and self.follows_directly(last + 1):
            last += 1
        return [""] * (3 - at + first) + self.words[first : last + 1] + [""] * (2 - last + at)


@dataclass(frozen=True, slots=True)
class TermMatch:
    """A matched term, with its first and last word."""

    entry: int
    first: int
    last: int
    exact: int
    """A bit for each word, from the first, that matched with its capitals."""


_Member = tuple[int, int]
"""A node, and a bit for each word on the path that matched with its capitals."""


class Edge(NamedTuple):
    """The target of a word, and its conditions."""

    target: int
    pos: str = ""
    slot: str = ""
    capitals: str = ""

    @property
    def sure(self) -> bool:
        """Whether there are no conditions."""
        return not self.pos and not self.capitals

    def __str__(self) -> str:
        return str(self.target) if self.sure else "/".join(map(str, self))


class Node(NamedTuple):
    """A node of the automaton."""

    edges: dict[str, str]
    """The targets by lower-case word, not parsed yet."""
    anything: tuple[int, ...]
    """The targets for any word."""
    ends: tuple[int, ...]
    """The terms that end here."""

    @classmethod
    def from_text(cls, text: str) -> Node:
        """Parse the output of ``__str__``."""
        edges, anything, ends = text.split("\n")
        pairs = (edge.split(":") for edge in edges.split(" ")) if edges else []
        return cls(dict(pairs), _numbers(anything), _numbers(ends))

    def __str__(self) -> str:
        edges = " ".join(f"{word}:{targets}" for word, targets in self.edges.items())
        return "\n".join((edges, ",".join(map(str, self.anything)), ",".join(map(str, self.ends))))

    def edges_of(self, word: str) -> Iterator[Edge]:
        """Yield the edges of a word."""
        for text in self.edges[word].split(",") if word in self.edges else ():
            target, *conditions = text.split("/")
            yield Edge(int(target), *conditions)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()


class _State:
    """All nodes that the same words lead to; built on demand, so that a word costs one lookup."""

    __slots__ = ("accepts", "known", "members", "open", "steps")

    def __init__(self, accepts: list[_Member], members: list[tuple[Node, int]]) -> None:
        self.members = members
        self.accepts = accepts + [(entry, exact) for node, exact in members for entry in node.ends]
        edges = [node.edges for node, _ in members]
        self.known: Collection[str] = edges[0] if len(edges) == 1 else frozenset().union(*edges)
        self.open = [(target, exact) for node, exact in members for target in node.anything]
        self.steps: dict[str, _Step] = {}


_Step = tuple[frozenset[_Member], tuple[tuple[Edge, int], ...]]
"""The unconditional targets of a word, and the edges with conditions, each with the bits so far."""


_MOST_STATES = 4_096
"""How many states are kept; then they are built anew, so that memory does not grow with the text."""


class Automaton:
    """Finds all terms in one pass over the words."""

    def __init__(self, nodes: Sequence[str], at_start: Iterable[int]) -> None:
        """Take the nodes as strings, and the terms that match only at the start of a sentence."""
        self.nodes = nodes
        self.at_start = frozenset(at_start)
        self._states: dict[frozenset[_Member], _State] = {}
        self._root = self._state(frozenset(((0, 0),)))
        self._seconds: dict[str, frozenset[str] | None] = {}

    def find(self, tokens: Tokens) -> list[TermMatch]:
        """Return every way in which a term matches, ordered by its first word."""
        known, seconds, words = self._root.known, self._seconds, tokens.words
        found: list[TermMatch] = []
        for first in [at for at, word in enumerate(words) if word in known]:
            word = words[first]
            if word not in seconds:
                seconds[word] = self._words_after(word)
            wanted = seconds[word]
            # most often, a common word starts some terms, but none with the word that follows it
            if wanted is None or (first + 1 < len(words) and words[first + 1] in wanted):
                self._follow(tokens, first, found)
        return found

    def _words_after(self, word: str) -> frozenset[str] | None:
        """Return the words that can follow a word in terms; None if it can be a term itself or any word can follow."""
        targets = [edge.target for node, _ in self._root.members for edge in node.edges_of(word)]
        nodes = [Node.from_text(self.nodes[target]) for target in targets if target >= 0]
        if len(nodes) < len(targets) or any(node.ends or node.anything for node in nodes):
            return None
        return frozenset().union(*(node.edges for node in nodes))

    def _follow(self, tokens: Tokens, first: int, found: list[TermMatch]) -> None:
        words, at, state = tokens.words, first, self._root
        while at < len(words):
            if words[at] not in state.known and not state.open:
                return
            if at > first and not tokens.follows_directly(at):
                return
            sure, unsure = state.steps.get(words[at]) or self._step(state, words[at])
            if unsure:
                sure = sure.union(_follow_conditional(tokens, at, first, unsure))
            if not sure:
                return
            state = self._state(sure)
            at += 1
            for entry, exact in state.accepts:
                if first == 0 or entry not in self.at_start:
                    found.append(TermMatch(entry, first, at - 1, exact))

    def _state(self, members: frozenset[_Member]) -> _State:
        state = self._states.get(members)
        if state is None:
            if len(self._states) >= _MOST_STATES:
                self._states.clear()
            ends = [(~number, exact) for number, exact in members if number < 0]
            nodes = [(Node.from_text(self.nodes[number]), exact) for number, exact in members if number >= 0]
            state = self._states[members] = _State(ends, nodes)
        return state

    def _step(self, state: _State, word: str) -> _Step:
        sure = list(state.open)
        unsure = []
        for node, exact in state.members:
            for edge in node.edges_of(word):
                if edge.sure:
                    sure.append((edge.target, exact))
                else:
                    unsure.append((edge, exact))
        step = frozenset(sure), tuple(unsure)
        if word in state.known:  # steps for any word are not cached, because there is no limit to them
            state.steps[word] = step
        return step


def _follow_conditional(
    tokens: Tokens, at: int, first: int, edges: Iterable[tuple[Edge, int]]
) -> Iterator[_Member]:
    """Yield the targets of the edges whose part of speech or capitals match."""
    for edge, exact in edges:
        if edge.capitals:
            if tokens.written(at) == edge.capitals:
                yield edge.target, exact | 1 << (at - first)
        elif plausible(tokens.context(at), edge.pos, edge.slot):
            yield edge.target, exact
