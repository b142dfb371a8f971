"""A sentence as it would read after some changes, as a small document of its own that can be judged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from unslant.core.types import Document, Sentence, Span
from unslant.rewrite.change import Change, apply, moved

__all__ = ["clipped", "standing"]


def clipped(spans: Sequence[Span], sentence: Sentence) -> list[tuple[int, int]]:
    """Return the spans, which are in order, as far as they lie in a sentence, by offsets from its start."""
    span = sentence.span
    found = []
    for one in spans[bisect_right(spans, span.start, key=lambda one: one.end) :]:
        if one.start >= span.end:
            break
        found.append((max(one.start, span.start) - span.start, min(one.end, span.end) - span.start))
    return found


def standing(sentence: Sentence, changes: Sequence[Change]) -> Sentence:
    """Return the sentence after the changes, without its markup, with what is quoted and ignored in it."""
    document = sentence.document
    text = apply(sentence.text, changes)
    whole = Span(0, len(text)) if text else None
    quotations = (
        (moved(start, changes), moved(end, changes)) for start, end in clipped(document.quotations, sentence)
    )
    directives = (one for one in document.directives if one.scope.overlaps(sentence.span))
    new = Document(
        text,
        text,
        document.id,
        document.format,
        quotations=tuple(Span(start, end) for start, end in quotations if start < end),
        directives=tuple(replace(one, span=whole, scope=whole) for one in directives) if whole else (),
    )
    return Sentence(new, whole or Span(0, 1))
