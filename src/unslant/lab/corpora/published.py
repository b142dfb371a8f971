"""Published figures, and ours beside them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["Compared", "published"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure as published and as measured."""

    name: str
    published: float | None
    """None where the publication gives none."""
    ours: float | None
    """None where this copy does not tell."""
    why: str = ""
    """What explains the difference, if there is one."""
    digits: int = 0
    """The digits after the point that the publication gives."""

    @property
    def same(self) -> bool | None:
        """Whether the two agree to the digits that were published; None where one is missing."""
        if self.published is None or self.ours is None:
            return None
        # Tables round or cut: a whole unit of the last digit covers both.
        return abs(self.ours - self.published) < 10.0**-self.digits

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            "published": self.published,
            "ours": self.ours,
            "same": self.same,
            "why": self.why,
        }


@cache
def published(corpus: str) -> dict[str, Any]:
    """Return the published figures of a corpus."""
    data = tomllib.loads(files("unslant.lab.corpora").joinpath("published.toml").read_text("utf-8"))
    figures: dict[str, Any] = data[corpus]
    return figures
