"""A finding in its sentence, cut to a given width."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from unslant.core.types import Report, Span
from unslant.core.verdicts import Verdicts
from unslant.report.positions import LineIndex
from unslant.report.printable import cells, clean, shorten, shorten_left

__all__ = ["Excerpt", "excerpt", "sentence_around", "sentence_place"]


class Excerpt(NamedTuple):
    """The words, and what stands before and after them; safe to show, on one line."""

    before: str
    words: str
    after: str


def sentence_place(report: Report, offset: int) -> int:
    """Return the number of the last sentence that begins at or before an offset, or -1."""
    if isinstance(report.sentences, Verdicts):
        return report.sentences.place_of(offset)
    return bisect_right(report.sentences, offset, key=lambda sentence: sentence.span.start) - 1


def sentence_around(report: Report, lines: LineIndex, span: Span) -> Span:
    """Return the sentence that holds the span, or its line where no sentence does."""
    place = sentence_place(report, span.start)
    if place >= 0:
        sentence = report.sentences[place].span
        if span.start < sentence.end:
            return Span(sentence.start, max(sentence.end, span.end))
    line, _ = lines.locate(span.start)
    last, _ = lines.locate(span.end)
    end = lines.start(last + 1) if last < len(lines) else len(report.document.source)
    return Span(lines.start(line), max(end, span.end))


def excerpt(source: str, sentence: Span, span: Span, room: int) -> Excerpt:
    """Return the finding in as much of its sentence as fits into ``room`` cells; cuts are marked with ``…``.

    Looks only at the neighbourhood of the finding, so that many findings in one endless sentence stay cheap.
    """
    reach = 4 * room
    start, end = max(sentence.start, span.start - reach), min(sentence.end, span.end + reach)
    words = shorten(_one_line(source[span.start : min(span.end, span.start + reach)]), room)
    before = _one_line(source[start : span.start]).lstrip()
    after = _one_line(source[span.end : end]).rstrip()
    spare = room - cells(words)
    need_before, need_after = cells(before), cells(after)
    if need_before + need_after > spare:
        room_after = max(spare // 2, spare - need_before)
        after = shorten(after, room_after)
        before = shorten_left(before, spare - cells(after))
    return Excerpt(before, words, after)


def _one_line(text: str) -> str:
    cleaned = clean(text)
    return re.sub(r"\s\s+", " ", cleaned) if "  " in cleaned else cleaned
