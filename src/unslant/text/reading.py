"""From a source to a document: markup masked, quotations and inline ignores found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from unslant.core.types import Directive, Document, Note, Span, join_spans
from unslant.protocols import Reader
from unslant.registry import resolve
from unslant.text.language import mask_foreign
from unslant.text.quotations import find_quotations
from unslant.text.readers import ParsedMarkup, parse

__all__ = ["narrow_to_spans", "read"]


def read(source: str, format: str = "text", id: str = "<text>") -> Document:  # noqa: A002
    """Return a document whose positions are those of the source as given."""
    reader: Reader = resolve("reader", format)()
    reading = parse(reader, source)
    directives, notes = _inline(source, reading)
    english = mask_foreign(reading.prose)
    return Document(
        source=source,
        prose=english.prose,
        id=id,
        format=format,
        language=english.language,
        quotations=_merge_quotations(reading.quotations, find_quotations(english.prose, reading.blocks)),
        hidden=reading.hidden,
        blocks=reading.blocks,
        directives=directives,
        notes=(*notes, *english.notes),
    )


def _inline(source: str, reading: ParsedMarkup) -> tuple[tuple[Directive, ...], tuple[Note, ...]]:
    """Return inline ignores and what is wrong with some; most sources have none, and pay nothing for them."""
    if "unslant:" not in source:
        return (), ()
    from unslant.text.directives import find_directives

    return find_directives(source, reading.comments, None if reading.hidden else reading.prose)


def _merge_quotations(by_markup: tuple[Span, ...], by_marks: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return both in order, with overlapping quotations joined; most documents have none in their markup."""
    if not by_markup:
        return by_marks
    return join_spans((*by_markup, *by_marks))


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
