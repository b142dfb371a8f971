"""HTML: text between tags is prose; code, tables, scripts, attributes and reference lists are not."""

from __future__ import annotations

from unslant.text.readers.elements import Elements
from unslant.text.readers.finishing import finished
from unslant.text.readers.masking import Reading, SingleParse

__all__ = ["HtmlReader"]


class HtmlReader(SingleParse):
    """Reads pages and fragments, well formed or not."""

    def parse(self, source: str) -> Reading:
        """Return all that the tags tell."""
        elements = Elements(source, addresses=True)
        elements.feed(0, len(source))
        elements.finish()
        prose = elements.hidden.blank(source)
        return finished(
            prose, elements.sections.hidden, elements.blocks, elements.quotations, elements.comments
        )
