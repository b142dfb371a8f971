"""Sentences with their edits written into them: ``He {slammed|criticized} the {very |}bold plan.``"""

from __future__ import annotations

import re

from unslant.core.types import Edit, Span

_EDIT = re.compile(r"\{([^{|}]*)\|([^{|}]*)\}")
_SPAN = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


def parse_edits(marked: str) -> tuple[str, list[Edit]]:
    """Return the sentence as it was, and the edits that ``{old|new}`` stands for, in order."""
    source, edits, at = "", [], 0
    for match in _EDIT.finditer(marked):
        source += marked[at : match.start()]
        edits.append(Edit(len(source), len(source) + len(match[1]), match[2]))
        source += match[1]
        at = match.end()
    return source + marked[at:], edits


def parse_spans(marked: str) -> tuple[str, list[Span]]:
    """Return the text without its double brackets, and the spans that stood between them."""
    source, spans, at = "", [], 0
    for match in _SPAN.finditer(marked):
        source += marked[at : match.start()]
        spans.append(Span(len(source), len(source) + len(match[1])))
        source += match[1]
        at = match.end()
    return source + marked[at:], spans
