"""The baselines of the paper: they replace words of a side in what was written, and never look at the rest.

Which words may stand for which is found once, in word vectors (``vectors.py``), and kept as a table.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, UnknownName

__all__ = ["BASELINES", "Replacement", "replacer", "save_replacements"]

BASELINES = ("naive", "in-glove")
"""Naive: the nearest word in plain vectors. IN-GloVe: one of the ten nearest in vectors that do not know the sides."""

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Replacement:
    """What each word of a side may be replaced by; the seed of a text decides where there are several."""

    choices: Mapping[str, Sequence[str]]

    def digest(self) -> str:
        """Return a SHA-256 digest of the table."""
        return hashlib.sha256(json.dumps(self.choices, sort_keys=True).encode()).hexdigest()

    def replace(self, texts: Sequence[str], seeds: Sequence[int]) -> list[str]:
        """Return the texts with every word of a side replaced; case is kept, and so is everything else."""
        return [self._one(text, seed) for text, seed in zip(texts, seeds, strict=True)]

    def _one(self, text: str, seed: int) -> str:
        rng = random.Random(f"replacement:{seed}")  # noqa: S311

        def other(match: re.Match[str]) -> str:
            word = match.group()
            choices = self.choices.get(word.lower(), ())
            return _like(word, rng.choice(choices)) if choices else word

        return _WORD.sub(other, text)


def replacer(mode: str, guide: Path | str | None = None) -> Replacement:
    """Return the baseline of this name, by the table in ``guide`` or the one that comes with unslant."""
    if mode not in BASELINES:
        raise UnknownName("baseline", mode, BASELINES)
    try:
        if guide is None:
            text = (files("unslant.lab.debias") / "replacements.json").read_text("utf-8")
        else:
            text = Path(guide).read_text("utf-8")
        return Replacement(_table(json.loads(text)[mode]))
    except OSError as error:
        raise ConfigError(
            f"{guide}: cannot be read ({error.strerror}); 'unslant train neutral-vectors' makes one."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{guide}: not a table of replacements; 'unslant train neutral-vectors' makes one."
        ) from error


def save_replacements(
    path: Path, tables: Mapping[str, Mapping[str, Sequence[str]]], card: Mapping[str, Any]
) -> None:
    """Write the tables of both baselines, and where they come from."""
    content = {"schema": 1, "card": dict(card), **{mode: dict(tables[mode]) for mode in BASELINES}}
    path.write_text(json.dumps(content, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


def _table(content: Any) -> dict[str, list[str]]:
    if not all(isinstance(one, str) for others in content.values() for one in others):
        raise TypeError
    return {str(word): list(others) for word, others in content.items()}


def _like(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[:1].isupper() else other
