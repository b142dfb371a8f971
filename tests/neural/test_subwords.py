"""White space is normalized and long texts are cut, and nothing loses its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.subwords import normalize_whitespace, windows

spaced = st.lists(st.sampled_from(["a", "bc", " ", "   ", "\n", "\t", "\u00a0", "\ud800", "\u00e9"])).map(
    "".join
)


@given(spaced)
def test_every_gap_is_one_space_and_every_letter_keeps_its_place(text: str) -> None:
    normalized = normalize_whitespace(text)
    assert normalized.text.split() == text.replace("\ud800", "\ufffd").split()
    assert "  " not in normalized.text
    assert normalized.text == normalized.text.strip()
    assert len(normalized.places) == len(normalized.text)
    for letter, place in zip(normalized.text, normalized.places, strict=True):
        assert letter == text[place] or (letter == " " and text[place].isspace()) or letter == "\ufffd"


@given(spaced, st.data())
def test_a_span_goes_back_to_the_same_words(text: str, data: st.DataObject) -> None:
    normalized = normalize_whitespace(text)
    words = normalized.text.split(" ")
    if not normalized.text:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    start = len(" ".join([*words[:first], ""]))
    span = normalized.back(Span(start, start + len(" ".join(words[first : last + 1]))))
    assert text[span.start : span.end].replace("\ud800", "\ufffd").split() == words[first : last + 1]


def test_plain_text_is_left_as_it_is() -> None:
    text = "the town met"
    assert normalize_whitespace(text).text is text


@given(st.integers(0, 300), st.integers(1, 40))
def test_windows_fit_and_speak_for_each_piece_once(count: int, room: int) -> None:
    cuts = windows(count, room)
    spoken = [piece for cut in cuts for piece in range(cut.first, cut.last)]
    assert spoken == list(range(count))
    for cut in cuts:
        assert cut.end - cut.start <= room
        assert cut.start <= cut.first <= cut.last <= cut.end


def test_a_piece_is_spoken_for_where_more_is_seen_around_it() -> None:
    first, second = windows(14, 8)
    assert (first.start, first.end, second.start, second.end) == (0, 8, 6, 14)
    assert (first.last, second.first) == (7, 7)


def test_what_fits_is_read_at_once() -> None:
    assert len(windows(16, 16)) == 1
    assert len(windows(17, 16)) == 2
