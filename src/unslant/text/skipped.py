"""What of a document is left alone, and why."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from unslant.core.types import Document, Span
from unslant.text.accepted import find_accepted

if TYPE_CHECKING:
    from unslant.spec import Spec

REASONS = {
    "quotation": "quoted or posted by somebody else",
    "language": "not in English",
    "accepted": "accepted by the settings",
    "markup": "markup or code",
}
"""The reasons, in words for the writer."""

_BLANKED = re.compile(r"x+(?: *\n? *x+)*")
_WORD = re.compile(r"\w")


def find_skipped(document: Document, spec: Spec) -> list[tuple[Span, str]]:
    """Return what was not checked, in order, each with the reason.

    The reasons are ``quotation``, ``language``, ``accepted`` (words that the settings accept) and ``markup``, which
    includes code.
    """
    quoted = () if spec.quotations else document.quotations
    foreign = tuple(note.span for note in document.notes if note.span is not None)
    found = [(span, "quotation") for span in quoted]
    accepted = find_accepted(document.prose, spec.accept)
    found += [(span, "accepted") for span in accepted if not _touches(span, quoted)]
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
