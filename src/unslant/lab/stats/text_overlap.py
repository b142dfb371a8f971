"""How close a text comes to its references: token F1, METEOR and BLEU.

For all of them 0 means nothing in common; higher is better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from unslant.core.errors import MissingExtra
from unslant.lab.stats.metrics import f1_score
from unslant.text.words import PART

if TYPE_CHECKING:
    from unslant.lab.stats.metrics import Numbers

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
_ORDER = 4
BLEU_COLUMNS = 2 * _ORDER + 2
"""Matching and all n-grams of four lengths, the length of the text and of the reference."""


def tokens(text: str) -> list[str]:
    """Return case-folded words and punctuation marks."""
    return PART.findall(text.casefold())


def bag_f1(text: str, references: Sequence[str]) -> float:
    """F1 of the bags of tokens of a text and its best reference, 2 · common / (tokens of text + tokens of reference).

    1: the same tokens in any order.
    """
    own = Counter(tokens(text))
    best = 0.0
    for reference in references:
        wanted = Counter(tokens(reference))
        if total := wanted.total():
            best = max(best, f1_score((own & wanted).total(), own.total(), total))
    return best


def meteor(text: str, references: Sequence[str]) -> float:
    """METEOR (Banerjee and Lavie 2005) with the exact and the stem matcher; the best reference counts.

    Formula: P R / (0.9 P + 0.1 R) · (1 - 0.5 (chunks / matches)³) over words that are equal or have the same stem
    (Snowball, English). Synonyms and paraphrases do not match, so values are lower than with those matchers. Even a
    perfect text stays below 1, and one of a single word gets 0.5.
    """
    return max((_meteor(tokens(text), tokens(reference)) for reference in references), default=0.0)


def _meteor(own: Sequence[str], wanted: Sequence[str]) -> float:
    pairs = _align(own, wanted)
    if not pairs:
        return 0.0
    precision, recall = len(pairs) / len(own), len(pairs) / len(wanted)
    mean: float = precision * recall / (_ALPHA * precision + (1 - _ALPHA) * recall)
    chunks = 1 + sum(
        (second[0] - first[0], second[1] - first[1]) != (1, 1) for first, second in pairwise(pairs)
    )
    return float(mean * (1 - _GAMMA * (chunks / len(pairs)) ** _BETA))


def _align(own: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, int]]:
    """Pair equal words first, then equal stems; among several positions prefer the one that continues a chunk."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for form in (lambda word: word, _stemmer()):
        places: dict[str, list[int]] = {}
        for at, word in enumerate(wanted):
            if at not in taken:
                places.setdefault(form(word), []).append(at)
        for at, word in enumerate(own):
            free = [place for place in places.get(form(word), ()) if place not in taken]
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
def _sacrebleu() -> Any:
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError as error:
        raise MissingExtra("BLEU", "sacrebleu", "evaluate") from error
    # effective order changes only the score of a single sentence, which is not used
    return BLEU(tokenize="13a", effective_order=True)


def bleu_signature() -> str:
    """Return sacrebleu's signature, which names every setting that the value depends on."""
    _sacrebleu()
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize="13a")
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature())


def bleu_counts(text: str, references: Sequence[str]) -> list[float]:
    """Return what one text adds to a corpus BLEU, as sacrebleu counts it (tokenizer 13a)."""
    found = _sacrebleu().sentence_score(text, list(references))
    return [*map(float, found.counts), *map(float, found.totals), float(found.sys_len), float(found.ref_len)]


def bleu_from_counts(sums: Numbers) -> Numbers:
    """Corpus BLEU-4 from summed counts, (…, 10) to (…), with sacrebleu's exponential smoothing.

    Formula: brevity penalty · exp(mean of the logs of the four n-gram precisions). 0: no word in common; 1: equal.
    """
    hits, totals = sums[..., :_ORDER], sums[..., _ORDER : 2 * _ORDER]
    written, wanted = sums[..., -2], sums[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # the k-th precision without a match is set to 1 / (2^k · total)
        empty = (hits == 0) & (totals > 0)
        smoothed = np.where(empty, 1 / 2.0 ** np.cumsum(empty, axis=-1), hits)
        logs = np.log(smoothed / totals).mean(axis=-1)
        penalty = np.where(written < wanted, np.exp(1 - wanted / written), 1.0)
        found = penalty * np.exp(logs)
    return np.asarray(np.where((hits[..., 0] == 0) | (totals[..., -1] == 0), 0.0, found))
