"""The kinds and dimensions of slant, as versioned data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from unslant.core.errors import UnknownName

__all__ = ["VERSION", "Kind", "dimension", "dimensions", "kind", "kinds"]


VERSION = 1
"""The version that the data is in; here too, so that naming it costs nothing."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One name on one of the two axes."""

    name: str
    axis: Literal["kind", "dimension"]
    """``kind``: how it slants; ``dimension``: against whom."""
    title: str
    meaning: str


@cache
def _data() -> tuple[dict[str, Kind], dict[str, Kind]]:
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("taxonomy.toml").read_text("utf-8"))
    kinds = {name: Kind(name, "kind", **entry) for name, entry in data["kind"].items()}
    dimensions = {name: Kind(name, "dimension", **entry) for name, entry in data["dimension"].items()}
    return kinds, dimensions


def kinds() -> tuple[str, ...]:
    """Return the names of the kinds, in their published order."""
    return tuple(_data()[0])


def dimensions() -> tuple[str, ...]:
    """Return the names of the dimensions, in their published order."""
    return tuple(_data()[1])


def kind(name: str) -> Kind:
    """Return a kind by its name."""
    try:
        return _data()[0][name]
    except KeyError:
        raise UnknownName("kind", name, kinds()) from None


def dimension(name: str) -> Kind:
    """Return a dimension by its name."""
    try:
        return _data()[1][name]
    except KeyError:
        raise UnknownName("dimension", name, dimensions()) from None
