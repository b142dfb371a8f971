"""What fixing returns: the text, the edits with their evidence, and the report with the gates' verdicts."""

from __future__ import annotations

import json

import pytest

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span
from unslant.rewrite.result import PENDING, SCHEMA, Fixed, Gate, Score, Suggestion

SAFE, REVIEW, DISPLAY = Applicability.SAFE, Applicability.REVIEW, Applicability.DISPLAY
SOURCE = "It rained. The legendary singer slammed the plan."
SENTENCE = Span(11, len(SOURCE))


def finding(word: str) -> Finding:
    start = SOURCE.index(word)
    return Finding(
        Span(start, start + len(word)), word, "framing", "why", "rules", "framing/x", fingerprint=f"f-{word}"
    )


def suggestion(word: str, wording: str, verdict: Applicability, **more: object) -> Suggestion:
    found = finding(word)
    edit = Edit(found.span.start, found.span.end, wording, verdict, 0.8)
    return Suggestion(
        edit,
        edit,
        "rules",
        SENTENCE,
        SOURCE[SENTENCE.start :],
        (found,),
        Gate("all", "It passed every gate.", verdict),
        Score(0.0, 1.0, 0.5, 0.1, 1.0),
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def fixed() -> Fixed:
    document = Document(SOURCE, SOURCE, "a.txt")
    report = Report(document, findings=(finding("legendary"), finding("slammed")))
    other = suggestion("slammed", "opposed", REVIEW)
    edits = (
        suggestion("legendary", "", DISPLAY),
        suggestion("slammed", "criticized", SAFE, applied=True, alternatives=(other,)),
    )
    return Fixed(document, report, edits, SOURCE.replace("slammed", "criticized"), (Note("a note"),))


def test_what_was_applied_and_what_is_left(fixed: Fixed) -> None:
    assert fixed.changed
    assert [edit.replacement for edit in fixed.applied] == ["criticized"]
    assert [left.text for left in fixed.left] == ["legendary"]


@pytest.mark.parametrize(("verdict", "count"), [(SAFE, 1), (REVIEW, 0), (DISPLAY, 1)])
def test_edits_are_counted_by_verdict(fixed: Fixed, verdict: Applicability, count: int) -> None:
    assert fixed.count(verdict) == count


def test_the_report_shows_what_was_considered_for_each_finding(fixed: Fixed) -> None:
    first, second = fixed.with_verdicts().findings
    assert [(edit.replacement, edit.applicability) for edit in first.edits] == [("", DISPLAY)]
    assert [(edit.replacement, edit.applicability) for edit in second.edits] == [
        ("criticized", SAFE),
        ("opposed", REVIEW),
    ]


def test_a_suggestion_shows_its_sentence_after_it_alone(fixed: Fixed) -> None:
    assert fixed.edits[1].after == "The legendary singer criticized the plan."
    assert fixed.edits[0].after == "The  singer slammed the plan."


def test_nothing_applied_is_no_change() -> None:
    document = Document(SOURCE, SOURCE)
    same = Fixed(document, Report(document), (), SOURCE)
    assert not same.changed
    assert same.applied == ()
    assert same.left == ()


def test_the_wire_form(fixed: Fixed) -> None:
    wire = json.loads(json.dumps(fixed.to_dict()))
    assert wire["schema"] == SCHEMA == "unslant/fix/1"
    assert wire["document"] == {"id": "a.txt", "format": "text"}
    assert wire["changed"] is True
    assert wire["notes"] == [{"span": None, "message": "a note"}]
    edit = wire["edits"][1]
    assert edit["span"] == {"start": 32, "end": 39}
    assert edit["findings"] == ["f-slammed"]
    assert edit["before"] == SOURCE[11:]
    assert edit["after"] == "The legendary singer criticized the plan."
    assert edit["alternatives"][0]["replacement"] == "opposed"
    assert "before" not in edit["alternatives"][0]
    assert edit["score"]["total"] == pytest.approx(0.4 + 0.15 + 0.075 + 0.09 + 0.2)


def test_a_shifted_suggestion_moves_with_all_that_belongs_to_it(fixed: Fixed) -> None:
    moved = fixed.edits[1].shift(-11)
    assert (moved.edit.start, moved.bare.start, moved.sentence.start) == (21, 21, 0)
    assert moved.alternatives[0].edit.start == 21
    assert moved.after == fixed.edits[1].after


@pytest.mark.parametrize(
    ("origin", "trust", "by_rule", "confident"),
    [
        ("rules", 1.0, True, False),
        ("rules+edits", 1.0, False, False),
        ("deletion", 0.5, False, False),
        ("edits", 0.5, False, True),
        ("edits", 0.49, False, False),
        ("edits", None, False, False),
        ("hf:x", 0.9, False, False),
    ],
)
def test_origin_of_a_suggestion(origin: str, trust: float | None, by_rule: bool, confident: bool) -> None:
    edit = Edit(0, 1, "x", probability=trust)
    made = Suggestion(edit, edit, origin, Span(0, 3), "abc")
    assert made.by_rule is by_rule
    assert made.confident is confident
    assert made.trust == (trust or 0.0)
    assert made.gate is PENDING
