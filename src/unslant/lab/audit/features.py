"""Words and pairs of words as places in a fixed table, by a hash: no vocabulary to ship, none to go stale."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SIZE", "document_frequencies", "inverse_frequencies", "places", "weighted"]

SIZE = 1 << 18
"""Rows of the table."""


def places(words: Sequence[str], size: int = SIZE) -> list[int]:
    """Return the rows that a text touches, each once, sorted."""
    grams = [*words, *(f"{one} {other}" for one, other in pairwise(words))]
    return sorted({zlib.crc32(gram.encode("utf-8", "surrogatepass")) % size for gram in grams})


def document_frequencies(texts: Iterable[Sequence[int]], size: int = SIZE) -> NDArray[np.int64]:
    """Return how many texts touch each row."""
    import numpy as np

    counts = np.zeros(size, dtype=np.int64)
    for rows in texts:
        counts[list(rows)] += 1
    return counts


def inverse_frequencies(counts: NDArray[np.int64], texts: int, least: int = 3) -> NDArray[np.float32]:
    """Return what each row counts: log((1 + n) / (1 + df)) + 1, and 0 for what fewer texts than ``least`` hold."""
    import numpy as np

    found = np.log((1 + texts) / (1 + counts)) + 1
    return np.where(counts >= least, found, 0).astype(np.float32)


def weighted(texts: Sequence[Sequence[int]], weights: NDArray[np.float32]) -> tuple[Any, Any, Any]:
    """Return texts as rows of a sparse matrix (values, columns, row borders), each of length 1."""
    import numpy as np

    values, columns, borders = [], [], [0]
    for rows in texts:
        place = np.asarray(rows, dtype=np.int64)
        value = weights[place]
        kept = value > 0
        place, value = place[kept], value[kept]
        norm = float(np.sqrt((value.astype(np.float64) ** 2).sum()))
        values.append(value / norm if norm else value)
        columns.append(place)
        borders.append(borders[-1] + len(place))
    flat = np.concatenate(values) if values else np.zeros(0)
    return flat, np.concatenate(columns) if columns else np.zeros(0, np.int64), np.asarray(borders)
