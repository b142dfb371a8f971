"""How much the fixer considers, so that its time grows with the text and no faster.

A candidate is judged by checking its whole sentence again, so a sentence costs as much as its length times its places.
Sentences of edited prose stay far below the limits; word lists and tables without full stops do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unslant.core.types import Note, Span

__all__ = ["DOCUMENT_PLACES", "EFFORT", "SENTENCE_PLACES", "fits", "notes"]

SENTENCE_PLACES = 24
"""A sentence with more places to change is reported, and left as it is."""
EFFORT = 16_000
"""So is one whose length times its places is more than this."""
DOCUMENT_PLACES = 20_000
"""Places of a document that are considered, from the beginning."""


def fits(length: int, places: int) -> bool:
    """Say whether a sentence of this length can be considered with so many places to change."""
    return places <= SENTENCE_PLACES and length * places <= EFFORT


def notes(long: Sequence[Span], rest: Sequence[Span]) -> Iterator[Note]:
    """Yield what the writer should know about sentences that were not considered."""
    if long:
        which = (
            "this sentence has"
            if len(long) == 1
            else f"{len(long)} sentences, of which this is the first, have"
        )
        yield Note(
            f"{which} too many places to change at once; they are reported but not edited. Shorter sentences, or full "
            "stops between the items of a list, help",
            long[0],
        )
    if rest:
        yield Note(
            f"only the first {DOCUMENT_PLACES:,} places were considered; from here on they are reported but not "
            "edited. Fix the text again to continue",
            rest[0],
        )
