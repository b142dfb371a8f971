"""Paragraphs, one per line, as they are taken from an office document."""

from __future__ import annotations

from unslant.text.readers.line_markup import LineMarkup, lines_of
from unslant.text.readers.masking import ParsedMarkup, SingleParseReader

__all__ = ["ParagraphReader"]


class ParagraphReader(SingleParseReader):
    """Reads text in which every line is a paragraph, so that line and column are paragraph and offset."""

    def parse(self, source: str) -> ParsedMarkup:
        """Return every line as a block."""
        out = LineMarkup(source)
        for line in lines_of(source):
            out.block(line.start, line.end)
        return out.finish()
