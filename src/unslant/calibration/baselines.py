"""The baselines of the paper: they replace words of a side in what was written, and never look at the rest."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.calibration.vectors import load_vectors, nearest
from unslant.calibration.words import BiasWords

if TYPE_CHECKING:
    from unslant.lm.causal import CausalModel

__all__ = ["Replacement", "in_glove", "naive"]

_WORD = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True)
class Replacement:
    """What each word of a side may be replaced by; the seed of a text decides where there are several."""

    choices: Mapping[str, Sequence[str]]
    digest: str

    def __call__(self, text: str, seed: int) -> str:
        """Return the text with every word of a side replaced; its case is kept, and so is everything else."""
        rng = random.Random(f"replacement:{seed}")  # noqa: S311

        def other(match: re.Match[str]) -> str:
            word = match.group()
            choices = self.choices.get(word.lower(), ())
            return _like(word, rng.choice(choices)) if choices else word

        return _WORD.sub(other, text)


def naive(causal: CausalModel, words: BiasWords) -> Replacement:
    """Return the nearest word of each, by the cosine in the language model's own embedding."""
    import numpy as np

    pieces = _whole_words(causal.tokenizer)
    rows = causal.head.weight.detach().float().cpu().numpy()
    known = sorted(pieces)
    return _made(known, rows[[pieces[word] for word in known]].astype(np.float32), words, 1)


def in_glove(path: Path, words: BiasWords) -> Replacement:
    """Return the ten nearest words of each, in vectors that do not know the sides apart."""
    known, values = load_vectors(path)
    return _made(known, values, words, 10)


def _made(known: Sequence[str], values: Any, words: BiasWords, count: int) -> Replacement:
    choices = nearest(known, values, sorted(words.all), count, without=words.all)
    key = "\n".join(f"{word} {' '.join(found)}" for word, found in sorted(choices.items()))
    return Replacement(choices, hashlib.sha256(key.encode()).hexdigest())


def _whole_words(tokenizer: Any) -> dict[str, int]:
    """Return the tokens that are a word by themselves after a space."""
    found: dict[str, int] = {}
    for token, at in tokenizer.get_vocab().items():
        text = token[1:] if token[:1] in ("\u0120", "\u2581", " ") else ""
        if _PIECE.fullmatch(text):
            found[text] = at
    return found


def _like(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[:1].isupper() else other
