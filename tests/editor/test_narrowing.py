"""A few sentences are looked at as they stand in the whole text."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Applicability, Edit
from unslant.editor.checker import distinct_edits, sentences_with
from unslant.text.reading import narrow_to_spans

RULES = unslant.Spec(analyzers=("rules",))
TEXT = "The fireman came.\r\n\r\nAsk the mailman, “the 😀 fireman”.  The fireman left.\n"


@pytest.mark.parametrize("number", range(3))
def test_only_the_sentence_is_left_and_where_it_was(number: int) -> None:
    report = unslant.check(TEXT, spec=RULES)
    finding = report.findings[number]
    document = narrow_to_spans(report.document, sentences_with(report, [finding]))
    assert document.source == TEXT
    assert [index for index, char in enumerate(document.prose) if char in "\r\n"] == [
        17,
        18,
        19,
        20,
        len(TEXT) - 1,
    ]
    (found,) = unslant.check(document, spec=RULES).findings
    assert (found.span, found.rule, found.edits) == (finding.span, finding.rule, finding.edits)


def _edit(start: int, end: int, new: str, how: Applicability = Applicability.REVIEW) -> Edit:
    return Edit(start, end, new, how)


def test_edits_that_leave_the_same_text_are_offered_once() -> None:
    source = "an obviously old plan"
    before, after = _edit(2, 12, ""), _edit(3, 13, "")
    longer = _edit(0, 13, "an ")
    other = _edit(0, 12, "a very")
    assert distinct_edits(source, [before, after, other]) == (before, other)
    assert distinct_edits("a chairman", [_edit(2, 10, "chair"), _edit(0, 10, "a chair")])[1:] == ()
    assert distinct_edits(source, [longer, other]) == (longer, other)


def test_what_the_gates_only_show_is_not_offered() -> None:
    shown = _edit(2, 10, "chair", Applicability.DISPLAY)
    assert distinct_edits("a chairman", [shown, _edit(2, 10, "chair")]) == ()
