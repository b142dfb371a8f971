"""Finding in a text the words that annotators named without saying where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unslant.core.example import LabelledSpan
from unslant.core.types import Span

__all__ = ["find_phrase", "find_words", "merged"]


_MARKS = " \"',.;\u2018\u2019\u201c\u201d"


def find_phrase(text: str, phrase: str) -> Span | None:
    """Return where a phrase first stands; white space and case may differ."""
    words = phrase.split()
    if not words:
        return None
    start = text.find(phrase.strip())
    if start >= 0:
        return Span(start, start + len(phrase.strip()))
    match = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return Span(*match.span()) if match else None


def find_words(text: str, words: Iterable[str]) -> tuple[tuple[LabelledSpan, ...], list[str]]:
    """Return every place where one of the words stands as a whole word, and the words that stand nowhere."""
    found: list[Span] = []
    lost: list[str] = []
    for word in words:
        pattern = r"\s+".join(map(re.escape, word.strip(_MARKS).split()))
        places = [Span(*match.span()) for match in _whole(pattern).finditer(text)] if pattern else []
        found += places
        if not places:
            lost.append(word)
    return tuple(LabelledSpan(span) for span in merged(found)), lost


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in order, those that overlap made one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and span.start < result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result
