"""Which examples stand before a text: drawn at random, by a weak oracle, or because they are like it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from unslant.core.errors import ConfigError
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.items import Item

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["COARSE", "SAMPLINGS", "Embedder", "Sampler", "at_random", "by_weak_oracle", "coarse"]

SAMPLINGS = ("random", "oracle", "nearest")
COARSE: Mapping[str, tuple[str, ...]] = {
    "identity": ("sexuality", "gender", "race", "religion", "age", "nationality", "ethnicity", "disability"),
    "affiliation": ("profession", "political affiliation", "perceived negative group"),
}
"""The coarse categories of CAD's taxonomy with their dimensions, in the order in which the publication lists them."""


class Embedder(Protocol):
    """Turns texts into vectors that lie near each other where texts are alike."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text, each of length 1."""
        ...


def coarse(dimension: str) -> str:
    """Return the coarse category that a dimension belongs to."""
    return next(name for name, members in COARSE.items() if dimension in members)


def at_random(pool: Sequence[Item], count: int, rng: random.Random) -> tuple[Item, ...]:
    """Draw distinct examples, each as likely as any other."""
    if count > len(pool):
        raise ConfigError(f"--shots {count}: there are only {len(pool):,} texts to draw examples from")
    return tuple(rng.sample(list(pool), count))


def by_weak_oracle(pool: Sequence[Item], dimension: str, count: int, rng: random.Random) -> tuple[Item, ...]:
    """Draw from the coarse category of the right answer, dimension after dimension (appendix A.2).

    The dimensions of the category are gone through again and again; for each, one text of the pool with that label
    is drawn, and kept unless it was drawn before, until there are enough distinct ones. Every dimension that the pool
    knows is thus equally frequent, whatever its share of the corpus.
    """
    members = {name: [one for one in pool if one.dimension == name] for name in COARSE[coarse(dimension)]}
    if sum(map(len, members.values())) < count:
        raise ConfigError(
            f"--sampling oracle: only {sum(map(len, members.values())):,} texts of the category "
            f"{coarse(dimension)!r} can serve as examples; ask for fewer than {count} --shots"
        )
    drawn: dict[str, Item] = {}
    while len(drawn) < count:
        for some in members.values():
            if some and len(drawn) < count:
                one = rng.choice(some)
                drawn.setdefault(one.id, one)
    return tuple(drawn.values())


@dataclass
class Sampler:
    """Says which examples stand before which text.

    ``per`` is ``item``: drawn anew for each text, as published; or ``set``: drawn once for each seed (and, by the
    oracle, for each coarse category), so that prompts share their beginning and are read several times faster.
    """

    pool: Sequence[Item]
    sampling: str = "random"
    per: str = "set"
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        if self.sampling == "oracle" and not all(one.dimension in dimensions() for one in self.pool):
            raise ConfigError(
                "--sampling oracle: needs the dimension of each text, which only identification has"
            )
        if self.sampling == "nearest" and self.embedder is None:
            raise ConfigError("--sampling nearest: needs a model that can turn texts into vectors")
        self._vectors: NDArray[np.float32] | None = None

    def examples(self, items: Sequence[Item], count: int, seed: int) -> list[tuple[Item, ...]]:
        """Return the examples for each text, in the order in which they stand before it."""
        if count == 0:
            return [()] * len(items)
        if self.sampling == "nearest":
            return self._nearest(items, count)
        return [self._drawn(one, count, seed) for one in items]

    def _drawn(self, item: Item, count: int, seed: int) -> tuple[Item, ...]:
        category = coarse(str(item.dimension)) if self.sampling == "oracle" else ""
        key = item.id if self.per == "item" else category
        rng = random.Random(f"{seed}/{self.sampling}/{count}/{key}")  # noqa: S311 - which texts, not a secret
        if self.sampling == "oracle":
            return by_weak_oracle(self.pool, str(item.dimension), count, rng)
        return at_random(self.pool, count, rng)

    def _nearest(self, items: Sequence[Item], count: int) -> list[tuple[Item, ...]]:
        import numpy as np

        assert self.embedder is not None  # noqa: S101 - checked when it was made
        if count > len(self.pool):
            raise ConfigError(
                f"--shots {count}: there are only {len(self.pool):,} texts to draw examples from"
            )
        if self._vectors is None:
            self._vectors = self.embedder.embed([one.text for one in self.pool])
        near = self.embedder.embed([one.text for one in items]) @ self._vectors.T
        # the likest stands last, next to the text it is like
        order = np.argsort(-near, axis=1, kind="stable")[:, :count][:, ::-1]
        return [tuple(self.pool[int(place)] for place in row) for row in order]
