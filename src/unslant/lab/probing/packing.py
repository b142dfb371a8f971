"""Several prompts as one tree of tokens, so that what they share is read once and nothing is padded.

A tree is laid out as one sequence. Every token knows its depth, which is its position, and its ancestors, which is all
that it may look at; so a model that takes positions and a mask reads all prompts at once as if each stood alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ROOT", "TokenTree", "groups", "shared_length", "tree_size"]

ROOT = -1
"""The parent of the first token of a prompt."""


class TokenTree:
    """Tokens with their parents, in an order in which parents come first."""

    def __init__(self) -> None:
        import numpy as np

        self.tokens: list[int] = []
        self.depths: list[int] = []
        self._parents: list[int] = []
        self._children: list[dict[int, int]] = []
        self._roots: dict[int, int] = {}
        self._ancestors: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._known = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, path: Sequence[int], parent: int = ROOT) -> int:
        """Add a path of tokens below a node, as far as it is not there, and return its last node."""
        node = parent
        for token in path:
            below = self._roots if node == ROOT else self._children[node]
            found = below.get(token)
            if found is None:
                found = below[token] = len(self.tokens)
                self.tokens.append(token)
                self.depths.append(0 if node == ROOT else self.depths[node] + 1)
                self._parents.append(node)
                self._children.append({})
            node = found
        return node

    def grow(self, path: Sequence[int], parent: int) -> int:
        """Add a path of new nodes below a node, even where there are such already, and return the last."""
        node = parent
        for token in path:
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1)
            self._parents.append(node)
            self._children.append({})
            node = len(self.tokens) - 1
        return node

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to this one."""
        found = []
        while node != ROOT:
            found.append(node)
            node = self._parents[node]
        return found[::-1]

    def sees(self, start: int, end: int) -> NDArray[np.bool_]:
        """Return for the nodes from ``start`` to ``end`` which nodes before ``end`` each may look at."""
        import numpy as np

        held = len(self._ancestors)
        if held < end:
            grown = np.zeros((max(end, 2 * held),) * 2, dtype=bool)
            grown[:held, :held] = self._ancestors
            self._ancestors = grown
        rows = self._ancestors
        for node in range(self._known, end):
            if self._parents[node] != ROOT:
                rows[node, :node] = rows[self._parents[node], :node]
            rows[node, node] = True
        self._known = max(self._known, end)
        return rows[start:end, :end]


def shared_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many tokens two prompts share at their beginning."""
    return next(
        (at for at, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )


def tree_size(prompts: Sequence[list[int]]) -> int:
    """Return how many tokens have to be read for all prompts, what they share counted once."""
    ordered = sorted(prompts)
    before: Sequence[int] = ()
    total = 0
    for one in ordered:
        total += len(one) - shared_length(before, one)
        before = one
    return total


def groups(prompts: Sequence[list[int]], budget: int) -> Iterator[list[int]]:
    """Yield the prompts' numbers in groups that share beginnings and bring about ``budget`` new tokens each.

    Prompts are taken in the order of their tokens, so that those with a common beginning are neighbours.
    """
    order = sorted(range(len(prompts)), key=prompts.__getitem__)
    group: list[int] = []
    size = 0
    before: Sequence[int] = ()
    for place in order:
        more = len(prompts[place]) - shared_length(before, prompts[place])
        if group and size + more > budget:
            yield group
            group, size = [], 0
        group.append(place)
        size += more
        before = prompts[place]
    if group:
        yield group
