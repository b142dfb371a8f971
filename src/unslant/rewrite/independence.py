"""Edits that can be taken one by one: any of them, in any order, give what taking them together gives.

Each edit carries its own spaces, commas, articles and capitals. Where two edits share one of these, taking both would
lose or double it, so only the better one is offered. Once it is taken, the text is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from unslant.core.types import Applicability, Edit
from unslant.rewrite.result import Gate, Suggestion
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edits

__all__ = ["keep_independent"]

_SHARED = Gate("overlap", "A better edit next to it changes the same spaces or marks.", Applicability.DISPLAY)


def keep_independent(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Return suggestions of a document of which any subset can be applied; the others are for display only."""
    ordered = sorted(suggestions, key=lambda each: (each.sentence, each.edit.start, each.edit.end))
    return [
        kept
        for _, group in groupby(ordered, key=lambda each: each.sentence)
        for kept in _of_sentence([*group])
    ]


def _of_sentence(suggestions: Sequence[Suggestion]) -> Iterator[Suggestion]:
    best = sorted(suggestions, key=lambda each: (not each.applied, -each.score.total, each.edit.start))
    taken: list[Suggestion] = []
    for each in best:
        if each.applied:
            taken.append(each)
        elif each.edit.applicability is not Applicability.DISPLAY:
            free = all(_apart(each, other.edit) for other in taken)
            if free:
                taken.append(each)
    for each in suggestions:
        others = [other.edit for other in taken if other is not each]
        alternatives = tuple(_restrict(other, others) for other in each.alternatives)
        if each in taken or each.edit.applicability is Applicability.DISPLAY:
            yield replace(each, alternatives=alternatives)
        else:
            shown = replace(each.edit, applicability=Applicability.DISPLAY)
            yield replace(each, edit=shown, gate=_SHARED, alternatives=alternatives)


def _restrict(alternative: Suggestion, others: Sequence[Edit]) -> Suggestion:
    if alternative.edit.applicability is Applicability.DISPLAY or all(
        _apart(alternative, other) for other in others
    ):
        return alternative
    return replace(
        alternative, edit=replace(alternative.edit, applicability=Applicability.DISPLAY), gate=_SHARED
    )


def _apart(suggestion: Suggestion, other: Edit) -> bool:
    """Say whether two edits of a sentence can be made each by itself and together."""
    base, text = suggestion.sentence.start, suggestion.before
    first, second = sorted((suggestion.edit.shift(-base), other.shift(-base)), key=lambda edit: edit.change)
    if second.start < first.end or not any(char.isalnum() for char in text[first.end : second.start]):
        return False
    together = apply_edits(text, [first, second])
    return together == apply_edits(text, tidy_edits(text, [first, second]))
