"""Texts become subwords and subwords become words again; no position is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unslant.core.types import Span
from unslant.neural.subwords import (
    BEGIN,
    IGNORED,
    INSIDE,
    OUTSIDE,
    Offsets,
    find_words,
    normalize_whitespace,
    snap_to_words,
    tag_subwords,
    windows,
)
from unslant.neural.word_tags import decode_tags, mark_words

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
    span = normalized.original(Span(start, start + len(" ".join(words[first : last + 1]))))
    assert text[span.start : span.end].replace("\ud800", "\ufffd").split() == words[first : last + 1]


def test_plain_text_is_left_as_it_is() -> None:
    text = "the town met"
    assert normalize_whitespace(text).text is text


@given(st.integers(0, 300), st.integers(1, 40))
def test_windows_fit_and_cover_each_subword_once(count: int, room: int) -> None:
    cuts = windows(count, room)
    covered = [subword for cut in cuts for subword in range(cut.first, cut.last)]
    assert covered == list(range(count))
    for cut in cuts:
        assert cut.end - cut.start <= room
        assert cut.start <= cut.first <= cut.last <= cut.end


def test_a_subword_belongs_to_the_window_with_more_context() -> None:
    first, second = windows(14, 8)
    assert (first.start, first.end, second.start, second.end) == (0, 8, 6, 14)
    assert (first.last, second.first) == (7, 7)


def test_what_fits_is_read_at_once() -> None:
    assert len(windows(16, 16)) == 1
    assert len(windows(17, 16)) == 2


WORDS = st.lists(st.text("abcdé\u0301ß9", min_size=1, max_size=6), min_size=1, max_size=12)


def subwords(text: str, size: int) -> list[tuple[int, int]]:
    """Cut as tokenizers do: marks around the text, punctuation by itself, long words in parts."""
    found = [(0, 0)]
    for match in re.finditer(r"\w[\w\u0301]*|[^\w\s]", text):
        found += [(at, min(at + size, match.end())) for at in range(match.start(), match.end(), size)]
    return [*found, (0, 0)]


def _decode(text: str, offsets: Offsets, tags: Sequence[int]) -> list[Span]:
    return decode_tags((word, tags[index]) for index, word in find_words(text, offsets))


def _mark(
    text: str, offsets: Offsets, rows: Sequence[Sequence[float]], decision: Mapping[str, object]
) -> list[Span]:
    words = find_words(text, offsets)
    return mark_words(text, [word for _, word in words], [rows[index] for index, _ in words], decision)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """A text and spans at the borders of its words; neighbours are allowed, overlaps are not."""
    text = " ".join("x" + word for word in draw(WORDS))
    borders = [match.span() for match in re.finditer(r"\S+", text)]
    spans, at = [], 0
    while at < len(borders):
        length = draw(st.integers(0, 3))
        if length:
            last = min(at + length, len(borders)) - 1
            spans.append(Span(borders[at][0], borders[last][1]))
            at = last
        at += 1
    return text, spans


@given(marked(), st.integers(1, 4))
def test_spans_at_word_borders_come_back_exactly(case: tuple[str, list[Span]], size: int) -> None:
    text, spans = case
    offsets = subwords(text, size)
    assert _decode(text, offsets, tag_subwords(text, offsets, spans)) == spans


@given(WORDS, st.integers(1, 3), st.integers(4, 9))
def test_words_do_not_depend_on_how_they_are_cut(parts: list[str], small: int, large: int) -> None:
    text = ", ".join("x" + part for part in parts)
    assert [span for _, span in find_words(text, subwords(text, small))] == [
        span for _, span in find_words(text, subwords(text, large))
    ]


@given(marked(), st.data(), st.booleans(), st.sampled_from([{}, {"grow": 0.2}, {"grow": 0.5}]))
def test_a_higher_threshold_never_marks_more(
    case: tuple[str, list[Span]], data: st.DataObject, whole: bool, grow: dict[str, float]
) -> None:
    text, _ = case
    offsets = subwords(text, 3)
    chances = []
    for _ in offsets:
        begin, inside = data.draw(st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)))
        chances.append((1 - begin - inside, begin, inside))
    covered = [
        {
            at
            for span in _mark(text, offsets, chances, {"threshold": threshold, "whole": whole, **grow})
            for at in range(span.start, span.end)
        }
        for threshold in (0.3, 0.6)
    ]
    assert len(covered[1]) <= len(covered[0])


def _read(text: str, scores: dict[str, float], **decision: object) -> list[str]:
    """Return the spans of a text whose words have these scores, each likelier to begin than to go on."""
    offsets = [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    tagged = [scores.get(text[start:end], 0.0) for start, end in offsets]
    rows = [(1 - item, 0.6 * item, 0.4 * item) for item in tagged]
    return [text[span.start : span.end] for span in _mark(text, offsets, rows, decision)]


def test_neighbours_are_one_span_and_a_gap_of_one_word_is_closed() -> None:
    text = "An entertaining if flawed book, the best, of a long career."
    sure = {"entertaining": 0.9, "flawed": 0.8, "best": 0.9, "long": 0.7, "career": 0.7}
    assert _read(text, sure) == ["entertaining", "flawed", "best", "long", "career"]
    assert _read(text, sure, whole=True) == ["entertaining if flawed", "best", "long career"]


def test_a_span_grows_to_neighbours_that_are_less_sure() -> None:
    text = "The onslaught of visitors began at noon."
    scores = {"onslaught": 0.9, "of": 0.5, "visitors": 0.4, "noon": 0.5}
    assert _read(text, scores, threshold=0.8, whole=True) == ["onslaught"]
    assert _read(text, scores, threshold=0.8, grow=0.5, whole=True) == ["onslaught of"]
    assert _read(text, scores, threshold=0.8, grow=0.4, whole=True) == ["onslaught of visitors"]


def test_a_whole_span_has_a_word_of_its_own_meaning_and_no_marks_at_its_ends() -> None:
    text = 'It was, as of today, a "dreadful" show.'
    assert _read(text, {"was": 0.9, "of": 0.9, '"': 0.9, "dreadful": 0.9}, whole=True) == ["dreadful"]


def test_only_the_first_subword_of_a_word_is_tagged() -> None:
    text = "an unbelievably so-called plan"
    offsets = [(0, 2), (3, 10), (10, 15), (16, 18), (18, 19), (19, 25), (26, 30)]
    assert tag_subwords(text, offsets, [Span(3, 25)]) == [
        OUTSIDE,
        BEGIN,
        IGNORED,
        INSIDE,
        INSIDE,
        INSIDE,
        OUTSIDE,
    ]


def test_neighbouring_spans_stay_two() -> None:
    text = "big bad wolf"
    offsets = [(0, 3), (4, 7), (8, 12)]
    spans = [Span(0, 3), Span(4, 12)]
    assert tag_subwords(text, offsets, spans) == [BEGIN, BEGIN, INSIDE]
    assert _decode(text, offsets, [BEGIN, BEGIN, INSIDE]) == spans


def test_a_mark_inside_a_word_covers_the_word() -> None:
    text = "so unbelievable"
    offsets = [(0, 2), (3, 5), (5, 15)]
    assert _decode(text, offsets, tag_subwords(text, offsets, [Span(5, 8)])) == [Span(3, 15)]


def test_the_space_that_some_tokenizers_count_is_not_part_of_a_word() -> None:
    text = "so bad"
    assert find_words(text, [(0, 2), (2, 6)]) == [(0, Span(0, 2)), (1, Span(3, 6))]


def test_an_inside_without_a_begin_begins() -> None:
    assert _decode("a b c", [(0, 1), (2, 3), (4, 5)], [OUTSIDE, INSIDE, INSIDE]) == [Span(2, 5)]


def test_spans_are_widened_to_whole_words() -> None:
    text = "a cafe\u0301 opened"
    assert snap_to_words(text, [Span(2, 6)]) == [Span(2, 7)]
    assert snap_to_words(text, [Span(4, 5)]) == [Span(2, 7)]


def test_spans_that_meet_in_a_word_become_one() -> None:
    assert snap_to_words("wonderful town", [Span(0, 3), Span(6, 9)]) == [Span(0, 9)]
    assert snap_to_words("so-called", [Span(0, 2), Span(3, 9)]) == [Span(0, 2), Span(3, 9)]


def test_a_span_of_signs_only_is_left_out() -> None:
    assert snap_to_words("well, no", [Span(4, 5)]) == []


@given(st.text(max_size=20), st.data())
def test_widened_spans_are_ordered_apart_and_at_borders(text: str, data: st.DataObject) -> None:
    numbers = st.integers(0, max(len(text) - 1, 0))
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), max_size=4)) if text else []
    spans = snap_to_words(text, [Span(min(pair), max(pair) + 1) for pair in pairs])
    assert all(item.end <= other.start for item, other in pairwise(spans))
    for span in spans:
        assert not (span.start and text[span.start - 1].isalnum() and text[span.start].isalnum())
        assert not (span.end < len(text) and text[span.end - 1].isalnum() and text[span.end].isalnum())
