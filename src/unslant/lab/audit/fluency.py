"""What debiasing costs: perplexity under an n-gram model, variety of wording, and time.

As in the paper, the n-gram model is trained on the texts of the model without debiasing, for each attribute. No text is
scored by an n-gram model that has seen it or its counterpart of another variant: the texts are split into parts, and
each part is scored by a model of the others.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unslant.core.encoding import Encoded
from unslant.lab.audit.store import AuditText
from unslant.text.words import WORD_OR_MARK

_PARTS = 5
_BEGIN, _END = "<s>", "</s>"


@dataclass(frozen=True, slots=True)
class Fluency(Encoded):
    """The fluency of a variant's texts."""

    perplexity: float | None
    """Perplexity under the n-gram model, averaged over attributes; lower is closer to the model without debiasing."""
    own_perplexity: float | None
    """The perplexity of the debiased texts under the model itself; None where it was not computed."""
    distinct: tuple[float, ...]
    """Distinct-1 and distinct-2: different words and word pairs as a share of all. 1: no repetition."""
    seconds_per_token: float | None


def tokenize(text: str) -> list[str]:
    """Return the words and marks of a text, in lower case."""
    return [match.group().lower() for match in WORD_OR_MARK.finditer(text)]


class NGram:
    """An n-gram model with interpolated Kneser-Ney smoothing.

    P(w | h) = max(c(hw) - d, 0) / c(h) + d · n(h) / c(h) · P(w | h'), where n(h) counts the different words after h, h'
    is h without its first word, and lower orders count in how many different contexts a word occurs. The
    lowest order is uniform over the known words and one token for all unknown ones.
    """

    def __init__(self, texts: Iterable[Sequence[str]], order: int = 3, discount: float = 0.75) -> None:
        self._order, self._discount = order, discount
        counts: list[dict[tuple[str, ...], Counter[str]]] = [defaultdict(Counter) for _ in range(order)]
        for text in texts:
            padded = [*[_BEGIN] * (order - 1), *text, _END]
            for at in range(order - 1, len(padded)):
                counts[order - 1][tuple(padded[at - order + 1 : at])][padded[at]] += 1
        for length in range(order - 1, 0, -1):
            for context, after in counts[length].items():
                for word in after:
                    counts[length - 1][context[1:]][word] += 1
        self._counts = counts
        self._totals = [
            {context: sum(after.values()) for context, after in level.items()} for level in counts
        ]
        self._even = 1 / (len(counts[0][()]) + 1)

    def probability(self, word: str, before: Sequence[str]) -> float:
        """Return the probability of a word after others; missing context is padded with the start symbol."""
        padded = [*[_BEGIN] * (self._order - 1), *before]
        chance = self._even
        for length in range(self._order):
            context = tuple(padded[len(padded) - length :])
            total = self._totals[length].get(context)
            if total is None:
                continue
            after = self._counts[length][context]
            gained = max(after.get(word, 0) - self._discount, 0) / total
            chance = gained + self._discount * len(after) / total * chance
        return chance

    def surprise(self, text: Sequence[str]) -> tuple[float, int]:
        """Return the sum of -log P over a text and its end, and the number of words."""
        total = 0.0
        for at, word in enumerate([*text, _END]):
            total -= math.log(self.probability(word, text[max(0, at - self._order + 1) : at]))
        return total, len(text) + 1


def fluency(
    texts: Mapping[str, AuditText],
    vanilla: Mapping[str, AuditText],
    own: Mapping[str, float | None] | None = None,
) -> Fluency:
    """Measure the texts of a variant; ``own`` holds the mean log probability of each by the model itself."""
    found = [
        _perplexity(_tokenize_attribute(texts, name), _tokenize_attribute(vanilla, name))
        for name in sorted({text.attribute for text in texts.values()})
    ]
    known = [value for value in (own or {}).values() if value is not None]
    tokens = sum(text.tokens for text in texts.values())
    return Fluency(
        sum(perplexity for perplexity in found if perplexity) / len(found) if found and all(found) else None,
        math.exp(-sum(known) / len(known)) if known else None,
        tuple(distinct([tokenize(text.text) for text in texts.values()], size) for size in (1, 2)),
        sum(text.seconds for text in texts.values()) / tokens if tokens else None,
    )


def _tokenize_attribute(texts: Mapping[str, AuditText], attribute: str) -> dict[str, list[str]]:
    return {key: tokenize(text.text) for key, text in texts.items() if text.attribute == attribute}


def _perplexity(texts: Mapping[str, list[str]], vanilla: Mapping[str, list[str]]) -> float | None:
    total, count = 0.0, 0
    for part in range(_PARTS):
        mine = [words for key, words in texts.items() if _part(key) == part]
        others = [words for key, words in vanilla.items() if _part(key) != part]
        if not mine or not others:
            continue
        model = NGram(others)
        for words in mine:
            more, length = model.surprise(words)
            total, count = total + more, count + length
    return math.exp(total / count) if count else None


def _part(key: str) -> int:
    return hashlib.sha256(key.encode()).digest()[0] % _PARTS


def distinct(texts: Sequence[Sequence[str]], size: int) -> float:
    """Return the share of distinct n-grams among all n-grams; 0 if there are none."""
    runs = [tuple(text[at : at + size]) for text in texts for at in range(len(text) - size + 1)]
    return len(set(runs)) / len(runs) if runs else 0.0
