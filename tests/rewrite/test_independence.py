"""Edits of one sentence that can be taken one by one, and those that share a space, a comma or an article."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from tests.marked import apply_one_by_one, parse_edits
from unslant.core.types import Applicability, Span
from unslant.rewrite.independence import keep_independent
from unslant.rewrite.result import Score, Suggestion
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edit

REVIEW, DISPLAY = Applicability.REVIEW, Applicability.DISPLAY


def suggestions(marked: str, totals: tuple[float, ...] = ()) -> list[Suggestion]:
    """The edits of a sentence, each tidied by itself; the trust in each decides which is better."""
    text, edits = parse_edits(marked)
    found = []
    for number, edit in enumerate(edits):
        trust = totals[number] if totals else 1.0
        tidied = replace(tidy_edit(text, edit), applicability=REVIEW)
        score = Score(0.0, 1.0, 1.0, 0.0, trust)
        found.append(Suggestion(tidied, edit, "rules", Span(0, len(text)), text, score=score))
    return found


def verdicts(marked: str, totals: tuple[float, ...] = ()) -> list[Applicability]:
    return [kept.edit.applicability for kept in keep_independent(suggestions(marked, totals))]


@pytest.mark.parametrize(
    "marked",
    [
        "The {legendary|} singer {slammed|criticized} the plan.",
        "The {radical|} left met the {radical|} right.",
        "A {cruel|} plan and a {vile|} law passed.",
        "He {claimed|said} that the {death|estate} tax hurt.",
    ],
)
def test_edits_with_words_between_them_stay(marked: str) -> None:
    assert DISPLAY not in verdicts(marked)


@pytest.mark.parametrize(
    "marked",
    [
        "A {cruel|}, {vile|} plan failed.",
        "A {truly|} {iconic|} voice spoke.",
        "The {cruel|} {vile|} plan failed.",
        "{Clearly|}, the {cruel|} plan failed.",
    ],
)
def test_of_edits_side_by_side_one_is_for_display(marked: str) -> None:
    assert sorted(verdicts(marked)) == sorted([REVIEW, DISPLAY])


def test_the_better_of_two_stays() -> None:
    assert verdicts("The {cruel|} {vile|} plan failed.", (0.2, 0.9)) == [DISPLAY, REVIEW]
    assert verdicts("The {cruel|} {vile|} plan failed.", (0.9, 0.2)) == [REVIEW, DISPLAY]


def test_what_was_applied_stays_whatever_its_score() -> None:
    first, second = suggestions("The {cruel|} {vile|} plan failed.", (0.1, 0.9))
    kept = keep_independent([replace(first, applied=True), second])
    assert [each.edit.applicability for each in kept] == [REVIEW, DISPLAY]
    assert kept[0].applied


def test_the_reason_is_given() -> None:
    _, shown = keep_independent(suggestions("The {cruel|} {vile|} plan failed.", (0.9, 0.2)))
    assert shown.gate.name == "overlap"
    assert shown.gate.reason == "A better edit next to it changes the same spaces or marks."


def test_sentences_do_not_disturb_each_other() -> None:
    first = suggestions("The {cruel|} plan failed.")
    second = [each.shift(18) for each in suggestions("The {vile|} law failed.")]
    assert [each.edit.applicability for each in keep_independent([*second, *first])] == [REVIEW, REVIEW]


@pytest.mark.parametrize(
    "marked",
    [
        "The {legendary|} singer {slammed|criticized} the {vile|} plan.",
        "{Sadly|}, a {cruel|} and old {vile|} law of an {evil|} man passed.",
        "A {brave|} hour, an {iconic|} voice and a {truly|} old town {slammed|opposed} it.",
    ],
)
def test_the_edits_that_stay_can_be_taken_in_any_order(marked: str) -> None:
    text, _ = parse_edits(marked)
    kept = [each.edit for each in keep_independent(suggestions(marked)) if each.edit.applicability is REVIEW]
    assert len(kept) >= 2
    together = apply_edits(text, kept)
    for order in permutations(kept):
        assert apply_one_by_one(text, order) == together
