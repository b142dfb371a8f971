"""What is asked of every edited sentence before it is offered, and what more before it is made without review."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.core.types import Applicability, Edit
from unslant.records import shipped_records
from unslant.rewrite.distinction import is_bound, takes_side, tells_apart
from unslant.rewrite.edit_acceptance import shipped_acceptance
from unslant.rewrite.edit_judge import EditJudge, shipped_judge
from unslant.rewrite.records import earned_class, failed_class
from unslant.rewrite.result import Gate, Suggestion
from unslant.rules.compiled import paired_rules
from unslant.text.edits import apply_edits

__all__ = ["review_gate", "unsound", "unsound_together"]


_UNPROPOSED = 0.2
"""How much likelier a deletion must be good that neither a rule nor a model proposes."""
_SURE = 0.7
"""From this probability on the edit model, which has learned from editors, is trusted with a deletion like a rule."""


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
            f"\u201c{bound}\u201d and the words belong together.",
            Applicability.DISPLAY,
        )
    if failed_class(suggestion) is not None:
        return Gate("judge", "Edits of this kind were wrong when they were read.", Applicability.DISPLAY)
    side = takes_side(text, suggestion.bare)
    if side is not None:
        return Gate("distinction", f"\u201c{side}\u201d is the word of one side.", Applicability.DISPLAY)
    judge = shipped_judge()
    if judge.probability(text, new) < _threshold(judge, suggestion):
        return Gate("judge", "The sentence may no longer read well or say the same.", Applicability.DISPLAY)
    if _is_unlike_accepted(text, new, suggestion):
        return Gate("judge", "Readers rejected too many edits like this one.", Applicability.DISPLAY)
    return None


def _is_unlike_accepted(text: str, new: str, suggestion: Suggestion) -> bool:
    """Say whether readers would probably reject an edit; classes with a record of their own are not asked about."""
    if _is_unasked(suggestion) or _is_by_rules_alone(suggestion) or earned_class(suggestion) is not None:
        return False
    acceptance = shipped_acceptance()
    agrees = any("model" in finding.origin for finding in suggestion.findings)
    least = acceptance.least(suggestion.origin, model_agrees=agrees)
    return acceptance.probability(text, new, suggestion) < least


def _threshold(judge: EditJudge, suggestion: Suggestion) -> float:
    """Return how likely an edit must be good to be offered, by the judge of edits."""
    if suggestion.origin == "deletion":
        return judge.offered + _UNPROPOSED
    if suggestion.origin == "edits" and suggestion.trust >= _SURE and not suggestion.bare.replacement.strip():
        return judge.ruled
    if not suggestion.by_rule:
        return judge.offered
    return 0.0 if _is_unasked(suggestion) else judge.ruled


def _is_by_rules_alone(suggestion: Suggestion) -> bool:
    """Say whether words are left out that only rules flag: what was read had been flagged by the model as well."""
    return suggestion.origin == "deletion" and all(
        finding.origin == "rules" for finding in suggestion.findings
    )


def _is_unasked(suggestion: Suggestion) -> bool:
    """Say whether what was learned from editors and readers does not count.

    Wordings for people are matters of style: editors of news leave *fireman* alone. Of political labels that rules list
    in pairs, what was learned could know one side's better. And nothing was learned of a user's own rules.
    """
    known = shipped_records().rules
    return suggestion.by_rule and any(
        finding.kind == "demographic" or finding.rule in paired_rules() or finding.rule not in known
        for finding in suggestion.findings
    )


def review_gate(text: str, new: str, suggestion: Suggestion) -> Gate | None:
    """Return the gate for an edit that a person should look at although nothing speaks against it."""
    if earned_class(suggestion) is None:
        return Gate("record", "Edits of this kind are not right often enough.", Applicability.REVIEW)
    judge = shipped_judge()
    if judge.probability(text, new) < judge.safe:
        return Gate("judge", "The sentence may no longer read well or say the same.", Applicability.REVIEW)
    return None


def unsound_together(text: str, edits: Sequence[Edit]) -> bool:
    """Say whether an edit of a sentence is no longer sound once the others are made."""
    judge = shipped_judge()
    new = apply_edits(text, edits)
    for edit in edits:
        before = apply_edits(text, [other for other in edits if other is not edit])
        alone = judge.probability(text, apply_edits(text, [edit]))
        if judge.probability(before, new) < min(judge.ruled, alone):
            return True
    return False
