"""From a source to a document: markup masked, quotations and inline ignores found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from unslant.core.types import Directive, Document, Note, Span, WordSenses, join_spans
from unslant.protocols import Reader
from unslant.registry import resolve
from unslant.text.language import mask_foreign
from unslant.text.quotations import find_quotations
from unslant.text.readers import ParsedMarkup, parse


def read(
    source: str,
    format: str = "text",  # noqa: A002
    id: str = "<text>",  # noqa: A002
    *,
    before: str = "",
    after: str = "",
    senses: WordSenses | None = None,
) -> Document:
    """Return a document whose positions are those of the source as given.

    If the source is a part of a longer text, ``before`` and ``after`` are what stands around it: a quotation may be
    open at its start, or go on behind its end. ``senses`` is what the longer text says about its words.
    """
    reader: Reader = resolve("reader", format)()
    whole = read_with(reader, f"{before}{source}{after}", format, id)
    if before or after:
        whole = _Part(len(before), len(before) + len(source)).of(whole)
    return whole if senses is None else replace(whole, senses=senses)


def read_with(reader: Reader, source: str, format: str, id: str) -> Document:  # noqa: A002
    """Return a document as this reader sees it."""
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


def reread(document: Document, source: str) -> Document:
    """Return another version of a document, read in the same surroundings."""
    new = read(
        source,
        document.format,
        document.id,
        before=document.before,
        after=document.after,
        senses=document.senses,
    )
    return replace(new, kept=document.kept)


@dataclass(frozen=True, slots=True)
class _Part:
    """Where in a longer text the part is that is to be judged."""

    start: int
    end: int

    def of(self, whole: Document) -> Document:
        """Return the part as a document of its own, with what was found out about it in the longer text."""
        return replace(
            whole,
            source=whole.source[self.start : self.end],
            prose=whole.prose[self.start : self.end],
            quotations=self.spans(whole.quotations),
            hidden=self.spans(whole.hidden),
            blocks=None if whole.blocks is None else self.spans(whole.blocks),
            directives=self.directives(whole.directives),
            notes=self.notes(whole.notes),
            before=whole.source[: self.start],
            after=whole.source[self.end :],
        )

    def span(self, span: Span) -> Span | None:
        """Return what lies in the part, by positions of the part."""
        start, end = max(span.start, self.start), min(span.end, self.end)
        return Span(start - self.start, end - self.start) if start < end else None

    def spans(self, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        if self.start == 0 and (not spans or spans[-1].end <= self.end):
            return spans
        return tuple(moved for span in spans if (moved := self.span(span)) is not None)

    def directives(self, found: tuple[Directive, ...]) -> tuple[Directive, ...]:
        """Return the inline ignores that cover any of the part; those outside are placed at its edge."""
        edge = Span(0, max(self.end - self.start, 1))
        return tuple(
            replace(directive, span=self.span(directive.span) or edge, scope=scope)
            for directive in found
            if (scope := self.span(directive.scope)) is not None
        )

    def notes(self, found: tuple[Note, ...]) -> tuple[Note, ...]:
        placed = ((note, self.span(note.span) if note.span else None) for note in found)
        return tuple(
            replace(note, span=span) for note, span in placed if span is not None or note.span is None
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
