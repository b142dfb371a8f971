"""Span matching metrics.

*Exact*: a span counts if its start and its end are those of a gold span. *Overlap*: a predicted span counts if it
shares a word with a gold span (precision is over the predicted spans), and a gold span counts if it shares a word with
a predicted one (recall is over the gold spans). F1 is the harmonic mean of the two. *Token*: the words inside the
predicted spans against the words inside the gold spans.

*As published*: the scoring of Zhong et al. 2021. Texts without gold spans are left out; *a, an, the, and* and commas
are trimmed from both ends of a span; a span is partly right if its right end is that of a gold span.

For all of them 0 means that nothing matches and 1 that everything does; higher is better. All are undefined where there
are neither gold nor predicted spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unslant.core.types import Span
from unslant.lab.stats.metrics import Metric, f1_score, mean, ratios

if TYPE_CHECKING:
    from unslant.lab.stats.metrics import Numbers

# Not text.words.WORD: the corpora that this figure is published for count what stands between spaces.
_BETWEEN_SPACES = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class SpanPrediction:
    """A text with its gold spans and the predicted ones."""

    text: str
    gold: tuple[Span, ...]
    predicted: tuple[Span, ...]


def exact_f1(texts: Sequence[SpanPrediction]) -> Metric:
    """F1 of spans with the same start and end, pooled over all texts: 2 · hits / (predicted + gold)."""
    pairs = [({*text.gold}, {*text.predicted}) for text in texts]
    return _f1_metric([(len(gold & found), len(found), len(gold)) for gold, found in pairs])


def right_end_f1(texts: Sequence[SpanPrediction]) -> Metric:
    """F1 of spans with the same end, pooled over all texts: 2 · hits / (predicted + gold)."""
    rows = []
    for text in texts:
        gold, predicted = {*text.gold}, {*text.predicted}
        hits = {span.end for span in gold} & {span.end for span in predicted}
        rows.append((len(hits), len(predicted), len(gold)))
    return _f1_metric(rows)


def trim_as_published(texts: Sequence[SpanPrediction]) -> list[SpanPrediction]:
    """Return the texts with gold spans, and all spans without the articles, 'and' and commas at their ends."""
    return [
        SpanPrediction(text.text, _trim(text.text, text.gold), _trim(text.text, text.predicted))
        for text in texts
        if text.gold
    ]


_AT_START = re.compile(r"(?:(?:a|an|the|and)\b|[\s,])+", re.IGNORECASE)
_AT_END = re.compile(r"(?:\b(?:a|an|the|and)|[\s,])+$", re.IGNORECASE)


def _trim(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    found = []
    for span in spans:
        words = text[span.start : span.end]
        before = _AT_START.match(words)
        start = before.end() if before else 0
        after = _AT_END.search(words, start)
        end = after.start() if after else len(words)
        if start < end:
            found.append(Span(span.start + start, span.start + end))
    return tuple(found)


def overlap_precision(texts: Sequence[SpanPrediction]) -> Metric:
    """The share of predicted spans that share a word with a gold span."""
    return ratios(_count_overlaps(texts), {"": (0, 1)})[""]


def overlap_recall(texts: Sequence[SpanPrediction]) -> Metric:
    """The share of gold spans that share a word with a predicted span."""
    return ratios(_count_overlaps(texts), {"": (2, 3)})[""]


def overlap_f1(texts: Sequence[SpanPrediction]) -> Metric:
    """The harmonic mean of overlap precision P and overlap recall R, 2PR / (P + R), pooled over all texts."""

    def formula(sums: Numbers) -> Numbers:
        precise, predicted, recalled, gold = (sums[..., at] for at in range(4))
        # the same as 2PR / (P + R), but 0 and not undefined where one of the two is 0
        both = 2 * precise * recalled / (precise * gold + recalled * predicted)
        return np.where((precise == 0) & (predicted + gold > 0), 0.0, both)

    return Metric(np.array(_count_overlaps(texts), dtype=float).reshape(len(texts), 4), formula)


def token_f1(texts: Sequence[SpanPrediction]) -> Metric:
    """F1 of the words inside spans, pooled over all texts; words are separated by spaces and compared by position."""
    return _f1_metric([_count_tokens(text) for text in texts])


def token_f1_mean(texts: Sequence[SpanPrediction]) -> Metric:
    """The mean over texts of the F1 of the words inside spans; a text without gold and predicted spans counts as 1."""
    counts = map(_count_tokens, texts)
    return mean([f1_score(*row) if row[1] + row[2] else 1.0 for row in counts])


def _f1_metric(rows: Sequence[tuple[int, int, int]]) -> Metric:
    counts = np.array(rows, dtype=float).reshape(len(rows), 3)
    return Metric(counts, lambda sums: f1_score(*(sums[..., at] for at in range(3))))


def _count_overlaps(texts: Sequence[SpanPrediction]) -> list[tuple[int, int, int, int]]:
    return [
        (
            sum(_shares_word(text.text, span, text.gold) for span in text.predicted),
            len(text.predicted),
            sum(_shares_word(text.text, span, text.predicted) for span in text.gold),
            len(text.gold),
        )
        for text in texts
    ]


def _shares_word(text: str, span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span has a visible character in common with another; a space alone is no word."""
    return any(
        text[max(span.start, other.start) : min(span.end, other.end)].strip() != "" for other in others
    )


def _count_tokens(text: SpanPrediction) -> tuple[int, int, int]:
    words = [Span(*match.span()) for match in _BETWEEN_SPACES.finditer(text.text)]
    predicted = {word for word in words if any(word.overlaps(span) for span in text.predicted)}
    gold = {word for word in words if any(word.overlaps(span) for span in text.gold)}
    return len(predicted & gold), len(predicted), len(gold)
