"""Text inside XML: what XML 1.0 cannot write is replaced, and everything beyond ASCII is a character reference."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

__all__ = ["DECLARATION", "ascii_only", "attribute", "content"]

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def attribute(text: str) -> str:
    """Return a text in quotation marks, as the value of an attribute."""
    return quoteattr(_printable(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def content(text: str) -> str:
    """Return a text as the content of an element."""
    return escape(_printable(text))


def ascii_only(xml: str) -> str:
    """Return XML in ASCII, so that the encoding of the stream does not matter."""
    return xml if xml.isascii() else xml.encode("ascii", "xmlcharrefreplace").decode()


def _printable(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
