"""Sentences with their edits written into them: ``He {slammed|criticized} the {very |}bold plan.``"""

from __future__ import annotations

import re
from collections.abc import Iterable

from unslant.core.types import Edit, Span
from unslant.text.edits import apply_edits

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


def apply_one_by_one(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits in the given order, each to what the ones before it left, like a writer who decides one by one."""
    done: list[Edit] = []
    for edit in edits:
        assert not any(edit.conflicts(other) for other in done)
        moved = edit.shift(sum(other.growth for other in done if other.start < edit.start))
        text = apply_edits(text, [moved])
        done.append(edit)
    return text


def parse_spans(marked: str) -> tuple[str, list[Span]]:
    """Return the text without its double brackets, and the spans that stood between them."""
    source, spans, at = "", [], 0
    for match in _SPAN.finditer(marked):
        source += marked[at : match.start()]
        spans.append(Span(len(source), len(source) + len(match[1])))
        source += match[1]
        at = match.end()
    return source + marked[at:], spans
