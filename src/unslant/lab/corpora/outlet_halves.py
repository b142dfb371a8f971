"""Which outlets a judge learns from, which the classifier that it grades, and which neither.

A judge that had read the same outlets as the classifier that steers a language model would grade its own student. So
outlets are dealt once, by name, and everybody asks here. Sections of a house (``CNN - Editorial``) count as the house.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from unslant.core.example import Example

__all__ = ["PARTS", "Part", "examples_of", "house", "part_of"]

Part = Literal["judge", "debias", "held-out"]
PARTS: tuple[Part, ...] = ("judge", "debias", "held-out")

_HOUSES = {
    "abc": "abc news",
    "ap": "associated press",
    "ap fact check": "associated press",
    "bbc": "bbc news",
    "blaze": "theblaze",
    "breitbart": "breitbart news",
    "cbs": "cbs news",
    "cns news": "cnsnews",
    "fox": "fox news",
    "fox online news": "fox news",
    "fox news latino": "fox news",
    "huffpost": "huffington post",
    "nbc": "nbc news",
    "nbcnews": "nbc news",
    "nbc today show": "nbc news",
    "wsj": "wall street journal",
    "yahoo! the 360": "yahoo! news",
}
"""Other names of the same house."""

_LARGE: dict[str, Part] = {
    "cnn": "judge",
    "fox news": "judge",
    "new york times": "judge",
    "townhall": "judge",
    "national review": "debias",
    "politico": "debias",
    "vox": "debias",
    "washington times": "debias",
    # the outlets that the published split by outlet keeps for testing, but for those it also trains on
    "abc news": "held-out",
    "american spectator": "held-out",
    "associated press": "held-out",
    "bbc news": "held-out",
    "breitbart news": "held-out",
    "cbn": "held-out",
    "daily caller": "held-out",
    "guardian": "held-out",
    "newsmax": "held-out",
    "reason": "held-out",
    "reuters": "held-out",
    "salon": "held-out",
}
"""Houses with more than a thousand articles, dealt so that both halves have as much of either side; and the tests'."""

_SECTION = re.compile(
    r"\s*(?:\((?:web|online|opinion|news|video|editorial|business)[^)]*\)|- (?:news|opinion|editorial|left|right)"
    r"|\bopinions?|\beditorial|\bonline news|\.com|\.org)\s*$"
)


def house(outlet: str) -> str:
    """Return the house that an outlet belongs to, in lower case: ``cnn`` for ``CNN (Web News)``."""
    name = " ".join(outlet.lower().split())
    while (shorter := _SECTION.sub("", name)) != name and shorter:
        name = shorter
    name = name.removeprefix("the ")
    return _HOUSES.get(name, name)


def part_of(outlet: str) -> Part | None:
    """Return the part that an outlet belongs to; guest writers, who write for many, belong to none.

    Small houses are dealt by a digest of their name, so a new one has its place without anybody's choice.
    """
    name = house(outlet)
    if not name or name.startswith("guest writer"):
        return None
    if name in _LARGE:
        return _LARGE[name]
    return "judge" if hashlib.sha256(name.encode()).digest()[0] % 2 else "debias"


def examples_of(examples: Iterable[Example], part: Part) -> Iterator[Example]:
    """Yield the examples whose outlet belongs to a part; those without an outlet belong to none."""
    return (one for one in examples if one.outlet and part_of(one.outlet) == part)
