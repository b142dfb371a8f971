"""Word lists of the literature, such as hedges and factives, read from the folder ``lexicons`` of the data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import data_folders
from unslant.text.words import ALPHANUMERIC

Numbers = NDArray[np.float64]

# Not text.words.COMPOUND: an underscore is no part of a word here.
_WORD = re.compile(rf"{ALPHANUMERIC.pattern}(?:['\u2019-]{ALPHANUMERIC.pattern})*")
_ENDINGS = ("ly", "ed", "ing", "est", "ous", "ful", "ive", "ist", "ism", "able", "s")


@dataclass(frozen=True)
class WordLists:
    """The word lists of a folder, by the name of their file."""

    words: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, data: str | Path | None) -> WordLists:
        """Read the folder ``lexicons``; a line is a word, and what follows a space is left out."""
        folder = next(
            (place / "lexicons" for place in data_folders(data) if (place / "lexicons").is_dir()), None
        )
        if folder is None:
            raise ConfigError(
                "the feature baseline needs the folder 'lexicons' with word lists beside the corpora"
            )
        found = {}
        for path in sorted(folder.glob("*.txt")):
            if not path.name.startswith("README"):
                lines = path.read_text("utf-8", "replace").splitlines()
                found[path.stem] = frozenset(
                    line.split()[0].lower()
                    for line in lines
                    if line.strip() and not line.startswith(("#", ";"))
                )
        return cls(found)

    def rows(self, text: str) -> tuple[list[Span], Numbers]:
        """Return the words of a text and the features of each, (words, features)."""
        matches = list(_WORD.finditer(text))
        inside = np.array(
            [[match.group().lower() in words for words in self.words.values()] for match in matches],
            dtype=float,
        ).reshape(len(matches), len(self.words))
        blank = np.zeros((1, len(self.words)))
        before, after = np.concatenate([blank, inside[:-1]]), np.concatenate([inside[1:], blank])
        form = [self._form(match.group(), at, len(matches)) for at, match in enumerate(matches)]
        shape = np.array(form, dtype=float).reshape(len(matches), 5 + len(_ENDINGS))
        return [Span(*match.span()) for match in matches], np.concatenate(
            [inside, before[: len(matches)], after[: len(matches)], shape], axis=1
        )

    @staticmethod
    def _form(word: str, at: int, count: int) -> list[float]:
        endings = [float(word.lower().endswith(ending)) for ending in _ENDINGS]
        return [1.0, at / count, len(word) / 10, float(word[0].isupper()), float(word.isupper()), *endings]
