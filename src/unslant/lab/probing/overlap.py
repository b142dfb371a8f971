"""How near an answer comes to the right words: token F1, METEOR, and the counts of BLEU."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from unslant.core.errors import MissingExtra

__all__ = ["BLEU_COLUMNS", "bleu_counts", "meteor", "token_f1", "tokens"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
BLEU_COLUMNS = 10
"""Matched and all n-grams for four lengths, the length of the answer and of the reference."""


def tokens(text: str) -> list[str]:
    """Return words and other signs, case aside."""
    return _TOKEN.findall(text.casefold())


def token_f1(answer: str, references: Sequence[str]) -> float:
    """The harmonic mean of the shares of tokens that answer and reference have in common; the best reference counts.

    0: no token in common, 1: the same tokens in whatever order.
    """
    said = Counter(tokens(answer))
    best = 0.0
    for reference in references:
        right = Counter(tokens(reference))
        total = said.total() + right.total()
        best = max(best, 2 * (said & right).total() / total if total else 0.0)
    return best


def meteor(answer: str, references: Sequence[str]) -> float:
    """METEOR (Banerjee and Lavie 2005) with the exact and the stem matcher; the best reference counts.

    ``P R / (0.9 P + 0.1 R) · (1 - 0.5 (chunks / matches)³)`` over words that are the same or have the same stem
    (Snowball, English). There is no matcher for synonyms or paraphrases, so figures lie below those that have one. 0:
    nothing matches; even a right answer stays below 1, and one of a single word gets one half.
    """
    return max((_meteor(tokens(answer), tokens(one)) for one in references), default=0.0)


def _meteor(said: Sequence[str], right: Sequence[str]) -> float:
    pairs = _aligned(said, right)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(said), len(pairs) / len(right)
    mean: float = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
    chunks = 1 + sum(
        (second[0] - first[0], second[1] - first[1]) != (1, 1) for first, second in pairwise(pairs)
    )
    return float(mean * (1 - _GAMMA * (chunks / len(pairs)) ** _BETA))


def _aligned(said: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pair words, the same before those of one stem; of several places the one that goes on with a chunk is taken."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    stem = _stemmer()
    for form in (lambda word: word, stem):
        places: dict[str, list[int]] = {}
        for at, word in enumerate(right):
            if at not in taken:
                places.setdefault(form(word), []).append(at)
        for at, word in enumerate(said):
            free = [one for one in places.get(form(word), ()) if one not in taken]
            if at in found or not free:
                continue
            after = found.get(at - 1, -2) + 1
            found[at] = after if after in free else free[0]
            taken.add(found[at])
    return sorted(found.items())


@cache
def _stemmer() -> Any:
    try:
        import snowballstemmer
    except ModuleNotFoundError as error:
        raise MissingExtra("METEOR", "snowballstemmer", "lm") from error
    return snowballstemmer.stemmer("english").stemWord


@cache
def _bleu() -> Any:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError as error:
        raise MissingExtra("BLEU", "sacrebleu", "lm") from error
    return BLEU(effective_order=True)


def bleu_counts(answer: str, references: Sequence[str]) -> list[float]:
    """Return what one answer adds to a corpus BLEU, as sacrebleu counts it (tokenizer 13a)."""
    found = _bleu().sentence_score(answer, list(references))
    return [*map(float, found.counts), *map(float, found.totals), float(found.sys_len), float(found.ref_len)]
