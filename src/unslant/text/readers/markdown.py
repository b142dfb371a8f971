"""Markdown: CommonMark with front matter, GitHub's tables, footnotes and task lists."""

from __future__ import annotations

import re

from unslant.text.readers.elements import Elements
from unslant.text.readers.finishing import finished
from unslant.text.readers.markdown_blocks import BlockScanner
from unslant.text.readers.markdown_inline import hide_code, hide_links_and_emphasis
from unslant.text.readers.masking import Hidden, Reading, SingleParse

__all__ = ["MarkdownReader"]

_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n|\r|\n)")


class MarkdownReader(SingleParse):
    """Reads Markdown; the HTML in it is read as HTML.

    Three passes, each over text of the same length in which the one before has blanked what it knows: lines,
    then code and HTML, then links and emphasis.
    """

    def parse(self, source: str) -> Reading:
        """Return all that the markup tells."""
        lines = BlockScanner(source, _front_matter_end(source))
        code = Hidden()
        text = lines.hidden.blank(source)
        for start, end in lines.blocks:
            hide_code(text, start, end, code)
        text = code.blank(text)
        elements = Elements(text)
        for start, end in lines.blocks:
            elements.end_block(start)
            elements.feed(start, end)
            elements.end_block(end)
        elements.finish()
        text = elements.hidden.blank(text)
        inline = Hidden()
        for start, end in lines.blocks:
            for pair in hide_links_and_emphasis(text, start, end, lines.labels):
                inline.add(*pair)
        sections = sorted(lines.sections.hidden + elements.sections.hidden)
        return finished(
            inline.blank(text),
            sections,
            elements.blocks,
            lines.quotations + elements.quotations,
            lines.comments + elements.comments,
        )


def _front_matter_end(source: str) -> int:
    """Return where YAML between ``---`` or TOML between ``+++`` at the very start ends; 0 without."""
    opening = _FRONT_MATTER.match(source)
    if opening is None:
        return 0
    marks = r"---|\.\.\." if opening.group(1) == "---" else r"\+\+\+"
    closing = re.compile(rf"[\r\n](?:{marks})[ \t]*(?=[\r\n]|\Z)").search(source, opening.end() - 1)
    return closing.end() if closing is not None else 0
