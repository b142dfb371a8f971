"""GloVe, plain and ideology-neutral, trained on a few million words in a minute.

The neutral form follows GN-GloVe (Zhao et al. 2018) with the two sides in the place of the two genders. The last
coordinate of a word's vector is kept for the side: words of the sides are drawn to either end of it. All other words
are kept at a right angle to the direction between the sides in the remaining coordinates, which alone are used.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unslant.core.errors import ConfigError
from unslant.lab.debias.words import BiasWords

__all__ = ["Glove", "co_occurrences", "nearest", "train_vectors", "vocabulary"]

_WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True, slots=True)
class Glove:
    """How vectors are trained."""

    words: int = 8000
    """The most frequent words get a vector."""
    width: int = 50
    window: int = 8
    epochs: int = 15
    rate: float = 0.05
    ceiling: float = 100.0
    """Pairs that meet more often than this count no more."""
    neutral: float = 0.1
    """The weight of both terms that take the sides out."""
    batch: int = 65536
    seed: int = 0


def vocabulary(texts: Iterable[Sequence[str]], count: int, always: Set[str] = frozenset()) -> list[str]:
    """Return the most frequent words, and those that are wanted in any case if they occur, sorted.

    Numbers, letters and possessives are no words that could stand for another.
    """
    often = Counter(word for text in texts for word in text if _WORD.fullmatch(word))
    common = {word for word, _ in often.most_common(count)}
    return sorted(common | (always & often.keys()))


def co_occurrences(texts: Iterable[Sequence[str]], known: Sequence[str], window: int) -> tuple[Any, Any, Any]:
    """Return rows, columns and weights: how often words meet, each time as one over their distance; both ways."""
    place = {word: at for at, word in enumerate(known)}
    size = len(known)
    stream: list[int] = []
    for text in texts:
        stream += [place.get(word, -1) for word in text]
        stream += [-1] * window  # words of two texts do not meet
    ids = np.asarray(stream, dtype=np.int64)
    keys: Any = np.empty(0, np.int64)
    weights: Any = np.empty(0)
    for distance in range(1, window + 1):
        one, two = ids[:-distance], ids[distance:]
        both = (one >= 0) & (two >= 0)
        found, counts = np.unique(one[both] * size + two[both], return_counts=True)
        merged, inverse = np.unique(np.concatenate([keys, found]), return_inverse=True)
        weights = np.bincount(inverse, np.concatenate([weights, counts / distance]), len(merged))
        keys = merged
    rows, columns = keys // size, keys % size
    return (
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([weights, weights]),
    )


def train_vectors(
    known: Sequence[str],
    pairs: tuple[Any, Any, Any],
    glove: Glove,
    words: BiasWords | None = None,
    tell: Callable[[str, int, int], None] = lambda *_: None,
) -> Any:
    """Return a vector per word, (words, width); with the words of the sides, vectors that do not know them apart."""
    if not len(pairs[0]):
        raise ConfigError("no words meet in these texts; give more text to train vectors on.")
    rows, columns = torch.from_numpy(pairs[0]), torch.from_numpy(pairs[1])
    often = torch.from_numpy(pairs[2]).float()
    sides = _sides(known, words) if words else None
    width = glove.width + (1 if sides else 0)
    generator = torch.Generator().manual_seed(glove.seed)
    # a word's vector and bias, as itself and as a neighbour: (words, width + 1) each
    values = [((torch.rand(len(known), width + 1, generator=generator) - 0.5) / width) for _ in range(2)]
    squares = [torch.ones_like(one) for one in values]
    for epoch in range(glove.epochs):
        for part in torch.randperm(len(rows), generator=generator).split(glove.batch):
            _fit(values, squares, (rows[part], columns[part]), often[part], glove)
            if sides:
                _neutralise(values[0], squares[0], sides, glove)
        tell("epochs", epoch + 1, glove.epochs)
    return (values[0] + values[1])[:, : glove.width].numpy()


def _fit(
    values: list[Tensor], squares: list[Tensor], places: tuple[Tensor, Tensor], often: Tensor, glove: Glove
) -> None:
    """Take one AdaGrad step for the squared error of log counts, as GloVe weighs it."""
    one, two = values[0][places[0]], values[1][places[1]]
    weight = (often / glove.ceiling).clamp(max=1).pow(0.75)
    error = (one[:, :-1] * two[:, :-1]).sum(1) + one[:, -1] + two[:, -1] - often.log()
    pull = (weight * error).clamp(-10, 10)[:, None]
    for mine, (own, other) in enumerate(((one, two), (two, one))):
        gradient = pull * torch.cat([other[:, :-1], torch.ones_like(own[:, :1])], 1)
        _step(values[mine], squares[mine], places[mine], gradient, glove.rate)


def _step(values: Tensor, squares: Tensor, places: Tensor, gradient: Tensor, rate: float) -> None:
    total = torch.zeros_like(values).index_add_(0, places, gradient)
    squares += total.square()
    values -= rate * total / squares.sqrt()


def _sides(known: Sequence[str], words: BiasWords) -> tuple[Tensor, Tensor, Tensor]:
    place = {word: at for at, word in enumerate(known)}
    left = [place[word] for word in words.left if word in place]
    right = [place[word] for word in words.right if word in place]
    if not left or not right:
        raise ConfigError(
            "the texts have no words of one of the sides; give other texts or other bias words."
        )
    rest = [at for word, at in place.items() if word not in words.all]
    return torch.tensor(left), torch.tensor(right), torch.tensor(rest)


def _neutralise(values: Tensor, squares: Tensor, sides: tuple[Tensor, Tensor, Tensor], glove: Glove) -> None:
    """Draw the sides apart along the last coordinate, and all others to a right angle with the sides' direction."""
    left, right, rest = sides
    at = values.shape[1] - 2  # before the bias
    gradient = torch.zeros_like(values)
    # away from each other while they are less than two apart
    gradient[left, at] = glove.neutral * (values[left, at] + 1)
    gradient[right, at] = glove.neutral * (values[right, at] - 1)
    direction = values[left, :at].mean(0) - values[right, :at].mean(0)
    direction = direction / direction.norm().clamp(min=1e-6)
    gradient[rest, :at] = glove.neutral * (values[rest, :at] @ direction)[:, None] * direction
    squares += gradient.square()
    values -= glove.rate * gradient / squares.sqrt()


def nearest(
    known: Sequence[str], values: Any, words: Sequence[str], count: int, *, without: Set[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Return, for each of the words that is known, the most similar others by cosine, the nearest first."""
    unit = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
    place = {word: at for at, word in enumerate(known)}
    allowed = np.array([word not in without for word in known])
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        if word in place:
            likeness = np.where(allowed, unit @ unit[place[word]], -np.inf)
            likeness[place[word]] = -np.inf
            best = np.argsort(-likeness, kind="stable")[:count]
            found[word] = tuple(known[at] for at in best if likeness[at] > -np.inf)
    return found
