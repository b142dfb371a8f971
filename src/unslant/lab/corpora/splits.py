"""Splits that keep together what belongs together, and the texts that two corpora share."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.text.words import CHARACTERS

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.corpora.dataset import Dataset

_PERMUTATIONS = 128
_BANDS = 32  # four rows a band: a pair with similarity 0.8 is seen with probability 0.99999, with 0.6 0.988
LOWEST = 0.6
"""Below this similarity the hashes miss too many pairs to be trusted."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """Two texts that are the same, or nearly."""

    left: str
    right: str
    similarity: float
    """The share of word pairs that the two have in common; 1 where the words are the same."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The texts that two corpora share."""

    left: str
    right: str
    sizes: tuple[int, int]
    exact: tuple[TextMatch, ...] = field(repr=False)
    """The same words in the same order, whatever their case and punctuation."""
    near: tuple[TextMatch, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "left": self.left,
            "right": self.right,
            "sizes": list(self.sizes),
            "exact": [[match.left, match.right] for match in self.exact],
            "near": [[match.left, match.right, round(match.similarity, 4)] for match in self.near],
        }


def shingles(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring words, case and punctuation aside; a single word stands for itself."""
    words = CHARACTERS.findall(text.lower())
    return frozenset(" ".join(pair) for pair in pairwise(words)) or frozenset(words)


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the share of shingles in common: 0 nothing, 1 everything."""
    return len(left & right) / len(left | right) if left or right else 0.0


def find_overlaps(datasets: Sequence[Dataset], threshold: float = 0.8) -> list[Overlap]:
    """Compare every two corpora."""
    return [
        find_overlap(left, right, threshold, (left.name, right.name))
        for left, right in combinations(datasets, 2)
    ]


def find_overlap(
    left: Iterable[Example],
    right: Iterable[Example],
    threshold: float = 0.8,
    names: tuple[str, str] = ("", ""),
) -> Overlap:
    """Find what ``right`` shares with ``left``: the texts of ``left`` are indexed, those of ``right`` looked up."""
    if not LOWEST <= threshold <= 1:
        raise ConfigError(
            f"--threshold: {threshold} should be from {LOWEST} to 1; below, near duplicates would be missed"
        )
    index = _Index(left)
    exact: list[TextMatch] = []
    near: list[TextMatch] = []
    count = 0
    for example in right:
        count += 1
        matches = index.look_up(example.text, threshold)
        exact += [
            TextMatch(index.ids[at], example.id, 1.0) for at, similarity in matches if similarity is None
        ]
        near += [
            TextMatch(index.ids[at], example.id, similarity)
            for at, similarity in matches
            if similarity is not None
        ]
    return Overlap(*names, (len(index.ids), count), tuple(exact), tuple(near))


class _Index:
    """The texts of one corpus: by their words, and by locality-sensitive hashing of their shingles."""

    def __init__(self, examples: Iterable[Example]) -> None:
        try:
            import rensa
        except ModuleNotFoundError as error:
            raise MissingExtra("finding near duplicates", "rensa", "corpora") from error
        self._rensa = rensa
        self.ids: list[str] = []
        self._shingles: list[frozenset[str]] = []
        self._exact: dict[str, list[int]] = {}
        self._lsh = rensa.RMinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS, num_bands=_BANDS)
        for at, example in enumerate(examples):
            self.ids.append(example.id)
            self._shingles.append(shingles(example.text))
            self._exact.setdefault(_normalize(example.text), []).append(at)
            if self._shingles[at]:
                self._lsh.insert(at, self._signature(self._shingles[at]))

    def _signature(self, of: frozenset[str]) -> Any:
        signature = self._rensa.RMinHash(num_perm=_PERMUTATIONS, seed=0)
        signature.update(sorted(of))
        return signature

    def look_up(self, text: str, threshold: float) -> list[tuple[int, float | None]]:
        """Return the texts that are the same (no similarity) or at least as similar as the threshold."""
        same = self._exact.get(_normalize(text), [])
        wanted = shingles(text)
        if not wanted:
            return [(at, None) for at in same]
        candidates = sorted(set(self._lsh.query(self._signature(wanted))) - set(same))
        # The hashes only propose; the similarity that decides is counted.
        counted = [(at, jaccard(self._shingles[at], wanted)) for at in candidates]
        return [(at, None) for at in same] + [(at, value) for at, value in counted if value >= threshold]


def _normalize(text: str) -> str:
    return " ".join(CHARACTERS.findall(text.lower()))


GROUPS = ("pair", "document", "outlet")
"""The fields whose values can be kept in one part; equal texts always are."""
_UNPUBLISHED = {"train": 0.8, "dev": 0.1, "test": 0.1}


def parse_parts(value: str, option: str = "--parts") -> dict[str, float]:
    """Read ``train=0.8,dev=0.1,test=0.1``; the shares must add up to 1. ``option`` begins the error message."""
    parts: dict[str, float] = {}
    for part in value.split(","):
        name, _, share = part.partition("=")
        try:
            parts[name.strip()] = float(share)
        except ValueError:
            raise ConfigError(f"{option}: {part!r} is not NAME=SHARE, such as train=0.8") from None
    if any(share <= 0 for share in parts.values()) or abs(sum(parts.values()) - 1) > 1e-6:
        raise ConfigError(f"{option}: the shares of {value!r} must be positive and add up to 1")
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
