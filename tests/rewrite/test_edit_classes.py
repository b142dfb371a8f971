"""Classes of edits and their records: which edits belong to a class, and which classes are trusted."""

from __future__ import annotations

import pytest

from tests.marked import parse_edits
from unslant.core.types import Edit, Finding, Span
from unslant.rewrite.records import ENOUGH, EditClass, classes, earned_class, failed_class
from unslant.rewrite.result import Suggestion


def suggested(marked: str, rule: str | None = "framing/x", trust: float = 1.0) -> Suggestion:
    text, (edit,) = parse_edits(marked)
    bare = Edit(edit.start, edit.end, edit.replacement, probability=trust)
    span = Span(edit.start, max(edit.end, edit.start + 1))
    findings = (Finding(span, text[span.start : span.end], "framing", "why", "rules", rule),) if rule else ()
    return Suggestion(bare, bare, "rules", Span(0, len(text)), text, findings)


def edit_class(
    words: tuple[str, ...] = (),
    *,
    deletes: bool = True,
    opening: bool = False,
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    judged: int = 100,
    good: int = 100,
) -> EditClass:
    return EditClass(
        "a class",
        frozenset({"framing/x"}),
        deletes,
        frozenset(words),
        judged,
        good,
        opening,
        frozenset(before),
        frozenset(after),
    )


@pytest.mark.parametrize(
    ("kind", "marked", "inside"),
    [
        (edit_class(), "The {vile|} plan failed.", True),
        (edit_class(), "The {vile|bad} plan failed.", False),
        (edit_class(deletes=False), "The {vile|bad} plan failed.", True),
        (edit_class(deletes=False), "The {vile|} plan failed.", False),
        (edit_class(("vile",)), "The {vile|} plan failed.", True),
        (edit_class(("vile",)), "The {Vile|} plan failed.", True),
        (edit_class(("vile",)), "The {cruel|} plan failed.", False),
        (edit_class(("of course",)), "It was {of course|} so.", True),
        (edit_class(("sadly",), opening=True), "{Sadly|}, it rained.", True),
        (edit_class(("sadly",), opening=True), "{Sadly,|} it rained.", True),
        (edit_class(("sadly",), opening=True), "{Sadly|} it rained.", False),
        (edit_class(("sadly",), opening=True), "It, {sadly|}, rained.", False),
        (edit_class(("vile",), before=("a",)), "A {vile|} plan failed.", False),
        (edit_class(("vile",), before=("a",)), "The {vile|} plan failed.", True),
        (edit_class(("vile",), after=("plan",)), "The {vile|} plan failed.", False),
        (edit_class(("vile",), after=("plan",)), "The {vile|} law failed.", True),
    ],
)
def test_which_edits_belong_to_a_class(kind: EditClass, marked: str, inside: bool) -> None:
    assert kind.contains(suggested(marked)) is inside


def test_another_rule_or_none_is_another_class() -> None:
    assert not edit_class().contains(suggested("The {vile|} plan failed.", "framing/y"))
    assert not edit_class().contains(suggested("The {vile|} plan failed.", None))


def test_only_the_first_wording_of_a_rule_counts_where_words_are_named() -> None:
    kind = edit_class(("mob",), deletes=False)
    assert kind.contains(suggested("The {mob|crowd} left."))
    assert not kind.contains(suggested("The {mob|crowd} left.", trust=0.95))


@pytest.mark.parametrize(
    ("judged", "good", "earned", "failed"),
    [
        (50, 49, True, False),
        (49, 49, False, False),
        (100, 98, True, False),
        (100, 97, False, False),
        (100, 50, False, False),
        (100, 49, False, True),
        (0, 0, False, False),
        (3, 1, False, True),
    ],
)
def test_a_class_is_trusted_from_98_of_100_and_dropped_below_half(
    judged: int, good: int, earned: bool, failed: bool
) -> None:
    kind = edit_class(judged=judged, good=good)
    assert (kind.earned, kind.failed) == (earned, failed)


def test_the_shipped_classes_have_names_rules_and_counts() -> None:
    names = [kind.name for kind in classes()]
    assert len(names) == len(set(names))
    for kind in classes():
        assert kind.rules
        assert 0 <= kind.good <= kind.judged
        if kind.earned:
            assert kind.judged >= ENOUGH


def test_an_edit_of_no_class_is_neither_earned_nor_failed() -> None:
    unknown = suggested("The {vile|} plan failed.", "framing/no-such-rule")
    assert earned_class(unknown) is None
    assert failed_class(unknown) is None
