"""Spans, documents, findings and reports, and what their errors say."""

from __future__ import annotations

import pytest

from unslant.core import errors, taxonomy
from unslant.core.example import Example, LabelledSpan
from unslant.core.installing import install_command
from unslant.core.types import (
    Document,
    Edit,
    Finding,
    Note,
    Report,
    Sentence,
    SentenceVerdict,
    Severity,
    Span,
    Verdict,
    fingerprint,
)
from unslant.core.verdicts import Verdicts


@pytest.mark.parametrize(
    ("one", "other", "overlap", "contains"),
    [
        ((0, 5), (0, 5), True, True),
        ((0, 5), (1, 4), True, True),
        ((0, 5), (4, 6), True, False),
        ((0, 5), (5, 6), False, False),
        ((5, 6), (0, 5), False, False),
        ((1, 4), (0, 5), True, False),
        ((0, 1), (9, 10), False, False),
    ],
)
def test_spans(one: tuple[int, int], other: tuple[int, int], overlap: bool, contains: bool) -> None:
    assert Span(*one).overlaps(Span(*other)) is overlap
    assert Span(*other).overlaps(Span(*one)) is overlap
    assert Span(*one).contains(Span(*other)) is contains


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (3, 3, r"empty or reversed span \[3, 3\)"),
        (5, 2, r"empty or reversed span \[5, 2\)"),
        (-1, 2, r"empty or reversed span \[-1, 2\)"),
    ],
)
def test_a_span_that_is_none_is_named(start: int, end: int, message: str) -> None:
    with pytest.raises(errors.AlignmentError, match=message):
        Span(start, end)


def test_spans_are_ordered_by_their_start_and_have_a_length() -> None:
    spans = [Span(5, 6), Span(0, 9), Span(0, 3)]
    assert sorted(spans) == [Span(0, 3), Span(0, 9), Span(5, 6)]
    assert len(Span(3, 10)) == 7
    assert Span.from_dict(Span(3, 10).to_dict()) == Span(3, 10)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Document("abc", "ab", "a.txt"), "a.txt: prose has 2 code points, the source 3"),
        (
            lambda: Report(
                Document("abc", "abc", "a.txt"),
                findings=(Finding(Span(0, 2), "xy", "framing", "why", "rules"),),
            ),
            "a.txt: 'xy' is not at 0",
        ),
        (
            lambda: Example("7", "abc", "made", "CC0", spans=(LabelledSpan(Span(1, 9)),)),
            "made 7: a span ends at 9, after the text",
        ),
        (
            lambda: Example("7", "abc", "made", "CC0", second=(LabelledSpan(Span(1, 4)),)),
            "made 7: a span ends at 4, after the text",
        ),
    ],
)
def test_positions_that_do_not_fit_are_named(make: object, message: str) -> None:
    with pytest.raises(errors.AlignmentError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value) == message


def test_a_sentence_is_read_without_its_markup() -> None:
    document = Document("A **bold** plan.", "A   bold   plan.")
    sentence = Sentence(document, Span(0, 16))
    assert sentence.text == "A   bold   plan."
    edit = sentence.reword("A plan.", 0.5)
    assert edit == Edit(0, 16, "A plan.", probability=0.5)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("r", "Vile", "A vile plan."), ("r", "vile", "a VILE plan."), True),
        (("r", "vile", "A vile plan."), ("r", "vile", "A  vile\n plan."), True),
        (("r", "vile", "A vile plan."), ("q", "vile", "A vile plan."), False),
        (("r", "vile", "A vile plan."), ("r", "plan", "A vile plan."), False),
        (("r", "vile", "A vile plan."), ("r", "vile", "A vile law."), False),
    ],
)
def test_fingerprints(one: tuple[str, str, str], other: tuple[str, str, str], same: bool) -> None:
    assert (fingerprint(*one) == fingerprint(*other)) is same
    assert len(fingerprint(*one)) == 16


def test_a_second_occurrence_has_another_fingerprint() -> None:
    names = {fingerprint("r", "vile", "A vile plan.", number) for number in range(5)}
    assert len(names) == 5


@pytest.mark.parametrize(
    ("note", "wire"),
    [
        (Note("a note"), {"span": None, "message": "a note"}),
        (Note("a note", Span(1, 2)), {"span": {"start": 1, "end": 2}, "message": "a note"}),
    ],
)
def test_notes_there_and_back(note: Note, wire: dict[str, object]) -> None:
    assert note.to_dict() == wire
    assert Note.from_dict(wire) == note


@pytest.mark.parametrize(
    "verdict",
    [
        SentenceVerdict(Span(0, 5)),
        SentenceVerdict(Span(0, 5), 0.25, Verdict.NEUTRAL),
        SentenceVerdict(Span(0, 5), 0.5, Verdict.UNCERTAIN),
        SentenceVerdict(Span(0, 5), 1.0, Verdict.SLANTED),
        SentenceVerdict(Span(0, 5), 0.0),
    ],
)
def test_verdicts_there_and_back(verdict: SentenceVerdict) -> None:
    assert SentenceVerdict.from_dict(verdict.to_dict()) == verdict
    packed = Verdicts()
    packed.append(verdict.span, verdict.probability, verdict.verdict)
    assert packed[0] == verdict
    assert list(packed) == [verdict]


def test_packed_verdicts_are_a_sequence() -> None:
    packed = Verdicts()
    for start in (0, 10, 20):
        packed.append(Span(start, start + 5), start / 100)
    assert len(packed) == 3
    assert packed[-1].span == Span(20, 25)
    assert [each.span.start for each in packed[1:]] == [10, 20]
    assert [packed.place_of(offset) for offset in (0, 9, 10, 25, 99)] == [0, 0, 1, 2, 2]
    with pytest.raises(IndexError):
        packed[3]


def test_severities_know_their_rank() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2]
    assert max(Severity, key=lambda severity: severity.rank) is Severity.ERROR


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            errors.UnknownName("rule", "framing/fam", ["framing/fame"]),
            "no rule named 'framing/fam'. Did you mean 'framing/fame'?",
        ),
        (errors.UnknownName("rule", "zzz", ["framing/fame"]), "no rule named 'zzz'."),
        (errors.UnknownName("rule", "x", []), "no rule named 'x'."),
        (
            errors.MissingExtra("the Ray engine", "ray", "ray"),
            f"the Ray engine needs 'ray'; try: {install_command('ray')}",
        ),
    ],
)
def test_messages_of_errors(error: Exception, message: str) -> None:
    assert str(error) == message
    assert isinstance(error, errors.UnslantError)


@pytest.mark.parametrize("name", ["ConfigError", "ModelError", "RuleError", "SourceError"])
def test_what_a_user_gave_is_an_input_error(name: str) -> None:
    assert issubclass(getattr(errors, name), errors.InputError)


@pytest.mark.parametrize("name", taxonomy.kinds())
def test_kinds_are_described(name: str) -> None:
    kind = taxonomy.kind(name)
    assert (kind.name, kind.axis) == (name, "kind")
    assert kind.title
    assert kind.meaning


@pytest.mark.parametrize("name", taxonomy.dimensions())
def test_dimensions_are_described(name: str) -> None:
    dimension = taxonomy.dimension(name)
    assert (dimension.name, dimension.axis) == (name, "dimension")
    assert dimension.meaning
