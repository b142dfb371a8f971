"""Splits that keep together what belongs together."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from unslant.core.errors import ConfigError
from unslant.core.example import Example

__all__ = ["GROUPS", "assign_splits", "find_splits", "parse_parts"]

GROUPS = ("pair", "document", "outlet")
"""What can be kept on one side; equal texts always are."""
_UNPUBLISHED = {"train": 0.8, "dev": 0.1, "test": 0.1}


def parse_parts(option: str) -> dict[str, float]:
    """Read ``train=0.8,dev=0.1,test=0.1``; the parts must make a whole."""
    parts: dict[str, float] = {}
    for part in option.split(","):
        name, _, share = part.partition("=")
        try:
            parts[name.strip()] = float(share)
        except ValueError:
            raise ConfigError(f"--parts: {part!r} is not NAME=SHARE, such as train=0.8") from None
    if any(share <= 0 for share in parts.values()) or abs(sum(parts.values()) - 1) > 1e-6:
        raise ConfigError(f"--parts: the shares of {option!r} should be positive and add up to 1")
    return parts


def assign_splits(
    examples: Iterable[Example], parts: Mapping[str, float], *, keep: Sequence[str] = GROUPS, seed: int = 0
) -> dict[str, str]:
    """Return the part of each id.

    Examples that share a pair, a document, an outlet (as far as ``keep`` says) or their text end up in the same part.
    Groups go, the largest first and otherwise in an order that the seed shuffles, to the part that lacks most of what
    they hold, label by label, so that the shares of the labels stay roughly as they were.
    """
    if unknown := [name for name in keep if name not in GROUPS]:
        raise ConfigError(f"--keep: {unknown[0]!r} is not one of {', '.join(GROUPS)}")
    groups = _group_examples(examples, keep)
    order = list(groups)
    random.Random(seed).shuffle(order)  # noqa: S311
    order.sort(key=lambda group: -len(groups[group]))
    totals = Counter(label for members in groups.values() for _, label in members)
    held: dict[str, Counter[str]] = {name: Counter() for name in parts}
    where: dict[str, str] = {}
    for group in order:
        counts = Counter(label for _, label in groups[group])
        best = max(parts, key=lambda name: _lack(held[name], counts, totals, parts[name]))
        held[best].update(counts)
        where.update({name: best for name, _ in groups[group]})
    return where


def find_splits(examples: Sequence[Example]) -> dict[str, str]:
    """Return the split of each id as published; where none is, 8:1:1 with pairs and equal texts together.

    It depends on the examples alone, so that every caller gets the same splits.
    """
    if any(example.split for example in examples):
        return {example.id: example.split or "unassigned" for example in examples}
    return assign_splits(examples, _UNPUBLISHED, keep=("pair",))


def _lack(held: Counter[str], counts: Counter[str], totals: Counter[str], share: float) -> float:
    """How far the part is from its share, in the labels that the group holds; relative, so that small parts fill."""
    return sum(count * (1 - held[label] / (share * totals[label])) for label, count in counts.items())


def _group_examples(examples: Iterable[Example], keep: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = node = parent[parent[node]]
        return node

    members: list[tuple[str, str]] = []
    for example in examples:
        members.append((example.id, str(example.label)))
        own = f"id\0{example.id}"
        ties = [f"text\0{' '.join(example.text.lower().split())}"]
        ties += [f"{name}\0{value}" for name in keep if (value := getattr(example, name))]
        for tie in ties:
            parent[root(tie)] = root(own)
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, label in members:
        groups[root(f"id\0{name}")].append((name, label))
    return dict(groups)
