"""From marked words to the tags of a tokenizer's pieces and back.

A network sees pieces of words; people mark words. Only the first piece of a word carries a tag, and a span is read
back from the first to the last of its words, so it always begins and ends at a word's border.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from unslant.core.types import Span
from unslant.text.function_words import FUNCTION

__all__ = [
    "BEGIN",
    "IGNORED",
    "INSIDE",
    "OUTSIDE",
    "TAGS",
    "Words",
    "decode",
    "decode_scores",
    "joined",
    "marked_words",
    "snap",
    "tags",
    "words",
]

TAGS = ("O", "B", "I")
OUTSIDE, BEGIN, INSIDE = range(3)
IGNORED = -100
"""The tag of what is not the first piece of a word."""

NOTHING: Mapping[str, Any] = MappingProxyType({})
_SAID = re.compile(r"[^\W_]+")

Offsets = Sequence[tuple[int, int]]
Words = Sequence[tuple[int, Span]]
"""Words in order, each with the index of its first piece."""


def words(text: str, offsets: Offsets) -> list[tuple[int, Span]]:
    """Return the words that pieces make up, each with the index of its first piece.

    A piece goes on with a word if it follows without a gap and both letters at the seam belong to words. So the words
    are the same whatever the tokenizer, as far as it keeps to the seams between letters and other signs.
    """
    found: list[tuple[int, int, int]] = []
    last = -1
    for index, (start, end) in enumerate(offsets):
        # Byte-level tokenizers count the space before a word as a part of it.
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start >= end:
            continue
        if found and start <= last and _joined(text, last, start):
            last = max(end, last)
            found[-1] = (*found[-1][:2], last)
        else:
            last = end
            found.append((index, start, end))
    return [(index, Span(start, end)) for index, start, end in found]


def _joined(text: str, end: int, start: int) -> bool:
    return start < end or (start == end and _wordly(text[start - 1]) and _wordly(text[start]))


def _wordly(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter).startswith("M")


def tags(text: str, offsets: Offsets, marked: Iterable[Span]) -> list[int]:
    """Tag each piece: a word that shares a letter with a marked span belongs to it."""
    found = [IGNORED] * len(offsets)
    spans = sorted(marked)
    before: Span | None = None
    for index, word in words(text, offsets):
        holder = next((span for span in spans if span.overlaps(word)), None)
        if holder is None:
            found[index] = OUTSIDE
        else:
            found[index] = INSIDE if holder == before else BEGIN
        before = holder
    return found


def decode(text: str, offsets: Offsets, piece_tags: Sequence[int]) -> list[Span]:
    """Read spans back from the tags of first pieces; an inside without a begin begins."""
    found = words(text, offsets)
    return joined((word, piece_tags[index]) for index, word in found)


def joined(tagged: Iterable[tuple[Span, int]]) -> list[Span]:
    """Read spans from the tags of words, in order."""
    spans: list[Span] = []
    inside = False
    for word, tag in tagged:
        if tag == INSIDE and inside:
            spans[-1] = Span(spans[-1].start, word.end)
        elif tag in (BEGIN, INSIDE):
            spans.append(word)
        inside = tag in (BEGIN, INSIDE)
    return spans


def decode_scores(
    text: str,
    offsets: Offsets,
    probabilities: Sequence[Sequence[float]],
    decision: Mapping[str, Any] = NOTHING,
) -> list[Span]:
    """Read spans from the probabilities of the three tags for each piece; see :func:`marked_words`."""
    found = words(text, offsets)
    rows = [probabilities[index] for index, _ in found]
    return marked_words(text, [word for _, word in found], rows, decision)


def marked_words(
    text: str, found: Sequence[Span], rows: Sequence[Sequence[float]], decision: Mapping[str, Any] = NOTHING
) -> list[Span]:
    """Read spans from the probabilities of the three tags for each word, as was decided on development data.

    A word is marked where begin and inside together reach the ``threshold``, and beside a marked word where they reach
    ``grow``; a higher threshold never marks more words. With ``whole``, neighbours are one span, one word between two
    marked ones belongs to it, and a span begins and ends with a letter or digit and has a word of its own meaning.
    """
    scores = [row[BEGIN] + row[INSIDE] for row in rows]
    threshold = float(decision.get("threshold", 0.5))
    marked = _grown(scores, threshold, min(float(decision.get("grow", threshold)), threshold))
    if decision.get("whole"):
        return _whole(text, found, marked)
    return joined(
        (word, (BEGIN if row[BEGIN] > row[INSIDE] else INSIDE) if is_marked else OUTSIDE)
        for word, row, is_marked in zip(found, rows, marked, strict=True)
    )


def _grown(scores: Sequence[float], threshold: float, grow: float) -> list[bool]:
    marked = [score >= threshold for score in scores]
    if grow < threshold:
        for order in (range(1, len(scores)), range(len(scores) - 2, -1, -1)):
            step = order.step
            for at in order:
                marked[at] = marked[at] or (marked[at - step] and scores[at] >= grow)
    return marked


def _whole(text: str, found: Sequence[Span], marked: Sequence[bool]) -> list[Span]:
    spans: list[Span] = []
    gap = 2
    for word, is_marked in zip(found, marked, strict=True):
        if not is_marked:
            gap += 1
            continue
        if spans and gap <= 1:
            spans[-1] = Span(spans[-1].start, word.end)
        else:
            spans.append(word)
        gap = 0
    return [trimmed for span in spans if (trimmed := _core(text, span)) is not None]


def _core(text: str, span: Span) -> Span | None:
    """Return a span from its first letter or digit to its last; None where it has no word of its own meaning."""
    said = list(_SAID.finditer(text, span.start, span.end))
    if all(match[0].lower() in FUNCTION for match in said):
        return None
    return Span(said[0].start(), said[-1].end())


def snap(text: str, spans: Iterable[Span]) -> list[Span]:
    """Widen spans to whole words, join those that then meet, and leave out those without any letter or digit.

    A tokenizer that drops a mark, such as an accent of its own, would else cut it off its word.
    """
    found: list[Span] = []
    for span in sorted(spans):
        start, end = span.start, span.end
        if not any(map(_wordly, text[start:end])):
            continue
        while start > 0 and _wordly(text[start - 1]) and _wordly(text[start]):
            start -= 1
        while end < len(text) and _wordly(text[end]) and _wordly(text[end - 1]):
            end += 1
        if found and start < found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end))
        else:
            found.append(Span(start, end))
    return found
