"""A report cut into pieces of text, for readers that do not count in code points.

JavaScript counts UTF-16. A page that is sent pieces joins them and never counts: together they are the source, no piece
crosses the end of a sentence, a finding or an edit, and everything with a position names the pieces it covers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from unslant.core.types import Report

__all__ = ["with_segments"]


def with_segments(report: Report) -> dict[str, Any]:
    """Return the wire form with ``segments``, and on everything that has a span the half-open range of them."""
    wire = report.to_dict()
    cuts = sorted({0, len(report.document.source), *_ends(wire)})
    segments: list[dict[str, Any]] = [
        {"text": report.document.source[start:end], "sentence": None, "findings": []}
        for start, end in pairwise(cuts)
    ]
    for holder in _holders(wire):
        span = holder["span"]
        holder["segments"] = [bisect_left(cuts, span["start"]), bisect_left(cuts, span["end"])]
    _mark(segments, wire)
    return wire | {"segments": segments}


def _mark(segments: Sequence[dict[str, Any]], wire: Mapping[str, Any]) -> None:
    """Say of each piece which sentence it is in and which findings cover it."""
    for number, sentence in enumerate(wire["sentences"]):
        for segment in segments[slice(*sentence["segments"])]:
            segment["sentence"] = number
    for number, finding in enumerate(wire["findings"]):
        for segment in segments[slice(*finding["segments"])]:
            segment["findings"].append(number)


def _holders(wire: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from wire["sentences"]
    for finding in wire["findings"]:
        yield finding
        yield from finding["edits"]
    yield from (note for note in wire["notes"] if note["span"])


def _ends(wire: Mapping[str, Any]) -> Iterator[int]:
    for holder in _holders(wire):
        yield holder["span"]["start"]
        yield holder["span"]["end"]
