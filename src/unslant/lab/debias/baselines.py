"""The baselines of the paper: they replace bias words in the finished text, whatever the context.

The replacements come from word vectors (``vectors.py``) and are kept as a table.
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

from unslant.core.errors import ConfigError, InputError, UnknownName
from unslant.core.files import parse_json, quote_name, read_text, write_text
from unslant.text.words import LETTERS

__all__ = ["BASELINES", "WordReplacer", "load_replacer", "save_replacements"]

BASELINES = ("naive", "in-glove")
"""Naive: the nearest word in plain GloVe vectors. IN-GloVe: one of the ten nearest in ideology-neutral ones."""


@dataclass(frozen=True)
class WordReplacer:
    """A table of replacements for each bias word; where there are several, the seed of the text decides."""

    choices: Mapping[str, Sequence[str]]

    def digest(self) -> str:
        """Return a SHA-256 digest of the table."""
        return hashlib.sha256(json.dumps(self.choices, sort_keys=True).encode()).hexdigest()

    def replace(self, texts: Sequence[str], seeds: Sequence[int]) -> list[str]:
        """Return the texts with every bias word replaced; letter case and everything else are kept."""
        return [self._replace_text(text, seed) for text, seed in zip(texts, seeds, strict=True)]

    def _replace_text(self, text: str, seed: int) -> str:
        rng = random.Random(f"replacement:{seed}")  # noqa: S311

        def substitute(match: re.Match[str]) -> str:
            word = match.group()
            choices = self.choices.get(word.lower(), ())
            return _match_case(word, rng.choice(choices)) if choices else word

        return LETTERS.sub(substitute, text)


def load_replacer(mode: str, guide: Path | str | None = None) -> WordReplacer:
    """Return a baseline by its name, with the table in ``guide`` or the one that ships with unslant."""
    if mode not in BASELINES:
        raise UnknownName("baseline", mode, BASELINES)
    try:
        if guide is None:
            text = (files("unslant.lab.debias") / "replacements.json").read_text("utf-8")
        else:
            text = read_text(guide)
        return WordReplacer(_read_table(parse_json(text, quote_name(guide or ""))[mode]))
    except InputError as error:
        raise ConfigError(f"{error}; write a table with 'unslant train neutral-vectors'.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{guide}: not a table of replacements; write one with 'unslant train neutral-vectors'."
        ) from error


def save_replacements(
    path: Path, tables: Mapping[str, Mapping[str, Sequence[str]]], card: Mapping[str, Any]
) -> None:
    """Write the tables of both baselines and the card that says where they come from."""
    content = {"schema": 1, "card": dict(card), **{mode: dict(tables[mode]) for mode in BASELINES}}
    write_text(path, json.dumps(content, indent=None, separators=(",", ":")) + "\n")


def _read_table(content: Any) -> dict[str, list[str]]:
    if not all(isinstance(word, str) for others in content.values() for word in others):
        raise TypeError
    return {str(word): list(others) for word, others in content.items()}


def _match_case(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[:1].isupper() else other
