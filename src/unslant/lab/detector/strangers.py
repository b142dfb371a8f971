"""Names that no list has, in the place of veiled words.

A veil makes a model even-handed among the names of its list. Of others it would know nothing but what its texts
said of them; so it learns, too, that whichever name stands there changes nothing.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

__all__ = ["Strangers", "strangers"]


@cache
def strangers() -> Mapping[str, Sequence[str]]:
    """Return what may stand in the place of each covering word; data, in ``strangers.toml``."""
    text = files("unslant.lab.detector").joinpath("strangers.toml").read_text("utf-8")
    covers: Mapping[str, Sequence[str]] = tomllib.loads(text)["covers"]
    return covers


class Strangers:
    """Chooses a name for each covering word, always the same one within a text."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, cover: str) -> str:
        """Return what stands in the place of a covering word; the word itself where there is no list for it."""
        names = strangers().get(cover)
        return random.Random(f"{self._seed}/{cover}").choice(names) if names else cover  # noqa: S311
