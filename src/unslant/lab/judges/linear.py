"""The default judge: logistic regression on hashed words and word pairs.

Words and pairs are hashed into a table of fixed size, so there is no vocabulary to ship. An outlet is weighted by the
square root of its number of articles, or the largest would dominate. The penalty and the scale of the probabilities are
chosen on held-out outlets, so that the judge generalizes to outlets it has not seen.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from unslant.core.errors import MissingExtra
from unslant.core.example import Example
from unslant.lab.corpora.outlets import tokenize_news
from unslant.lab.judges.fitting import (
    TABLE_SIZE,
    Articles,
    JudgeSettings,
    TrainedJudge,
    choose_penalty,
    fit_logistic,
)
from unslant.lab.judges.judge import mask_words, open_folder, save_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LinearJudge:
    """Adds up the weights of words and word pairs, and turns the sum into a probability."""

    kind: ClassVar[str] = "logistic regression on hashed words and pairs of words, TF-IDF, unit length"
    weights: NDArray[np.float32]
    """(rows): positive for conservative."""
    inverse: NDArray[np.float32]
    """(rows): inverse document frequencies."""
    scale: float
    offset: float
    """The probability is 1 / (1 + exp(-(scale · sum + offset))), fitted on held-out outlets."""
    name: str = "judge"
    fingerprint: str = ""
    masked: bool = True
    """Whether the names of the sides are hidden from it."""
    card: Mapping[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        """Return the digest of its parameters."""
        return self.fingerprint

    def judge(self, texts: Sequence[str]) -> list[float | None]:
        """Return the probability of each text; None for a text without a known word."""
        import numpy as np

        rows = [hash_features(_read_words(text, "", masked=self.masked), len(self.weights)) for text in texts]
        values, columns, borders = _tfidf(rows, self.inverse)
        terms = np.concatenate([[0.0], np.cumsum(values * self.weights[columns], dtype=np.float64)])
        sums = terms[borders[1:]] - terms[borders[:-1]]
        chances = 0.5 + 0.5 * np.tanh((self.scale * sums + self.offset) / 2)  # without overflow
        return [float(chance) if borders[at + 1] > borders[at] else None for at, chance in enumerate(chances)]

    def vectors(self, texts: Sequence[str]) -> Numbers:
        """Return what each word and pair of these texts adds to the sum of each text, (texts, words and pairs)."""
        import numpy as np

        rows = [hash_features(_read_words(text, "", masked=self.masked), len(self.weights)) for text in texts]
        values, columns, borders = _tfidf(rows, self.inverse)
        used, place = np.unique(columns, return_inverse=True)
        found = np.zeros((len(texts), max(1, len(used))))
        found[np.repeat(np.arange(len(texts)), np.diff(borders)), place] = values * self.weights[columns]
        return found

    def save(self, folder: Path, card: Mapping[str, Any]) -> None:
        """Write the judge's folder."""
        import numpy as np

        arrays = {"weights": self.weights.astype(np.float16), "inverse": self.inverse.astype(np.float16)}
        about = {"scale": self.scale, "offset": self.offset, "masked": self.masked}
        save_folder(folder, arrays, about, card)

    @classmethod
    def load(cls, folder: Path, name: str = "judge") -> LinearJudge:
        """Read a judge's folder; its digest is checked."""
        import numpy as np

        with open_folder(folder) as (about, arrays, digest):
            scale, offset = float(about["scale"]), float(about["offset"])
            weights, inverse = (arrays[key].astype(np.float32) for key in ("weights", "inverse"))
            masked, card = bool(about.get("masked", False)), dict(about.get("card", {}))
        parts = [digest, repr(scale), repr(offset), *(["masked"] if masked else [])]
        fingerprint = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return cls(weights, inverse, scale, offset, name, fingerprint, masked, card)


