"""How well spans were found.

*Exact*: a span counts if its start and its end are those of a gold span. *Overlap*: a predicted span counts if it
shares a word with a gold span (precision is over the predicted spans), and a gold span counts if it shares a word with
a predicted one (recall is over the gold spans). F1 is the harmonic mean of the two. *Token*: the words inside the
predicted spans against the words inside the gold spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unslant.core.types import Span
from unslant.lab.evaluation.metrics import Measure, f1_of, mean

if TYPE_CHECKING:
    from unslant.lab.evaluation.metrics import Numbers

__all__ = [
    "Marked",
    "exact_f1",
    "overlap_f1",
    "overlap_precision",
    "overlap_recall",
    "token_f1",
    "token_f1_mean",
]

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Marked:
    """One text with its gold spans and the predicted ones."""

    text: str
    gold: tuple[Span, ...]
    predicted: tuple[Span, ...]


def _measure(texts: Sequence[Marked], rows: Iterable[tuple[float, ...]], width: int) -> Measure:
    import numpy as np

    counts = np.array(list(rows), dtype=float).reshape(len(texts), width)
    return Measure(counts, lambda sums: f1_of(*(sums[..., at] for at in range(3))))


def exact_f1(texts: Sequence[Marked]) -> Measure:
    """F1 of spans with the same start and end, over all texts together."""
    rows = (
        (len(set(one.gold) & set(one.predicted)), len(set(one.predicted)), len(set(one.gold)))
        for one in texts
    )
    return _measure(texts, rows, 3)


def _shares(text: str, one: Span, others: Sequence[Span]) -> bool:
    """Say whether a span has a letter, digit or mark in common with another; a space alone is no word."""
    return any(text[max(one.start, other.start) : min(one.end, other.end)].strip() != "" for other in others)


def _overlaps(texts: Sequence[Marked]) -> Numbers:
    import numpy as np

    return np.array(
        [
            (
                sum(_shares(one.text, span, one.gold) for span in one.predicted),
                len(one.predicted),
                sum(_shares(one.text, span, one.predicted) for span in one.gold),
                len(one.gold),
            )
            for one in texts
        ],
        dtype=float,
    ).reshape(len(texts), 4)


def overlap_precision(texts: Sequence[Marked]) -> Measure:
    """The share of predicted spans that share a word with a gold one."""
    return Measure(_overlaps(texts), lambda sums: sums[..., 0] / sums[..., 1])


def overlap_recall(texts: Sequence[Marked]) -> Measure:
    """The share of gold spans that share a word with a predicted one."""
    return Measure(_overlaps(texts), lambda sums: sums[..., 2] / sums[..., 3])


def overlap_f1(texts: Sequence[Marked]) -> Measure:
    """The harmonic mean of the two."""
    import numpy as np

    def formula(sums: Numbers) -> Numbers:
        met, found, hit, wanted = (sums[..., at] for at in range(4))
        # the same as 2PR / (P + R), but 0 and not undefined where one of the two is 0
        both = 2 * met * hit / (met * wanted + hit * found)
        return np.where((met == 0) & (found + wanted > 0), 0.0, both)

    return Measure(_overlaps(texts), formula)


def _tokens(one: Marked) -> tuple[int, int, int]:
    words = [Span(*match.span()) for match in _WORD.finditer(one.text)]
    guess = {word for word in words if any(word.overlaps(span) for span in one.predicted)}
    truth = {word for word in words if any(word.overlaps(span) for span in one.gold)}
    return len(guess & truth), len(guess), len(truth)


def token_f1(texts: Sequence[Marked]) -> Measure:
    """F1 of the words inside spans, over all texts together; words are what spaces part, told apart by position."""
    return _measure(texts, (_tokens(one) for one in texts), 3)


def token_f1_mean(texts: Sequence[Marked]) -> Measure:
    """The mean over texts of the F1 of the words inside spans; a text in which neither has any counts as right."""
    scores = []
    for one in texts:
        hits, predicted, gold = _tokens(one)
        scores.append(2 * hits / (predicted + gold) if predicted + gold else 1.0)
    return mean(scores)
