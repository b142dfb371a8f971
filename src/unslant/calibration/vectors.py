"""Word vectors on disk, and who is near whom in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from unslant.core.errors import ConfigError

__all__ = ["load_vectors", "nearest", "save_vectors"]


def save_vectors(path: Path, words: Sequence[str], values: Any, card: Mapping[str, Any]) -> None:
    """Write words and their vectors as safetensors, which holds numbers and text but no code."""
    from safetensors.numpy import save_file

    about = {"words": json.dumps(list(words)), "card": json.dumps(dict(card), sort_keys=True)}
    save_file({"vectors": np.ascontiguousarray(values, dtype=np.float32)}, path, metadata=about)


def load_vectors(path: Path) -> tuple[list[str], Any]:
    """Read words and their vectors: (words, width)."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as content:
            words = json.loads((content.metadata() or {})["words"])
            values = content.get_tensor("vectors")
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise ConfigError(
            f"{path}: no word vectors here; 'unslant train neutral-vectors' makes them."
        ) from error
    if len(words) != len(values):
        raise ConfigError(f"{path}: {len(words)} words but {len(values)} vectors; train them again.")
    return words, values


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
