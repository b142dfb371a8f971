"""Texts that two corpora share, exactly or nearly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.example import Example
from unslant.lab.corpora.dataset import Dataset
from unslant.text.words import CHARACTERS

__all__ = ["LOWEST", "Overlap", "TextMatch", "find_overlap", "find_overlaps", "jaccard", "shingles"]

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
    """What two corpora have in common."""

    left: str
    right: str
    sizes: tuple[int, int]
    exact: tuple[TextMatch, ...] = field(repr=False)
    """The same words in the same order, whatever their case and punctuation."""
    near: tuple[TextMatch, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
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
    return [find_overlap(left, right, threshold) for left, right in combinations(datasets, 2)]


def find_overlap(left: Dataset, right: Dataset, threshold: float = 0.8) -> Overlap:
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
    return Overlap(left.name, right.name, (len(index.ids), count), tuple(exact), tuple(near))


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
