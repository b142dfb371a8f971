"""Which sentence became which: by BLEU, within the changed block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["LEAST_BLEU", "pair_sentences", "sentence_bleu"]

LEAST_BLEU = 0.1
"""Below this two sentences have nothing to do with each other."""
_MOST_SENTENCES = 60
_ORDER = 4


def sentence_bleu(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    """Return the BLEU of one sentence: 0 nothing in common, 1 the same.

    The geometric mean of the precisions of n-grams up to four words, times the brevity penalty; an order without a
    match counts as half, a quarter, … of one, as is usual for single sentences.
    """
    if not hypothesis or not reference:
        return 0.0
    total, halvings, orders = 0.0, 1.0, 0
    for order in range(1, _ORDER + 1):
        mine, theirs = _grams(hypothesis, order), _grams(reference, order)
        count = sum(mine.values())
        if not count:
            break
        orders += 1
        hits = sum((mine & theirs).values())
        if order == 1 and not hits:
            return 0.0
        if not hits:
            halvings *= 2
        total += math.log((hits or 1 / halvings) / count)
    brevity = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(brevity + total / orders)


def _grams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[place : place + order]) for place in range(len(words) - order + 1))


def pair_sentences(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]] | None:
    """Return what became what, in the order of the source, without what stayed; None where there is too much.

    The most alike are paired first, and nothing is paired twice.
    """
    stayed = Counter(before) & Counter(after)
    old, new = _less(before, stayed), _less(after, stayed)
    if max(len(old), len(new)) > _MOST_SENTENCES:
        return None
    words = {text: text.split() for text in (*old, *new)}
    scored = sorted(
        (-sentence_bleu(words[target], words[source]), i, j)
        for i, source in enumerate(old)
        for j, target in enumerate(new)
    )
    partner: dict[int, int] = {}
    taken: set[int] = set()
    for negative, i, j in scored:
        if -negative < LEAST_BLEU:
            break
        if i not in partner and j not in taken:
            partner[i] = j
            taken.add(j)
    return [(old[i], new[j]) for i, j in sorted(partner.items())]


def _less(sentences: Sequence[str], stayed: Counter[str]) -> list[str]:
    left = stayed.copy()
    rest = []
    for text in sentences:
        if left[text] > 0:
            left[text] -= 1
        else:
            rest.append(text)
    return rest
