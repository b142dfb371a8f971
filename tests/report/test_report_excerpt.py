"""A finding in its sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from tests.report.report_samples import finding, report
from unslant.core.types import Span
from unslant.report.positions import LineIndex
from unslant.report.printable import cells
from unslant.report.terminal import excerpt, sentence_around

SOURCE = "First one. A legendary\nperformance. Last one.\n"


def around(source: str, words: str, sentences: bool = True) -> str:
    found = finding(source, words)
    made = report(source, found, sentences=sentences)
    span = sentence_around(made, LineIndex(source), found.span)
    return source[span.start : span.end]


def test_the_sentence_that_holds_the_words_is_found() -> None:
    assert around(SOURCE, "legendary") == "A legendary\nperformance."
    assert around(SOURCE, "First") == "First one."
    assert around(SOURCE, "Last one.") == "Last one."


def test_words_beyond_their_sentence_extend_it() -> None:
    assert around(SOURCE, "one. A") == "First one. A"


def test_without_sentences_the_line_is_shown() -> None:
    assert around(SOURCE, "legendary", sentences=False) == "First one. A legendary\n"
    assert around(SOURCE, "legendary\nper", sentences=False) == SOURCE
    assert around("no line end", "line", sentences=False) == "no line end"


def test_a_short_sentence_is_shown_whole_on_one_line() -> None:
    cut = excerpt(SOURCE, Span(11, 35), Span(13, 22), 60)
    assert cut == ("A ", "legendary", " performance.")


def test_a_long_sentence_is_cut_on_both_sides_around_the_words() -> None:
    source = "word " * 30 + "legendary" + " more" * 30
    cut = excerpt(source, Span(0, len(source)), Span(150, 159), 40)
    assert cut == ("… word word word ", "legendary", " more more …")


def test_room_that_one_side_does_not_need_goes_to_the_other() -> None:
    source = "A legendary" + " more" * 30
    assert excerpt(source, Span(0, len(source)), Span(2, 11), 40) == ("A ", "legendary", " more" * 5 + " …")
    source = "word " * 30 + "legendary end."
    before, _, after = excerpt(source, Span(0, len(source)), Span(150, 159), 40)
    assert (before, after) == ("… " + "word " * 4, " end.")


def test_words_longer_than_the_room_are_cut() -> None:
    source = "x" * 500
    assert excerpt(source, Span(0, 500), Span(0, 500), 20) == ("", "x" * 19 + "…", "")


@given(
    st.text(st.sampled_from("ab 日\n\t\x1be\u0301"), min_size=1, max_size=200), st.integers(10, 60), st.data()
)
def test_any_excerpt_fits_its_room_on_one_line(source: str, room: int, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(start + 1, len(source)))
    cut = excerpt(source, Span(0, len(source)), Span(start, end), room)
    assert cells("".join(cut)) <= room
    assert not set("\n\t\x1b") & set("".join(cut))


def test_many_findings_in_one_endless_sentence_stay_cheap() -> None:
    def cut_all(source: str) -> None:
        for start in range(0, len(source), 160):
            excerpt(source, Span(0, len(source)), Span(start, start + 9), 70)

    assert_linear(cut_all, "legendary words ".__mul__, 7_500)
