"""Windows, words and tags of subwords, written out for texts that can be cut by eye."""

from __future__ import annotations

import pytest

from tests.marked import parse_spans
from unslant.neural.subwords import (
    BEGIN,
    IGNORED,
    INSIDE,
    OUTSIDE,
    Window,
    find_words,
    normalize_whitespace,
    snap_to_words,
    tag_subwords,
    windows,
)


def cut(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text and the offsets of its subwords, which a bar ends; spaces belong to none."""
    offsets, text = [], ""
    for part in marked.split("|"):
        bare = part.lstrip(" ")
        text += " " * (len(part) - len(bare))
        if bare:
            offsets.append((len(text), len(text) + len(bare)))
        text += bare
    return text, offsets


@pytest.mark.parametrize(
    ("count", "room", "expected"),
    [
        (5, 8, [Window(0, 5, 0, 5)]),
        (8, 8, [Window(0, 8, 0, 8)]),
        # an overlap of 2: each window gives one of the two shared subwords
        (10, 8, [Window(0, 8, 0, 7), Window(6, 10, 7, 10)]),
        (14, 8, [Window(0, 8, 0, 7), Window(6, 14, 7, 14)]),
        (16, 8, [Window(0, 8, 0, 7), Window(6, 14, 7, 13), Window(12, 16, 13, 16)]),
        (0, 8, [Window(0, 0, 0, 0)]),
    ],
)
def test_windows(count: int, room: int, expected: list[Window]) -> None:
    assert windows(count, room) == expected


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("The| rad|ical| left|.", ["The", "radical", "left", "."]),
        ("The| rad|ical| right|.", ["The", "radical", "right", "."]),
        ("so|-|called", ["so", "-", "called"]),
        ("don|'|t", ["don", "'", "t"]),
        ("un|be|liev|able", ["unbelievable"]),
        ("5|0|%", ["50", "%"]),
        ("cafe|\u0301| owner", ["cafe\u0301", "owner"]),
        ("", []),
    ],
)
def test_subwords_make_words(marked: str, words: list[str]) -> None:
    text, offsets = cut(marked)
    assert [text[span.start : span.end] for _, span in find_words(text, offsets)] == words


@pytest.mark.parametrize(
    ("marked", "spans", "tags"),
    [
        ("The| rad|ical| left|.", "The [[radical]] left.", [OUTSIDE, BEGIN, IGNORED, OUTSIDE, OUTSIDE]),
        ("The| rad|ical| left|.", "The [[radical left]].", [OUTSIDE, BEGIN, IGNORED, INSIDE, OUTSIDE]),
        ("The| rad|ical| left|.", "The [[radical]] [[left]].", [OUTSIDE, BEGIN, IGNORED, BEGIN, OUTSIDE]),
        ("The| rad|ical| left|.", "The ra[[dic]]al left.", [OUTSIDE, BEGIN, IGNORED, OUTSIDE, OUTSIDE]),
        ("The| rad|ical| left|.", "The radical left.", [OUTSIDE, OUTSIDE, IGNORED, OUTSIDE, OUTSIDE]),
        ("The| rad|ical| left|.", "[[The radical left.]]", [BEGIN, INSIDE, IGNORED, INSIDE, INSIDE]),
    ],
)
def test_words_are_tagged_by_their_first_subword(marked: str, spans: str, tags: list[int]) -> None:
    text, offsets = cut(marked)
    same, marked_spans = parse_spans(spans)
    assert same == text
    assert tag_subwords(text, offsets, marked_spans) == tags


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("The bill passed.", "The bill passed."),
        ("The   bill\n\tpassed.", "The bill passed."),
        ("  The bill  ", "The bill"),
        ("The\u00a0bill", "The bill"),
        ("a\ud800b", "a\ufffdb"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_every_gap_is_one_space(text: str, normalized: str) -> None:
    found = normalize_whitespace(text)
    assert found.text == normalized
    assert len(found.places) == len(normalized)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The rad[[ica]]l left.", ["radical"]),
        ("The [[radical]] left.", ["radical"]),
        ("The [[rad]]i[[cal]] left.", ["radical"]),
        ("The [[radical ]][[left]].", ["radical ", "left"]),
        ("A [[-]] dash.", []),
        ("A [[,]] comma and [[more]].", ["more"]),
    ],
)
def test_spans_are_widened_to_words(marked: str, expected: list[str]) -> None:
    text, spans = parse_spans(marked)
    assert [text[span.start : span.end] for span in snap_to_words(text, spans)] == expected
