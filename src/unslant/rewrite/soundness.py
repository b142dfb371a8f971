"""What is asked of every edited sentence before it is offered, and what more before it is made without review."""

from __future__ import annotations

from unslant.core.types import Applicability
from unslant.rewrite.distinction import is_bound, tells_apart
from unslant.rewrite.edit_judge import shipped_judge
from unslant.rewrite.records import earned_class
from unslant.rewrite.result import Gate, Suggestion

__all__ = ["unearned", "unsound"]


def unsound(text: str, new: str, suggestion: Suggestion) -> Gate | None:
    """Return the gate for an edit that nobody should be offered, given the sentence before and after it."""
    other = tells_apart(text, suggestion.edit)
    if other is not None:
        reason = f"The words tell one thing from another: \u201c{other}\u201d."
        return Gate("distinction", reason, Applicability.DISPLAY)
    bound = is_bound(text, suggestion.bare)
    if bound is not None:
        return Gate(
            "distinction",
            f"\u201c{bound}\u201d refers to the words.",
            Applicability.DISPLAY,
        )
    judge = shipped_judge()
    if judge.probability(text, new) < judge.offered:
        return Gate("judge", "The sentence may no longer read well or say the same.", Applicability.DISPLAY)
    return None


def unearned(text: str, new: str, suggestion: Suggestion) -> Gate | None:
    """Return the gate for an edit that a person should look at although nothing speaks against it."""
    if earned_class(suggestion) is None:
        return Gate("record", "Edits of this kind are not right often enough.", Applicability.REVIEW)
    judge = shipped_judge()
    if judge.probability(text, new) < judge.safe:
        return Gate("judge", "The sentence may no longer read well or say the same.", Applicability.REVIEW)
    return None
