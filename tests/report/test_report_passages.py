"""Findings gathered into passages."""

from __future__ import annotations

from hypothesis import given, settings

from tests.report.report_samples import finding, report
from tests.report.report_strategies import reports
from unslant.core.types import Report
from unslant.report.html import passages, segments
from unslant.report.positions import LineIndex


def shown(made: Report) -> list[str]:
    source = made.document.source
    return [source[found.span.start : found.span.end] for found in passages(made, LineIndex(source))]


def test_a_passage_is_the_sentence_with_its_neighbours() -> None:
    source = "One. Two. A legendary three. Four. Five."
    assert shown(report(source, finding(source, "legendary"))) == ["Two. A legendary three. Four."]


def test_neighbouring_passages_become_one() -> None:
    source = "One. A legendary two. Three. Four. An iconic five. Six. Seven."
    made = report(source, finding(source, "legendary"), finding(source, "iconic"))
    assert shown(made) == ["One. A legendary two. Three. Four. An iconic five. Six."]


def test_distant_passages_stay_apart() -> None:
    source = "A legendary one. Two. Three. Four. Five. An iconic six."
    made = report(source, finding(source, "legendary"), finding(source, "iconic"))
    assert shown(made) == ["A legendary one. Two.", "Five. An iconic six."]


def test_a_dense_text_is_broken_between_sentences() -> None:
    source = "A legendary show. " * 20
    made = report(source, *(finding(source, "legendary", nth=nth) for nth in range(20)))
    found = list(passages(made, LineIndex(source)))
    assert [len(passage.findings) for passage in found] == [6, 6, 6, 2]
    assert all(text.startswith("A legendary show.") for text in shown(made))


def test_an_endless_sentence_is_cut() -> None:
    source = "word " * 1000 + "legendary" + " word" * 1000
    (text,) = shown(report(source, finding(source, "legendary")))
    assert len(text) == 400 + len("legendary") + 400


@settings(max_examples=80)
@given(reports())
def test_every_finding_is_whole_in_one_passage_and_passages_are_in_order(made: Report) -> None:
    found = list(passages(made, LineIndex(made.document.source)))
    assert [finding for passage in found for finding in passage.findings] == list(made.findings)
    for passage in found:
        assert all(passage.span.contains(finding.span) for finding in passage.findings)
    assert [passage.span for passage in found] == sorted(passage.span for passage in found)


@settings(max_examples=80)
@given(reports())
def test_segments_cover_a_passage_and_close_every_finding_once(made: Report) -> None:
    for passage in passages(made, LineIndex(made.document.source)):
        pieces = list(segments(passage))
        assert [piece.span.start for piece in pieces] == [passage.span.start] + [
            p.span.end for p in pieces[:-1]
        ]
        assert pieces[-1].span.end == passage.span.end
        closed = [finding for piece in pieces for finding in piece.closes]
        assert sorted(map(id, closed)) == sorted(map(id, passage.findings))
        for piece in pieces:
            covering = {id(found) for found in passage.findings if found.span.overlaps(piece.span)}
            assert {id(found) for found in piece.findings} == covering
