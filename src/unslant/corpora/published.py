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

    @property
    def same(self) -> bool | None:
        """Whether the two agree to the digits that were published; None where one is missing."""
        if self.published is None or self.ours is None:
            return None
        digits = len(f"{self.published}".partition(".")[2]) if isinstance(self.published, float) else 0
        # Tables round or cut: half a unit of the last digit, or a whole one for those that cut.
        return abs(self.ours - self.published) < 10.0**-digits

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
    data = tomllib.loads(files("unslant.corpora").joinpath("published.toml").read_text("utf-8"))
    figures: dict[str, Any] = data[corpus]
    return figures
