"""What the readers share: blanking, joining ranges, addresses, and sections of references."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.readers.reading import blocks, words
from unslant.core.types import Span
from unslant.text.readers.masking import (
    Hidden,
    Sections,
    find_addresses,
    is_reference_title,
    may_have_addresses,
    merge_ranges,
    to_hidden,
    trim_ranges,
)


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("See https://example.org/path?x=1#top.", ["https://example.org/path?x=1#top"]),
        ("See http://example.org, then go.", ["http://example.org"]),
        ("(see https://example.org/a_(b))", ["https://example.org/a_(b)"]),
        ("(https://example.org)", ["https://example.org"]),
        ("www.example.org!", ["www.example.org"]),
        ("\u201chttps://example.org\u201d", ["https://example.org"]),
        ("<https://example.org>", ["https://example.org"]),
        ("ann.doe+news@mail.example.co.uk wrote", ["ann.doe+news@mail.example.co.uk"]),
        ("ann@example.org and bob@example.org", ["ann@example.org", "bob@example.org"]),
        ("git+ssh://host/path and mailto:ann@b.cd", ["git+ssh://host/path", "ann@b.cd"]),
        ("@senator tweeted", []),
        ("price @ 5", []),
        ("ann@localhost", []),
        ("://", []),
        ("https://", []),
        ("awww.nice", []),
        ("no address", []),
    ],
)
def test_addresses(text: str, addresses: list[str]) -> None:
    assert [text[start:end] for start, end in find_addresses(text)] == addresses
    if addresses:
        assert may_have_addresses(text)


def test_addresses_are_looked_for_only_in_the_part_requested() -> None:
    text = "a@b.cd e@f.gh i@j.kl"
    assert [text[start:end] for start, end in find_addresses(text, 7, 13)] == ["e@f.gh"]


@pytest.mark.parametrize(
    ("title", "hidden"),
    [
        ("References", True),
        ("REFERENCES", True),
        ("7. References", True),
        ("References:", True),
        ("Works cited", True),
        ("Further   reading", True),
        ("(Bibliography)", True),
        ("External links", True),
        ("Notes and references", True),
        ("References to the mayor", False),
        ("Reference", False),
        ("Notes", False),
        ("The bibliography of Ann Doe", False),
        ("", False),
        ("references" + " " * 60, False),
    ],
)
def test_titles_of_reference_lists(title: str, hidden: bool) -> None:
    assert is_reference_title(title) is hidden


def test_a_reference_section_ends_at_a_heading_of_its_level_or_above() -> None:
    sections = Sections()
    sections.heading(2, 0, 10, "References")
    sections.heading(3, 20, 30, "Books")
    sections.heading(2, 40, 50, "Next")
    sections.close(60)
    assert sections.hidden == [(10, 40)]


def test_a_reference_section_lasts_to_the_end_if_nothing_follows() -> None:
    sections = Sections(also=frozenset({"sources"}))
    sections.heading(1, 0, 7, "Sources")
    sections.close(60)
    assert sections.hidden == [(7, 60)]


ranges = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    max_size=8,
)


@given(ranges)
def test_merged_ranges_cover_the_same_places(given_ranges: list[tuple[int, int]]) -> None:
    merged = merge_ranges(given_ranges)
    covered = {at for start, end in given_ranges for at in range(start, end)}
    assert {at for span in merged for at in range(span.start, span.end)} == covered
    assert all(left.end <= right.start for left, right in itertools.pairwise(merged))


@given(ranges, st.text(alphabet="ab \n\r", min_size=40, max_size=40))
def test_blanking_keeps_length_and_line_ends(given_ranges: list[tuple[int, int]], text: str) -> None:
    blanked = to_hidden(sorted(given_ranges)).blank(text)
    hidden = {at for start, end in given_ranges for at in range(start, end)}
    for at, (before, after) in enumerate(zip(text, blanked, strict=True)):
        assert after == (" " if at in hidden and before not in "\r\n" else before)


@given(ranges, st.text(alphabet="ab \n", min_size=40, max_size=40))
def test_trimmed_ranges_begin_and_end_with_ink(given_ranges: list[tuple[int, int]], text: str) -> None:
    for span in trim_ranges(text, given_ranges):
        assert text[span.start : span.end] == text[span.start : span.end].strip()


def test_nothing_hidden_returns_the_very_text() -> None:
    text = "The text."
    assert Hidden().blank(text) is text


def test_trimming_drops_what_is_blank() -> None:
    assert trim_ranges("a  b   ", [(0, 3), (1, 3), (3, 7)]) == (Span(0, 1), Span(3, 4))


def test_paragraphs_of_an_office_document_are_lines() -> None:
    source = "Head\nFirst paragraph. It goes on.\n\nSecond, see https://a.bc now.\n"
    assert blocks("paragraphs", source) == ["Head", "First paragraph. It goes on.", "Second, see now."]
    assert words("paragraphs", source) == "Head First paragraph. It goes on. Second, see now."
