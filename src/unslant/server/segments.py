"""A report cut into segments, for clients that do not count code points, with what was left out of it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from unslant.core.types import Document, Report, Span

__all__ = ["skipped", "with_segments"]

_BLANKED = re.compile(r"x+(?: *\n? *x+)*")
_WORD = re.compile(r"\w")


def with_segments(report: Report, *, quotations: bool = False) -> dict[str, Any]:
    """Return the JSON form with ``segments``, and for everything with a span the half-open range of its segments.

    ``skipped`` lists what was not checked, and why; ``quotations`` says whether quotations were.

    JavaScript counts UTF-16 units. A page that gets segments joins them and never counts: together they are the
    source, and no segment crosses the end of a sentence, a finding or an edit.
    """
    wire = report.to_dict()
    wire["skipped"] = [
        {"span": span.to_dict(), "reason": reason} for span, reason in skipped(report.document, quotations)
    ]
    cuts = sorted({0, len(report.document.source), *_boundaries(wire)})
    segments: list[dict[str, Any]] = [
        {"text": report.document.source[start:end], "sentence": None, "findings": []}
        for start, end in pairwise(cuts)
    ]
    for holder in _items_with_spans(wire):
        span = holder["span"]
        holder["segments"] = [bisect_left(cuts, span["start"]), bisect_left(cuts, span["end"])]
    _label_segments(segments, wire)
    return wire | {"segments": segments}


def _label_segments(segments: Sequence[dict[str, Any]], wire: Mapping[str, Any]) -> None:
    """Record the sentence and the findings of each segment."""
    for number, sentence in enumerate(wire["sentences"]):
        for segment in segments[slice(*sentence["segments"])]:
            segment["sentence"] = number
    for number, finding in enumerate(wire["findings"]):
        for segment in segments[slice(*finding["segments"])]:
            segment["findings"].append(number)


def _items_with_spans(wire: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from wire["sentences"]
    for finding in wire["findings"]:
        yield finding
        yield from finding["edits"]
    yield from wire["skipped"]
    yield from (note for note in wire["notes"] if note["span"])


def _boundaries(wire: Mapping[str, Any]) -> Iterator[int]:
    for holder in _items_with_spans(wire):
        yield holder["span"]["start"]
        yield holder["span"]["end"]


def skipped(document: Document, quotations: bool) -> list[tuple[Span, str]]:
    """Return what was not checked, in order: ``quotation``, ``language`` or ``markup``, which includes code."""
    quoted = () if quotations else document.quotations
    foreign = tuple(note.span for note in document.notes if note.span is not None)
    found = [(span, "quotation") for span in quoted]
    for span in _blank_stretches(document):
        if not _touches(span, quoted):
            language = document.language is not None or _touches(span, foreign)
            found.append((span, "language" if language else "markup"))
    return sorted(found)


def _touches(span: Span, others: Sequence[Span]) -> bool:
    """Return whether a span overlaps one of these, which are in order and do not overlap each other."""
    at = bisect_left(others, span.end, key=lambda other: other.start)
    return at > 0 and others[at - 1].overlaps(span)


def _blank_stretches(document: Document) -> Iterator[Span]:
    """Yield the stretches of the source, within a block, that are blank in the prose, unless they hold no words."""
    source, prose = document.source, document.prose
    if source == prose:
        return
    marks = "".join(map(_mark, source, prose))
    for match in _BLANKED.finditer(marks):
        if _WORD.search(source, *match.span()):
            yield Span(*match.span())


def _mark(written: str, read: str) -> str:
    return "x" if written != read else written if written in " \n" else "."
