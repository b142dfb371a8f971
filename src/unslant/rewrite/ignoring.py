"""Inline ignores that a writer asks for: where the comment goes, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unslant.core.types import Document, Edit, Span

__all__ = ["ignore_comment"]


def ignore_comment(document: Document, span: Span, selectors: Sequence[str], reason: str) -> Edit:
    """Return the edit that puts an ignore with its reason at the end of the line on which the span begins.

    In plain text, where such a comment can be seen, it is written in the same form; every format reads it.
    """
    source = document.source
    reason = " ".join(reason.replace("--", "\u2013").replace(">", "").split())
    comment = f" <!-- unslant: ignore {', '.join(selectors)} -- {reason} -->"
    line_end = re.compile(r"[\r\n]|\Z").search(source, span.start)
    end = line_end.start() if line_end else len(source)
    # trailing spaces mean something in Markdown, so they stay at the end
    while end > span.start and source[end - 1] in " \t":
        end -= 1
    return Edit(Span(end - 1, end), source[end - 1] + comment)
