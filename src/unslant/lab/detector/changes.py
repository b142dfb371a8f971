"""Weak marks: the words that an edit took away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.text.diff import diff_words
from unslant.text.words import split_words

__all__ = ["changed_spans", "mark_changes"]


def changed_spans(source: str, target: str) -> tuple[Span, ...]:
    """Return the stretches of words in ``source`` that ``target`` has not; case and white space aside.

    Stretches of punctuation alone are not returned: moving a comma is no change of wording.
    """
    words = split_words(source)
    spans = []
    for (first, last), _ in diff_words(words.plain, split_words(target).plain):
        if any(map(words.is_word, range(first, last))):
            spans.append(Span(words.spans[first][0], words.spans[last - 1][1]))
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
