"""The values that everything is made of keep their promises."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.errors import AlignmentError
from unslant.core.types import (
    Applicability,
    Document,
    Edit,
    Finding,
    Note,
    Report,
    SentenceVerdict,
    Severity,
    Span,
    Verdict,
    fingerprint,
)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (-1, 2)])
def test_a_span_is_never_empty_or_reversed(start: int, end: int) -> None:
    with pytest.raises(AlignmentError):
        Span(start, end)


spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 50), st.integers(1, 20))


@given(spans, spans)
def test_overlap_and_containment_are_about_shared_code_points(one: Span, other: Span) -> None:
    first, second = set(range(one.start, one.end)), set(range(other.start, other.end))
    assert one.overlaps(other) is bool(first & second)
    assert one.contains(other) is (second <= first)


def test_prose_must_have_the_length_of_the_source() -> None:
    with pytest.raises(AlignmentError):
        Document("abc", "ab")


def test_a_report_refuses_a_finding_that_is_not_where_it_says() -> None:
    finding = Finding(Span(0, 3), "xyz", "framing", "Why.", "rules")
    with pytest.raises(AlignmentError):
        Report(Document("abc", "abc"), findings=(finding,))


def test_severities_are_ordered() -> None:
    assert [severity.rank for severity in (Severity.SUGGESTION, Severity.WARNING, Severity.ERROR)] == [
        0,
        1,
        2,
    ]


words = st.text(min_size=1, max_size=12)


def _edit(span: Span, wording: str, applicability: Applicability) -> Edit:
    return Edit(span.start, span.end, wording, applicability)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    source = draw(st.text(min_size=1, max_size=80))
    inside = st.integers(0, len(source) - 1).flatmap(
        lambda start: st.integers(start + 1, len(source)).map(lambda end: Span(start, end))
    )
    probability = st.none() | st.floats(0, 1)
    findings = [
        Finding(
            span=span,
            text=source[span.start : span.end],
            kind=draw(st.sampled_from(["framing", "epistemological", "demographic"])),
            why=draw(words),
            origin="rules",
            rule=draw(st.none() | st.just("framing/praise-adjective")),
            dimension=draw(st.none() | st.just("gender")),
            severity=draw(st.sampled_from(Severity)),
            probability=draw(probability),
            edits=tuple(
                draw(
                    st.lists(st.builds(_edit, inside, st.text(), st.sampled_from(Applicability)), max_size=2)
                )
            ),
            fingerprint=fingerprint("r", "t", "s"),
        )
        for span in draw(st.lists(inside, max_size=4))
    ]
    sentences = draw(
        st.lists(
            st.builds(SentenceVerdict, inside, probability, st.none() | st.sampled_from(Verdict)), max_size=3
        )
    )
    notes = draw(st.lists(st.builds(Note, words, st.none() | inside), max_size=2))
    return Report(Document(source, source), tuple(sentences), tuple(findings), {"version": "1"}, tuple(notes))


@settings(max_examples=100, deadline=None)
@given(reports())
def test_the_wire_form_loses_nothing(report: Report) -> None:
    wire = json.loads(json.dumps(report.to_dict()))
    again = Report.from_dict(report.document, wire)
    assert again.findings == report.findings
    assert tuple(again.sentences) == tuple(report.sentences)
    assert again.notes == report.notes
    assert again.to_dict() == report.to_dict()


def test_a_fingerprint_survives_new_line_ends_and_capitals_but_not_new_words() -> None:
    name = fingerprint("framing/praise-adjective", "legendary", "A legendary singer.")
    assert fingerprint("framing/praise-adjective", "Legendary", "A  legendary\nsinger.") == name
    assert fingerprint("framing/praise-adjective", "legendary", "A legendary dancer.") != name
    assert fingerprint("framing/praise-adjective", "legendary", "A legendary singer.", occurrence=1) != name