def train_judge(
    examples: Sequence[Example], settings: JudgeSettings | None = None
) -> TrainedJudge[LinearJudge]:
    """Train a judge on articles of the left and the right; the same articles give the same judge."""
    import numpy as np

    articles = Articles.of(examples, settings or JudgeSettings())
    masked, min_count = articles.settings.mask_sides, articles.settings.min_count
    rows = [
        hash_features(_read_words(example.text, example.outlet or "", masked=masked), articles.settings.size)
        for example in articles.examples
    ]
    size = articles.settings.size

    def predict(inside: NDArray[np.intp], outside: NDArray[np.intp], penalty: float) -> Numbers:
        learn = [rows[at] for at in inside]
        inverse = inverse_frequencies(_document_frequencies(learn, size), len(learn), min_count)
        weights = _fit(learn, inverse, articles.labels[inside], articles.weights(inside), penalty)
        logits: Numbers = _sparse_matrix([rows[at] for at in outside], inverse) @ weights
        return logits

    penalty, losses, scale, offset = choose_penalty(articles, predict)
    inverse = inverse_frequencies(_document_frequencies(rows, size), len(rows), min_count)
    weights = _fit(rows, inverse, articles.labels, articles.weights(), penalty)
    judge = LinearJudge(weights.astype(np.float32), inverse, scale, offset, masked=masked)
    return TrainedJudge(judge, penalty, losses, len(rows), len(set(articles.outlets)))


def _read_words(text: str, outlet: str, *, masked: bool) -> list[str]:
    words = tokenize_news(text, outlet)
    return mask_words(words) if masked else words


def hash_features(words: Sequence[str], size: int = TABLE_SIZE) -> list[int]:
    """Return the rows of a text's words and word pairs, sorted, without duplicates."""
    grams = [*words, *(f"{first} {second}" for first, second in pairwise(words))]
    return sorted({zlib.crc32(gram.encode("utf-8", "surrogatepass")) % size for gram in grams})


def _document_frequencies(texts: Iterable[Sequence[int]], size: int) -> NDArray[np.int64]:
    import numpy as np

    counts = np.zeros(size, dtype=np.int64)
    for rows in texts:
        counts[list(rows)] += 1
    return counts


def inverse_frequencies(counts: NDArray[np.int64], texts: int, min_count: int) -> NDArray[np.float32]:
    """Return log((1 + n) / (1 + df)) + 1 for each row, and 0 for rows in fewer than ``min_count`` texts."""
    import numpy as np

    found = np.log((1 + texts) / (1 + counts)) + 1
    return np.where(counts >= min_count, found, 0).astype(np.float32)


def _tfidf(texts: Sequence[Sequence[int]], inverse: NDArray[np.float32]) -> tuple[Any, Any, Any]:
    """Return texts as rows of a sparse matrix (values, columns, row borders), each of unit length."""
    import numpy as np

    values, columns, borders = [], [], [0]
    for rows in texts:
        place = np.asarray(rows, dtype=np.int64)
        value = inverse[place]
        kept = value > 0
        place, value = place[kept], value[kept]
        norm = float(np.sqrt((value.astype(np.float64) ** 2).sum()))
        values.append(value / norm if norm else value)
        columns.append(place)
        borders.append(borders[-1] + len(place))
    flat = np.concatenate(values) if values else np.zeros(0)
    return flat, np.concatenate(columns) if columns else np.zeros(0, np.int64), np.asarray(borders)


def _sparse_matrix(rows: Sequence[list[int]], inverse: NDArray[np.float32]) -> Any:
    try:
        from scipy.sparse import csr_matrix
    except ModuleNotFoundError as error:
        raise MissingExtra("training a judge", "scipy", "corpora") from error
    return csr_matrix(_tfidf(rows, inverse), shape=(len(rows), len(inverse)))


def _fit(
    rows: Sequence[list[int]],
    inverse: NDArray[np.float32],
    labels: Numbers,
    sample_weights: Numbers,
    penalty: float,
) -> Numbers:
    import numpy as np

    used = np.flatnonzero(inverse > 0)  # most of the table is empty
    weights: Numbers = np.zeros(len(inverse))
    weights[used] = fit_logistic(_sparse_matrix(rows, inverse)[:, used], labels, sample_weights, penalty)
    return weights
