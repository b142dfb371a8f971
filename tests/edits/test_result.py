"""What fixing returns: the text, the edits, and the report with what could be written."""

from __future__ import annotations

import json

import pytest

from unslant.core.types import Applicability, Document, Edit, Finding, Note, Report, Span
from unslant.edits.result import SCHEMA, Fixed, Suggestion

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
    edit = Edit(found.span.start, found.span.end, wording, verdict, 0.8, "rules")
    return Suggestion(
        edit,
        SENTENCE,
        SOURCE[SENTENCE.start :],
        (found,),
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture
def fixed() -> Fixed:
    document = Document(SOURCE, SOURCE, "a.txt")
    report = Report(document, findings=(finding("legendary"), finding("slammed")))
    other = suggestion("slammed", "opposed", REVIEW)
    edits = (
        suggestion("legendary", "", DISPLAY),
        suggestion("slammed", "criticized", SAFE, applied=True, alternatives=(other.edit,)),
    )
    return Fixed(document, report, edits, SOURCE.replace("slammed", "criticized"), (Note("a note"),))


def test_what_was_applied_and_what_is_left(fixed: Fixed) -> None:
    assert fixed.changed
    assert [edit.replacement for edit in fixed.applied] == ["criticized"]
    assert [left.text for left in fixed.left] == ["legendary"]


@pytest.mark.parametrize(("verdict", "count"), [(SAFE, 1), (REVIEW, 0), (DISPLAY, 1)])
def test_edits_are_counted_by_verdict(fixed: Fixed, verdict: Applicability, count: int) -> None:
    assert fixed.count(verdict) == count


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
    assert wire["schema"] == SCHEMA == "unslant/fix/2"
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
    assert (edit["source"], edit["probability"], edit["note"]) == ("rules", 0.8, "")
