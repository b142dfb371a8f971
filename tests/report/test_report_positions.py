"""Lines and columns, as editors count them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.report.positions import LineIndex


@pytest.mark.parametrize(
    ("source", "offset", "expected"),
    [
        ("", 0, (1, 1)),
        ("one\ntwo", 0, (1, 1)),
        ("one\ntwo", 3, (1, 4)),
        ("one\ntwo", 4, (2, 1)),
        ("one\ntwo", 7, (2, 4)),
        ("one\r\ntwo", 5, (2, 1)),
        ("one\rtwo", 4, (2, 1)),
        ("a\n\r\n\rb", 5, (4, 1)),
        ("😀é́x", 3, (1, 4)),
        ("form\x0cfeed\u2028and\x85more", 14, (1, 15)),
    ],
)
def test_counts_lines_and_code_points_from_one(source: str, offset: int, expected: tuple[int, int]) -> None:
    assert LineIndex(source).locate(offset) == expected


texts = st.text(st.sampled_from("ab \n\r😀\u2028"), max_size=60)


@given(texts)
def test_lines_are_those_between_line_ends(source: str) -> None:
    lines = LineIndex(source)
    assert len(lines) == len(re.split("\r\n|\r|\n", source))


@given(texts, st.data())
def test_line_start_and_column_lead_back_to_the_offset(source: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(source)))
    lines = LineIndex(source)
    line, column = lines.locate(offset)
    assert lines.start(line) + column - 1 == offset
    inside_an_end = source[offset - 1 : offset + 1] == "\r\n"
    assert not re.search("[\r\n]", source[lines.start(line) : offset - inside_an_end])


def test_a_long_source_is_indexed_once_and_asked_cheaply() -> None:
    def locate(source: str) -> None:
        lines = LineIndex(source)
        places = [lines.locate(offset) for offset in range(0, len(source), 15)]
        assert places[-1] == (len(source) // 15, 1)

    assert_linear(locate, "a line of text\n".__mul__, 25_000)
