"""Putting terms together into an automaton; apart from it, because a compiled one need not be built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unslant.rules.automaton import Automaton
from unslant.rules.inflect import forms
from unslant.rules.terms import ANY, Element, Group, Term, Word

__all__ = ["build"]


def build(terms: Iterable[Term]) -> Automaton:
    """Put the terms together; matches name them by their place in the order given."""
    builder = _Builder()
    at_start = [entry for entry, term in enumerate(terms) if builder.add(entry, term)]
    return Automaton({"nodes": builder.finished(), "at_start": at_start})


class _Builder:
    """Grows the nodes; terms with the same beginning share it."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self._shared: dict[tuple[int, Word], int] = {}
        self._node()

    def add(self, entry: int, term: Term) -> bool:
        """Add a term; say whether it matches only at the start of a sentence."""
        for node in self._grow({0}, term.elements):
            self.nodes[node][2].append(entry)
        return term.at_start

    def finished(self) -> list[list[Any]]:
        """Return the nodes, each that only ends one term replaced by that term's number where edges lead to it."""
        ends = {
            number: ~ends[0]
            for number, (edges, anything, ends) in enumerate(self.nodes)
            if not edges and not anything and len(ends) == 1
        }
        kept = [number for number in range(len(self.nodes)) if number not in ends]
        new = {number: place for place, number in enumerate(kept)} | ends
        return [_renumbered(self.nodes[number], new) for number in kept]

    def _node(self) -> int:
        self.nodes.append([{}, [], []])
        return len(self.nodes) - 1

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
        edges, anything, _ = self.nodes[node]
        if word == ANY:
            anything.append(target)
            return
        for form, slot in forms(word.text, word.pos or "").items():
            plain = word.pos is None and not word.exact
            edge = target if plain else [target, word.pos, slot, form if word.exact else None]
            edges.setdefault(form.lower(), []).append(edge)


def _renumbered(node: list[Any], new: dict[int, int]) -> list[Any]:
    edges, anything, ends = node
    return [
        {
            word: [new[edge] if isinstance(edge, int) else [new[edge[0]], *edge[1:]] for edge in leads]
            for word, leads in edges.items()
        },
        [new[target] for target in anything],
        ends,
    ]
