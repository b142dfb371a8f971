"""Readers: one file per format; each blanks what is not prose and keeps all positions.

``parse`` is the door: one parse serves the prose, the blocks, the quotations and the comments.
"""

from __future__ import annotations

from unslant.protocols import Reader
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

__all__ = ["ParsedMarkup", "parse"]


def parse(reader: Reader, source: str) -> ParsedMarkup:
    """Return everything that a reader finds in a source, with one parse if the reader supports it.

    Readers from other packages need the four methods of the protocol only.
    """
    if isinstance(reader, SingleParseReader):
        return reader.parse(source)
    return ParsedMarkup(
        prose=reader.mask(source),
        blocks=reader.blocks(source),
        quotations=reader.quotations(source),
        comments=reader.comments(source),
    )
