"""Quarto and R Markdown: Markdown with divs, shortcodes, attributes and cross-references."""

from __future__ import annotations

import re

from unslant.text.readers.markdown import MarkdownReader
from unslant.text.readers.masking import Hidden, ParsedMarkup, SingleParseReader

_MARKUP = re.compile(
    # the fence of a div, with its attributes, and the name of a definition's term
    r"^[ \t]{0,3}:{3,}[^\r\n]*"
    # a shortcode
    r"|\{\{<[^\r\n{}]{0,500}>\}\}"
    # a citation in brackets
    r"|\[[^\[\]\r\n@]{0,100}(?<![\w.])@[\w{][^\[\]\r\n]{0,300}\](?![(\[])"
    # the bracket of a span, and the attributes after it
    r"|\[(?=[^\[\]\r\n]{1,300}\]\{[#.])|\](?=\{[#.])"
    # attributes of a heading, a span, a link or code, but not the language of a chunk
    r"|(?<=[\]\w\s)`])\{(?=[#.=\-]|[\w\-]{1,50}=)[^{}\r\n]{0,300}\}"
    # a citation or a cross-reference
    r"|(?<![\w.])-?@(?:\{[^{}\s]{1,200}\}|[\w][\w:.#$%&\-+?<>~/]{0,200}(?<=[\w/]))",
    re.MULTILINE,
)


class QuartoReader(SingleParseReader):
    """Reads Quarto documents and R Markdown."""

    def parse(self, source: str) -> ParsedMarkup:
        """Parse the markup; what Markdown does not know is blanked first, and never goes over a line end."""
        hidden = Hidden()
        for match in _MARKUP.finditer(source):
            hidden.add(*match.span())
        return MarkdownReader().parse(hidden.blank(source))
