"""What a harvest is asked to do, as plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from unslant.core.errors import ConfigError, UnknownName
from unslant.lab.wiki.filters import FILTERS

__all__ = ["LICENCE", "HarvestSettings"]

LICENCE = "CC BY-SA 4.0"
"""The licence of the text of Wikipedia and its sister projects."""
_OUTPUT = 2
"""Raised whenever the same settings would give other pairs, so that old parts are not mixed with new ones."""


@dataclass(frozen=True)
class HarvestSettings:
    """Settings that decide which pairs are found; nothing here says how fast or where."""

    comments: str = "en"
    """The language of the list of comments, or a file with one."""
    namespaces: tuple[int, ...] = (0,)
    without: frozenset[str] = frozenset()
    """Filters that are switched off."""
    splits: Mapping[str, float] = field(default_factory=lambda: {"train": 0.8, "dev": 0.1, "test": 0.1})
    licence: str = LICENCE

    def __post_init__(self) -> None:
        for name in sorted(self.without):
            if name not in FILTERS:
                raise UnknownName("filter", name, FILTERS)
        if not self.splits or any(share <= 0 for share in self.splits.values()):
            raise ConfigError("--splits: the shares should be positive, such as train=0.8,dev=0.1,test=0.1")

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form, with the version of the list of comments."""
        from unslant.lab.wiki.comments import comment_list

        listed = comment_list(self.comments)
        return {
            "comments": self.comments,
            "comments_version": listed.version,
            "namespaces": list(self.namespaces),
            "without": sorted(self.without),
            "splits": dict(self.splits),
            "licence": self.licence,
            "output": _OUTPUT,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the wire form."""
        return cls(
            comments=data["comments"],
            namespaces=tuple(data["namespaces"]),
            without=frozenset(data["without"]),
            splits=data["splits"],
            licence=data["licence"],
        )

    def digest(self) -> str:
        """Return a digest: the same settings, the same digest."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    def split_of(self, page: str) -> str:
        """Return the split of a page; all of a page is on one side, and more pages change nothing."""
        place = int.from_bytes(hashlib.sha256(page.encode()).digest()[:8]) / 2**64 * sum(self.splits.values())
        for name, share in self.splits.items():
            place -= share
            if place < 0:
                return name
        return list(self.splits)[-1]
