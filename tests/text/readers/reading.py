"""What a reader sees in a source, in a form that is easy to compare."""

from __future__ import annotations

from unslant.registry import resolve
from unslant.text.readers import ParsedMarkup, parse


def parsed(name: str, source: str) -> ParsedMarkup:
    """Return everything that a reader finds."""
    return parse(resolve("reader", name)(), source)


def words(name: str, source: str) -> str:
    """Return the prose, with every run of blanks as one space."""
    return " ".join(parsed(name, source).prose.split())


def blocks(name: str, source: str) -> list[str]:
    """Return the words of each block that no sentence crosses."""
    reading = parsed(name, source)
    return [" ".join(reading.prose[span.start : span.end].split()) for span in reading.blocks or ()]


def quoted(name: str, source: str) -> list[str]:
    """Return the words of each quotation that the markup tells."""
    reading = parsed(name, source)
    return [" ".join(reading.prose[span.start : span.end].split()) for span in reading.quotations]


def comments(name: str, source: str) -> list[str]:
    """Return each comment as it stands in the source."""
    return [source[span.start : span.end] for span in parsed(name, source).comments]
