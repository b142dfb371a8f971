"""From tag probabilities to spans: which words are marked, and which of them form a span."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from unslant.core.types import Span
from unslant.neural.subwords import BEGIN, INSIDE, OUTSIDE
from unslant.text.function_words import FUNCTION
from unslant.text.words import ALPHANUMERIC

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def decode_tags(tagged: Iterable[tuple[Span, int]]) -> list[Span]:
    """Return the spans of a sequence of tags, in order; an inside tag without a begin starts a span."""
    spans: list[Span] = []
    inside = False
    for word, tag in tagged:
        if tag == INSIDE and inside:
            spans[-1] = Span(spans[-1].start, word.end)
        elif tag in (BEGIN, INSIDE):
            spans.append(word)
        inside = tag in (BEGIN, INSIDE)
    return spans


_IN_A_RUN = 0.2
"""Neighbouring words of at least this probability are compared with the likeliest of them."""


def mark_words(
    text: str, words: Sequence[Span], rows: Sequence[Sequence[float]], decision: Mapping[str, Any] = _NOTHING
) -> list[Span]:
    """Return spans from the probabilities of the three tags for each word, as decided on development data.

    A word is marked where begin and inside together reach the ``threshold``, and next to a marked word where they reach
    ``grow``; a higher threshold never marks more words. With ``peak``, a word is marked only if it reaches that share
    of the likeliest word around it, so that in a sentence that slants throughout, the words that slant most stand out.
    With ``whole``, neighbours are one span, one word between two marked words belongs to it, and a span begins and ends
    with a letter or digit and has a content word. With ``split``, a word starts a new span if it is that many times
    as likely to begin a span as to continue one.
    """
    scores = [row[BEGIN] + row[INSIDE] for row in rows]
    threshold = float(decision.get("threshold", 0.5))
    marked = _grow(scores, threshold, min(float(decision.get("grow", threshold)), threshold))
    if (share := float(decision.get("peak", 0))) > 0:
        needed = [share * peak for peak in _peaks(scores)]
        marked = [
            is_marked and score >= least
            for is_marked, score, least in zip(marked, scores, needed, strict=True)
        ]
    if decision.get("whole"):
        split = float(decision.get("split", math.inf))
        begins = [row[BEGIN] >= split * row[INSIDE] for row in rows]
        return _bridge_gaps(text, words, marked, begins)
    return decode_tags(
        (word, (BEGIN if row[BEGIN] > row[INSIDE] else INSIDE) if is_marked else OUTSIDE)
        for word, row, is_marked in zip(words, rows, marked, strict=True)
    )


def _grow(scores: Sequence[float], threshold: float, grow: float) -> list[bool]:
    marked = [score >= threshold for score in scores]
    if grow < threshold:
        for order in (range(1, len(scores)), range(len(scores) - 2, -1, -1)):
            step = order.step
            for at in order:
                marked[at] = marked[at] or (marked[at - step] and scores[at] >= grow)
    return marked


def _peaks(scores: Sequence[float]) -> list[float]:
    """Return the highest score of the run that each word belongs to; a single unlikely word does not end a run."""
    peaks = list(scores)
    start: int | None = None
    for at in range(len(scores) + 2):
        likely = at < len(scores) and scores[at] >= _IN_A_RUN
        if likely and start is None:
            start = at
        elif start is not None and not likely and not (at + 1 < len(scores) and scores[at + 1] >= _IN_A_RUN):
            end = min(at, len(scores))
            peaks[start:end] = [max(scores[start:end])] * (end - start)
            start = None
    return peaks


def _bridge_gaps(
    text: str, words: Sequence[Span], marked: Sequence[bool], begins: Sequence[bool]
) -> list[Span]:
    spans: list[Span] = []
    gap = 2
    for word, is_marked, is_first in zip(words, marked, begins, strict=True):
        if not is_marked:
            gap += 1
            continue
        if spans and gap <= 1 and not is_first:
            spans[-1] = Span(spans[-1].start, word.end)
        else:
            spans.append(word)
        gap = 0
    return [trimmed for span in spans if (trimmed := _trim(text, span)) is not None]


def _trim(text: str, span: Span) -> Span | None:
    """Return a span from its first letter or digit to its last; None where it has no content word."""
    words = list(ALPHANUMERIC.finditer(text, span.start, span.end))
    if all(match[0].lower() in FUNCTION for match in words):
        return None
    return Span(words[0].start(), words[-1].end())
