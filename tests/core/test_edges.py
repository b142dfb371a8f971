"""Offsets at the very edge, where an off-by-one error would show."""

from __future__ import annotations

import os

import pytest

from unslant.core.errors import AlignmentError
from unslant.core.providers import provider_of
from unslant.core.types import (
    Document,
    Edit,
    Finding,
    Report,
    SentenceVerdict,
    Span,
    fingerprint,
    join_spans,
)
from unslant.core.workers import _without_current_folder
from unslant.spec import Spec, selects


def test_spans_that_only_meet_do_not_overlap() -> None:
    assert not Span(0, 3).overlaps(Span(3, 5))
    assert not Span(3, 5).overlaps(Span(0, 3))
    assert Span(0, 4).overlaps(Span(3, 5))
    assert Span(3, 5).overlaps(Span(0, 4))


def test_a_span_contains_itself_and_what_shares_its_edges() -> None:
    assert Span(1, 4).contains(Span(1, 4))
    assert Span(1, 4).contains(Span(2, 4))
    assert Span(1, 4).contains(Span(1, 3))
    assert not Span(1, 4).contains(Span(1, 5))
    assert not Span(1, 4).contains(Span(0, 4))


@pytest.mark.parametrize(("start", "end"), [(0, 0), (3, 2), (-1, 2)])
def test_empty_and_reversed_spans_are_refused(start: int, end: int) -> None:
    with pytest.raises(AlignmentError):
        Span(start, end)


def test_an_edit_may_be_empty_but_not_reversed() -> None:
    assert Edit(2, 2, "x").growth == 1
    assert Edit(2, 5, "x").growth == -2
    assert Edit(2, 5, "x").shift(3).change == (5, 8, "x")
    with pytest.raises(AlignmentError):
        Edit(3, 2, "")


def test_edits_conflict_where_they_overlap_or_begin_together() -> None:
    assert not Edit(0, 3, "").conflicts(Edit(3, 5, ""))
    assert not Edit(3, 5, "").conflicts(Edit(0, 3, ""))
    assert Edit(0, 4, "").conflicts(Edit(3, 5, ""))
    assert Edit(3, 3, "a").conflicts(Edit(3, 3, "b"))
    assert Edit(3, 3, "a").conflicts(Edit(3, 5, ""))
    assert not Edit(3, 3, "a").conflicts(Edit(4, 5, ""))


def test_a_report_refuses_a_finding_that_is_one_off() -> None:
    document = Document("The plan.", "The plan.")
    Report(document, findings=(Finding(Span(4, 8), "plan", "framing", "", "rules"),))
    with pytest.raises(AlignmentError):
        Report(document, findings=(Finding(Span(5, 9), "plan", "framing", "", "rules"),))


def test_a_document_refuses_prose_of_another_length() -> None:
    with pytest.raises(AlignmentError):
        Document("The plan.", "The plan")


def test_a_fingerprint_tells_rule_words_sentence_and_occurrence_apart() -> None:
    name = fingerprint("rule", "Plan", "The  plan.")
    assert name == fingerprint("rule", "plan", "the plan.")
    others = [
        fingerprint("other", "plan", "the plan."),
        fingerprint("rule", "plans", "the plan."),
        fingerprint("rule", "plan", "a plan."),
        fingerprint("rule", "plan", "the plan.", 1),
    ]
    assert len({name, *others}) == 5


def test_every_setting_counts_in_the_digest_of_a_spec() -> None:
    specs = [
        Spec(),
        Spec(threshold=0.6),
        Spec(ignore=("framing",)),
        Spec(per_file_ignores=(("*.md", ("framing",)),)),
        Spec(budget=0.3),
    ]
    assert len({spec.digest() for spec in specs}) == len(specs)


def test_a_glob_counts_only_for_ids() -> None:
    assert selects("framing/*", "framing/praise", "framing", None)
    assert not selects("fram*", "framing/praise", "framing", None)
    assert selects("gender", "demographic/role", "demographic", "gender")


def test_spans_that_meet_are_joined_only_if_asked() -> None:
    spans = [Span(3, 5), Span(0, 3), Span(4, 9), Span(4, 6), Span(10, 11)]
    assert join_spans(spans) == (Span(0, 3), Span(3, 9), Span(10, 11))
    assert join_spans(spans, touching=True) == (Span(0, 9), Span(10, 11))


def test_the_sentence_of_a_finding_holds_all_of_it() -> None:
    found = Finding(Span(4, 9), "a. b.", "framing", "", "rules")
    document = Document("xxx a. b. c.", "xxx a. b. c.")
    report = Report(document, (SentenceVerdict(Span(0, 6)), SentenceVerdict(Span(7, 12))), (found,))
    assert report.sentence_of(found) == "xxx a. b."


def test_words_marked_twice_are_shown_once() -> None:
    found = [
        Finding(Span(0, 6), "abcdef", "framing", "", "rules"),
        Finding(Span(1, 3), "bc", "framing", "", "rules"),
    ]
    shown = Report(Document("abcdefg", "abcdefg"), (), tuple(found))._repr_html_()
    assert shown.endswith("></mark>g</div>")


def test_a_fingerprint_is_the_same_for_letters_that_mean_the_same() -> None:
    assert fingerprint("r", "Stra\u00dfe", "") == fingerprint("r", "STRASSE", "")


def test_a_service_without_a_model_is_none() -> None:
    assert provider_of("openai/") is None
    assert provider_of("openai") is None


def test_how_python_looks_for_modules_is_as_it_was_after_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in ("1", "0"):
        monkeypatch.setenv("PYTHONSAFEPATH", before)
        with _without_current_folder():
            assert os.environ["PYTHONSAFEPATH"] == "1"
        assert os.environ["PYTHONSAFEPATH"] == before
