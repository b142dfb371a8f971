"""A map of texts: near each other if they use the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unslant.core.errors import MissingExtra
from unslant.lab.audit.problems import AuditError
from unslant.lab.corpora.outlets import tokenize_news

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAPS", "texts_map"]

MAPS = ("pca", "umap")
_WORDS = 2000
"""The commonest words that are looked at, but for those in most texts."""


def texts_map(texts: Sequence[str], kind: str = "pca", seed: int = 0) -> NDArray[np.float64]:
    """Return a place between 0 and 1 for each text, (texts, 2); the same texts always get the same places."""
    import numpy as np

    if kind not in MAPS:
        raise AuditError(f"there is no map of the kind {kind!r}; choose one of {', '.join(MAPS)}")
    if len(texts) < 3:
        return np.full((len(texts), 2), 0.5)
    vectors = _vectors(texts)
    places = _umap(vectors, seed) if kind == "umap" else _pca(vectors)
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - low) / np.where(high > low, high - low, 1))


def _vectors(texts: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    split = [set(tokenize_news(text)) for text in texts]
    counts = Counter(word for words in split for word in sorted(words))
    known = [word for word, count in counts.most_common() if 2 <= count <= 0.7 * len(texts)][:_WORDS]
    place = {word: at for at, word in enumerate(known)}
    found = np.zeros((len(texts), max(1, len(known))))
    for at, words in enumerate(split):
        for word in words & place.keys():
            found[at, place[word]] = np.log(len(texts) / counts[word])
    return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12))


def _pca(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    centered = vectors - vectors.mean(axis=0)
    values, axes = np.linalg.eigh(centered @ centered.T)  # as many as texts, which are fewer than words
    chosen = axes[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    # an axis may point either way; the larger end is put on the same side everywhere
    signs = np.sign(chosen[np.abs(chosen).argmax(axis=0), range(2)])
    return np.asarray(chosen * np.where(signs == 0, 1, signs))


def _umap(vectors: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    try:
        import umap
    except ModuleNotFoundError as error:
        raise MissingExtra("the map", "umap-learn", "umap") from error
    found: Any = umap.UMAP(random_state=seed, n_jobs=1).fit_transform(vectors)
    import numpy as np

    return np.asarray(found, dtype=np.float64)
