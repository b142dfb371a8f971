"""All terms of all rules in one automaton over words.

A sentence is read once. Each word is looked up in one table; only the few that begin a term are followed further, along
edges that hold every inflection, so the work grows with the text and not with the number of rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from unslant.rules.inflect import Slot, forms
from unslant.rules.pos import plausible
from unslant.rules.terms import ANY, Element, Group, Term, Word

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


@dataclass(slots=True)
class _Edge:
    target: _Node
    pos: str | None = None
    slot: Slot = "base"
    exact: str | None = None


@dataclass(slots=True)
class _Node:
    edges: dict[str, list[_Edge]] = field(default_factory=dict)
    any: list[_Node] = field(default_factory=list)
    """Where any word at all leads."""
    ends: list[int] = field(default_factory=list)
    shared: dict[Word, _Node] = field(default_factory=dict)
    """Targets by word, so that terms with the same beginning share it."""


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

    def __init__(self, terms: Iterable[Term]) -> None:
        self._root = _Node()
        self._at_start: set[int] = set()
        for entry, term in enumerate(terms):
            if term.at_start:
                self._at_start.add(entry)
            for node in self._add({id(self._root): self._root}, term.elements).values():
                node.ends.append(entry)

    def _add(self, nodes: dict[int, _Node], elements: Iterable[Element]) -> dict[int, _Node]:
        """Grow the elements from each node; return the nodes at their far end."""
        for element in elements:
            if isinstance(element, Word):
                nodes = {id(child): child for child in (_child(node, element) for node in nodes.values())}
                continue
            nodes = self._add_group(nodes, element)
        return nodes

    def _add_group(self, nodes: dict[int, _Node], group: Group) -> dict[int, _Node]:
        join = _Node()
        reached = {id(join): join}
        for option in group.options:
            *head, last = option
            before = self._add(nodes, head)
            if isinstance(last, Word):
                for node in before.values():
                    _connect(node, last, join)
            else:
                reached |= self._add_group(before, last)
        return reached | nodes if group.optional else reached

    def find(self, tokens: Tokens) -> list[Match]:
        """Return every way in which a term matches, ordered by its first word."""
        edges = self._root.edges
        found: list[Match] = []
        for at, word in enumerate(tokens.words):
            if word in edges:
                found.extend(self._follow(tokens, at))
        return found

    def _follow(self, tokens: Tokens, first: int) -> Iterator[Match]:
        words = tokens.words
        waiting = [(self._root, first, 0)]
        while waiting:
            node, at, exact = waiting.pop()
            for entry in node.ends:
                if first == 0 or entry not in self._at_start:
                    yield Match(entry, first, at - 1, exact)
            if at == len(words) or (at > first and not tokens.joined(at)):
                continue
            waiting.extend((target, at + 1, exact) for target in node.any)
            for edge in node.edges.get(words[at], ()):
                if edge.exact is not None:
                    if tokens.written(at) != edge.exact:
                        continue
                    waiting.append((edge.target, at + 1, exact | 1 << (at - first)))
                elif edge.pos is None or plausible(tokens.context(at), edge.pos, edge.slot):
                    waiting.append((edge.target, at + 1, exact))


def _child(node: _Node, word: Word) -> _Node:
    if word not in node.shared:
        node.shared[word] = _Node()
        _connect(node, word, node.shared[word])
    return node.shared[word]


def _connect(node: _Node, word: Word, target: _Node) -> None:
    if word == ANY:
        node.any.append(target)
        return
    for form, slot in forms(word.text, word.pos or "").items():
        edge = _Edge(target, word.pos, slot, form if word.exact else None)
        node.edges.setdefault(form.lower(), []).append(edge)
