"""A document of which only some stretches are looked at, where they stand in the whole text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from unslant.core.types import Document, Span

__all__ = ["narrow_to_spans"]

_NOT_LINE_END = re.compile(r"[^\r\n]")


def narrow_to_spans(document: Document, spans: Iterable[Span]) -> Document:
    """Return the document with its prose blank outside of some spans, which are in order and do not overlap."""
    prose = document.prose
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (_NOT_LINE_END.sub(" ", prose[at : span.start]), prose[span.start : span.end])
        at = span.end
    return replace(document, prose="".join((*parts, _NOT_LINE_END.sub(" ", prose[at:]))))
