"""What a writer can do about words for which there is no wording: leave them out, or say whose words they are."""
# ruff: noqa: RUF001 (quotation marks as writers type them)

from __future__ import annotations

import re
from dataclasses import replace

from unslant.core.types import Applicability, Document, Edit, Finding, Span
from unslant.text.edits import apply_edits, deleted_words, join_edits
from unslant.text.formats import CHECK_ONLY
from unslant.text.reading import reread
from unslant.text.tidy import tidy_edit

WHO = "[who?]"
"""Stands for the source until the writer names it."""
_MARKS = {"latex": ("``", "''")}
"""How a format writes quotation marks, where it has its own way."""
_CLOSING = re.compile(r"[.!\u2026]*\s*\Z")
_NOT_A_STATEMENT = ("?", ":", '"', "'", "”", "’", "»")


def deletion(document: Document, sentence: Span, finding: Finding) -> Edit | None:
    """Return the edit that leaves out the words of a finding, if the sentence stands without them."""
    if not finding.deletable or document.format in CHECK_ONLY or not sentence.contains(finding.span):
        return None
    offered = (
        edit
        for edit in finding.edits
        if edit.applicability is not Applicability.DISPLAY
        and _words(deleted_words(document.source, edit)) == _words(finding.text)
    )
    if (known := next(offered, None)) is not None:
        return known
    own, shown = (text[sentence.start : sentence.end] for text in (document.source, document.prose))
    masked = "".join(char if char == as_is else "\0" for char, as_is in zip(shown, own, strict=True))
    bare = Edit(finding.span.start - sentence.start, finding.span.end - sentence.start, "")
    return replace(tidy_edit(masked, bare).shift(sentence.start), source="deletion")


def quote(document: Document, sentence: Span, finding: Finding, who: str = "") -> Edit | None:
    """Return the edit that puts the words of a finding in quotation marks, and says whose they are if that is known.

    None where the marks would not make a quotation.
    """
    if document.format in CHECK_ONLY:
        return None
    curly = ("“", "”") if "“" in document.source else ('"', '"')
    opening, closing = _MARKS.get(document.format, curly)
    span = finding.span
    edit = Edit(span.start, span.end, f"{opening}{finding.text}{closing}")
    after = reread(document, apply_edits(document.source, [edit]))
    words = Span(span.start + len(opening), span.end + len(opening))
    rest = after.prose[span.end + edit.growth :]
    if rest.split() != document.prose[span.end :].split():
        return None
    if not any(quotation.contains(words) for quotation in after.quotations):
        return None
    said = _attribution(document, sentence, who) if who else None
    return join_edits(document.source, [edit, said]) if said and said.start >= edit.end else edit


def attribute(document: Document, sentence: Span, who: str = WHO) -> Edit | None:
    """Return the edit that says at the end of a statement who makes it; None where that is no plain statement."""
    said = _attribution(document, sentence, who)
    if said is None:
        return None
    # not every format can insert between two letters, so the one before is written again
    start = said.start - 1
    return replace(said, start=start, replacement=document.source[start] + said.replacement)


def _attribution(document: Document, sentence: Span, who: str) -> Edit | None:
    text = document.prose[sentence.start : sentence.end].rstrip()
    closing = _CLOSING.search(text)
    at = closing.start() if closing else len(text)
    place = sentence.start + at
    if document.format in CHECK_ONLY or not text[:at] or text.endswith(_NOT_A_STATEMENT):
        return None
    if any(span.start < place < span.end for span in document.quotations):
        return None
    return Edit(place, place, f", according to {' '.join(who.split())}")


def _words(text: str) -> list[str]:
    return text.lower().split()
