"""Weak marks: the words that an edit took away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span

__all__ = ["changed_spans", "mark_changes"]

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*|[^\w\s]")


def changed_spans(source: str, target: str) -> tuple[Span, ...]:
    """Return the stretches of words in ``source`` that ``target`` has not; case and white space aside.

    SpanEditDecoder of punctuation alone are not returned: moving a comma is no change of wording.
    """
    words = list(_WORD.finditer(source))
    others = [match[0].lower() for match in _WORD.finditer(target)]
    matcher = SequenceMatcher(None, [match[0].lower() for match in words], others, autojunk=False)
    spans = []
    for tag, first, last, _, _ in matcher.get_opcodes():
        if tag in ("replace", "delete") and any(word[0][0].isalnum() for word in words[first:last]):
            spans.append(Span(words[first].start(), words[last - 1].end()))
    return tuple(spans)


def mark_changes(examples: Sequence[Example]) -> list[Example]:
    """Mark the sources of pairs by what their targets lack; targets have nothing marked, other texts stay."""
    targets = {one.pair: one.text for one in examples if one.pair and one.side == "target"}
    marked = []
    for one in examples:
        if one.spans is not None or one.pair not in targets:
            marked.append(one)
        elif one.side == "source":
            spans = changed_spans(one.text, targets[one.pair])
            marked.append(replace(one, spans=tuple(LabelledSpan(span) for span in spans)))
        else:
            marked.append(replace(one, spans=()))
    return marked
