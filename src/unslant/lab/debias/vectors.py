"""GloVe word vectors, plain and ideology-neutral, trained on a few million words in a minute.

The neutral form follows GN-GloVe (Zhao et al. 2018) with the two sides in place of the two genders. The last
coordinate of a vector is reserved for the side: bias words are drawn to either end of it. All other words are kept
orthogonal to the direction between the sides in the remaining coordinates, and only those are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unslant.core.errors import ConfigError
from unslant.lab.debias.words import BiasWords, is_plain_word


@dataclass(frozen=True, slots=True)
class GloveSettings:
    """How word vectors are trained."""

    words: int = 8000
    """The number of most frequent words that get a vector."""
    width: int = 50
    window: int = 8
    epochs: int = 15
    rate: float = 0.05
    ceiling: float = 100.0
    """Pairs with at least this co-occurrence count have equal weight."""
    neutral: float = 0.1
    """The weight of the two terms that remove the sides."""
    batch: int = 65536
    seed: int = 0


def vocabulary(texts: Iterable[Sequence[str]], count: int, always: Set[str] = frozenset()) -> list[str]:
    """Return the most frequent words, and those in ``always`` that occur, sorted.

    Numbers, single letters and possessives are left out, since they cannot replace a word.
    """
    often = Counter(word for text in texts for word in text if is_plain_word(word))
    common = {word for word, _ in often.most_common(count)}
    return sorted(common | (always & often.keys()))


def count_co_occurrences(
    texts: Iterable[Sequence[str]], known: Sequence[str], window: int
) -> tuple[Any, Any, Any]:
    """Return rows, columns and weights of co-occurrences, each weighted by 1 / distance, in both directions."""
    place = {word: at for at, word in enumerate(known)}
    size = len(known)
    stream: list[int] = []
    for text in texts:
        stream += [place.get(word, -1) for word in text]
        stream += [-1] * window  # words of two texts do not co-occur
    ids = np.asarray(stream, dtype=np.int64)
    keys: Any = np.empty(0, np.int64)
    weights: Any = np.empty(0)
    for distance in range(1, window + 1):
        left, right = ids[:-distance], ids[distance:]
        both = (left >= 0) & (right >= 0)
        found, counts = np.unique(left[both] * size + right[both], return_counts=True)
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
    glove: GloveSettings,
    words: BiasWords | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Any:
    """Return a vector per word, (words, width); with bias words, ideology-neutral vectors."""
    if not len(pairs[0]):
        raise ConfigError("no words co-occur in these texts; train vectors on more text.")
    rows, columns = torch.from_numpy(pairs[0]), torch.from_numpy(pairs[1])
    often = torch.from_numpy(pairs[2]).float()
    sides = _sides(known, words) if words else None
    width = glove.width + (1 if sides else 0)
    generator = torch.Generator().manual_seed(glove.seed)
    # vector and bias of each word, as target and as context: (words, width + 1) each
    values = [((torch.rand(len(known), width + 1, generator=generator) - 0.5) / width) for _ in range(2)]
    squares = [torch.ones_like(value) for value in values]
    for epoch in range(glove.epochs):
        for part in torch.randperm(len(rows), generator=generator).split(glove.batch):
            _fit(values, squares, (rows[part], columns[part]), often[part], glove)
            if sides:
                _neutralize(values[0], squares[0], sides, glove)
        progress("epochs", epoch + 1, glove.epochs)
    return (values[0] + values[1])[:, : glove.width].numpy()


def _fit(
    values: list[Tensor],
    squares: list[Tensor],
    places: tuple[Tensor, Tensor],
    often: Tensor,
    glove: GloveSettings,
) -> None:
    """Take one AdaGrad step on the weighted squared error of log counts."""
    target, context = values[0][places[0]], values[1][places[1]]
    weight = (often / glove.ceiling).clamp(max=1).pow(0.75)
    error = (target[:, :-1] * context[:, :-1]).sum(1) + target[:, -1] + context[:, -1] - often.log()
    pull = (weight * error).clamp(-10, 10)[:, None]
    for role, (own, other) in enumerate(((target, context), (context, target))):
        gradient = pull * torch.cat([other[:, :-1], torch.ones_like(own[:, :1])], 1)
        _step(values[role], squares[role], places[role], gradient, glove.rate)


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
            "the texts contain no bias word of one of the sides; give other texts or other bias words."
        )
    rest = [at for word, at in place.items() if word not in words.all]
    return torch.tensor(left), torch.tensor(right), torch.tensor(rest)


def _neutralize(
    values: Tensor, squares: Tensor, sides: tuple[Tensor, Tensor, Tensor], glove: GloveSettings
) -> None:
    """Move the sides apart along the last coordinate, and make all other words orthogonal to their direction."""
    left, right, rest = sides
    at = values.shape[1] - 2  # before the bias
    gradient = torch.zeros_like(values)
    # towards -1 and 1
    gradient[left, at] = glove.neutral * (values[left, at] + 1)
    gradient[right, at] = glove.neutral * (values[right, at] - 1)
    direction = values[left, :at].mean(0) - values[right, :at].mean(0)
    direction = direction / direction.norm().clamp(min=1e-6)
    gradient[rest, :at] = glove.neutral * (values[rest, :at] @ direction)[:, None] * direction
    squares += gradient.square()
    values -= glove.rate * gradient / squares.sqrt()


def nearest_words(
    known: Sequence[str], values: Any, words: Sequence[str], count: int, *, without: Set[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Return the nearest other words of each known word by cosine similarity, the nearest first."""
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


def find_replacements(
    texts: Sequence[Sequence[str]],
    words: BiasWords,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return replacements for each bias word, by plain (``naive``) and by ideology-neutral (``in-glove``) vectors."""
    glove = GloveSettings()
    known = vocabulary(texts, glove.words, words.all)
    pairs = count_co_occurrences(texts, known, glove.window)
    tables = {}
    for mode, sides, count in (("naive", None, 1), ("in-glove", words, 10)):
        vectors = train_vectors(known, pairs, glove, sides, progress)
        tables[mode] = nearest_words(known, vectors, sorted(words.all), count, without=words.all)
    return tables
