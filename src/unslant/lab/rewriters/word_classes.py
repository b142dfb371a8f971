"""Learning classes of words from running text, by the words that stand next to them, and how classes follow each other.

Words are described by how often each of the most frequent words stands right before and right after them, weighted by
pointwise mutual information, and grouped by k-means. Frequent words and marks are classes of their own.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unslant.rewrite.word_order import EDGE, NAME, NUMBER, WordOrder, shape
from unslant.text.words import split_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["ClassSettings", "learn_word_order"]

_ENDINGS = (4, 3, 2, 0)


@dataclass(frozen=True, slots=True)
class ClassSettings:
    """How many words and classes to learn."""

    words: int = 16_000
    """How many of the most frequent words are classed."""
    own: int = 170
    """How many of them are classes of their own."""
    neighbours: int = 400
    """How many of them describe the others."""
    groups: int = 230
    """How many classes the other words share."""
    dimensions: int = 48
    rounds: int = 12
    rarest: int = 4
    """Triples of classes that were counted less often are left out."""
    seed: int = 0


def learn_word_order(texts: Iterable[str], settings: ClassSettings | None = None) -> WordOrder:
    """Return the classes of the words of some texts, one sentence each, and the order in which they stand."""
    chosen = settings or ClassSettings()
    sentences = [_forms(text) for text in texts]
    counts = Counter(form for sentence in sentences for form in sentence)
    frequent = [form for form, _ in counts.most_common(chosen.words)]
    fixed = [EDGE, NAME, NUMBER]
    fixed += [form for form in frequent if not form[0].isalnum() and form not in fixed]
    fixed += [form for form in frequent[: chosen.own] if form not in fixed]
    others = [form for form in frequent if form not in set(fixed)]
    groups = _group(sentences, frequent, others, chosen)
    classes = {form: number for number, form in enumerate(fixed)}
    classes |= {form: len(fixed) + group for form, group in zip(others, groups, strict=True)}
    endings = _endings(others, classes, counts)
    return _count(sentences, classes, endings, len(fixed) + chosen.groups, chosen.rarest)


def _forms(text: str) -> list[str]:
    words = split_words(text)
    return [EDGE, *(shape(words, at) for at in range(len(words))), EDGE]


def _group(
    sentences: Sequence[Sequence[str]],
    frequent: Sequence[str],
    others: Sequence[str],
    settings: ClassSettings,
) -> list[int]:
    """Return the group of each of the others, by k-means on the directions of their neighbours' vectors."""
    import numpy as np

    width = settings.neighbours + 1
    column = {form: number for number, form in enumerate(frequent[: settings.neighbours])}
    row = {form: number for number, form in enumerate(others)}
    places = array("q")
    for sentence in sentences:
        for at in range(1, len(sentence) - 1):
            number = row.get(sentence[at])
            if number is not None:
                places.append(2 * number * width + column.get(sentence[at - 1], width - 1))
                places.append((2 * number + 1) * width + column.get(sentence[at + 1], width - 1))
    counted = np.bincount(np.frombuffer(places, dtype=np.int64), minlength=2 * width * len(others))
    table = counted.reshape(len(others), 2 * width).astype(np.float32)
    vectors = _directions(table, settings.dimensions)
    generator = np.random.default_rng(settings.seed)
    centres = vectors[generator.choice(len(vectors), settings.groups, replace=False)]
    nearest = np.zeros(len(vectors), dtype=np.int64)
    for _ in range(settings.rounds):
        nearest = (vectors @ centres.T).argmax(axis=1)
        for group in range(settings.groups):
            members = vectors[nearest == group]
            if len(members):
                mean = members.mean(axis=0)
                centres[group] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return [int(group) for group in nearest]


def _directions(table: Matrix, dimensions: int) -> Matrix:
    """Return unit vectors: positive pointwise mutual information, reduced to its main directions."""
    import numpy as np

    total = float(table.sum())
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / total
    with np.errstate(divide="ignore"):
        information = np.maximum(np.log(table / np.maximum(expected, 1e-9)), 0)
    _, axes = np.linalg.eigh(information.T @ information)
    reduced = information @ axes[:, -dimensions:]
    lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.asarray(reduced / np.maximum(lengths, 1e-9), dtype=np.float32)


def _endings(others: Sequence[str], classes: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, int]:
    """Return the class that rare words with an ending mostly have."""
    rare = [form for form in others if form.isalpha()][len(others) // 3 :]
    found: dict[str, int] = {}
    for length in _ENDINGS:
        votes: dict[str, Counter[int]] = {}
        for form in rare:
            ending = form[-length:] if length else ""
            votes.setdefault(ending, Counter())[classes[form]] += min(counts[form], 50)
        for ending, vote in votes.items():
            if sum(vote.values()) >= 100:
                found[ending] = vote.most_common(1)[0][0]
    return found


def _count(
    sentences: Sequence[Sequence[str]],
    classes: Mapping[str, int],
    endings: Mapping[str, int],
    size: int,
    rarest: int,
) -> WordOrder:
    empty = WordOrder(classes, endings, size, array("I", [0] * size), array("I"), array("I"), array("I"))
    single, pairs = [0] * size, [0] * size**2
    triples: Counter[int] = Counter()
    known: dict[str, int] = {}
    for sentence in sentences:
        numbers = []
        for form in sentence:
            if form not in known:
                known[form] = empty.class_of(form)
            numbers.append(known[form])
        for at, now in enumerate(numbers):
            single[now] += 1
            if at:
                pairs[numbers[at - 1] * size + now] += 1
            if at > 1:
                triples[(numbers[at - 2] * size + numbers[at - 1]) * size + now] += 1
    kept = sorted((key, count) for key, count in triples.items() if count >= rarest)
    return WordOrder(
        classes,
        endings,
        size,
        array("I", single),
        array("I", pairs),
        array("I", [key for key, _ in kept]),
        array("I", [count for _, count in kept]),
    )
