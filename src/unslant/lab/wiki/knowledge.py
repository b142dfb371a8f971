"""What the weak labeller goes by, read from its data file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

__all__ = ["Knowledge", "knowledge"]


@dataclass(frozen=True)
class Knowledge:
    """Word lists, weights and thresholds; a version names the whole."""

    version: int
    joining: frozenset[str]
    """Prepositions and determiners that may stand between two pieces of one changed phrase."""
    function: frozenset[str]
    """Words that carry grammar, not a view."""
    similarity: float
    threshold: float
    """From this probability on an edit is taken for one of neutrality."""
    weights: Mapping[str, float]


@lru_cache(maxsize=1)
def knowledge() -> Knowledge:
    """Return what ships with the package."""
    data = tomllib.loads(files("unslant.lab.wiki").joinpath("weak_labels.toml").read_text("utf-8"))
    return Knowledge(
        version=data["version"],
        joining=frozenset(data["joining"]),
        function=frozenset(data["function"].split()),
        similarity=data["similarity"],
        threshold=data["threshold"],
        weights=data["weights"],
    )
