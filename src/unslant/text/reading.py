"""From a source to a document: markup masked, quotations and inline ignores found."""

from __future__ import annotations

from unslant.core.types import Document
from unslant.protocols import Reader
from unslant.registry import resolve

__all__ = ["read"]


def read(source: str, format: str = "text", id: str = "<text>") -> Document:  # noqa: A002
    """Return a document whose positions are those of the source as given."""
    from unslant.text.directives import find_directives
    from unslant.text.quotations import find_quotations

    reader: Reader = resolve("reader", format)()
    raise RuntimeError(reader, find_directives, find_quotations, id, Document)
