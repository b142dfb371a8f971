"""Putting terms together into an automaton; apart from it, because a compiled one need not be built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from unslant.rules.automaton import Automaton, Edge, Node
from unslant.rules.inflect import forms
from unslant.rules.terms import ANY, Element, Group, Term, Word

__all__ = ["build"]


def build(terms: Iterable[Term]) -> Automaton:
    """Put the terms together; matches name them by their place in the order given."""
    builder = _Builder()
    at_start = [entry for entry, term in enumerate(terms) if builder.add(entry, term)]
    return Automaton(builder.finished(), at_start)


@dataclass(slots=True)
class _Draft:
    """A node that is still growing."""

    edges: dict[str, list[Edge]] = field(default_factory=dict)
    anything: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)


class _Builder:
    """Grows the nodes; terms with the same beginning share it."""

    def __init__(self) -> None:
        self._nodes: list[_Draft] = []
        self._shared: dict[tuple[int, Word], int] = {}
        self._node()

    def add(self, entry: int, term: Term) -> bool:
        """Add a term; say whether it matches only at the start of a sentence."""
        for node in self._grow({0}, term.elements):
            self._nodes[node].ends.append(entry)
        return term.at_start

    def finished(self) -> list[str]:
        """Return the nodes, each that only ends one term replaced by that term's number where edges lead to it."""
        ends = {
            number: ~node.ends[0]
            for number, node in enumerate(self._nodes)
            if number and not node.edges and not node.anything and len(node.ends) == 1
        }
        kept = [number for number in range(len(self._nodes)) if number not in ends]
        new = {number: place for place, number in enumerate(kept)} | ends
        return [str(_renumbered(self._nodes[number], new)) for number in kept]

    def _node(self) -> int:
        self._nodes.append(_Draft())
        return len(self._nodes) - 1

    def _grow(self, nodes: set[int], elements: Iterable[Element]) -> set[int]:
        """Grow the elements from each node; return the nodes at their far end."""
        for element in elements:
            if isinstance(element, Word):
                nodes = {self._child(node, element) for node in nodes}
            else:
                nodes = self._group(nodes, element)
        return nodes

    def _group(self, nodes: set[int], group: Group) -> set[int]:
        join = self._node()
        reached = {join}
        for option in group.options:
            *head, last = option
            before = self._grow(nodes, head)
            if isinstance(last, Word):
                for node in before:
                    self._connect(node, last, join)
            else:
                reached |= self._group(before, last)
        return reached | nodes if group.optional else reached

    def _child(self, node: int, word: Word) -> int:
        if (node, word) not in self._shared:
            self._shared[node, word] = self._node()
            self._connect(node, word, self._shared[node, word])
        return self._shared[node, word]

    def _connect(self, node: int, word: Word, target: int) -> None:
        draft = self._nodes[node]
        if word == ANY:
            draft.anything.append(target)
            return
        pos = word.pos if word.pos and word.checked else ""
        for form, slot in forms(word.text, word.pos or "").items():
            edge = Edge(target, pos, slot if pos else "", form if word.exact else "")
            draft.edges.setdefault(form.lower(), []).append(edge)


def _renumbered(draft: _Draft, new: dict[int, int]) -> Node:
    edges = {
        word: ",".join(str(edge._replace(target=new[edge.target])) for edge in dict.fromkeys(leads))
        for word, leads in draft.edges.items()
    }
    return Node(edges, tuple(new[target] for target in draft.anything), tuple(draft.ends))
