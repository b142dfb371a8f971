"""Where sentences end in news, encyclopedias and letters: abbreviations, initials, numbers, quotations, lists."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Document
from unslant.spec import Spec
from unslant.text.sentences import NupunktSegmenter, paragraphs

SEGMENTER = NupunktSegmenter(Spec())


def split(marked: str) -> tuple[list[str], list[str]]:
    """Return the sentences found and those expected, which are separated by a bar."""
    expected = [part.strip() for part in marked.split("|")]
    text = marked.replace("|", "")
    return [sentence.text for sentence in SEGMENTER.split(Document(text, text))], expected


@pytest.mark.parametrize(
    "marked",
    [
        "The Senate voted.| The House did not.",
        "Did the Senate vote?| It did.",
        "It passed!| Nobody cheered.",
        "Sen. Ann Doe, D-Ore., spoke first.| Rep. Bob Roe, R-Texas, spoke second.",
        "Gov. Doe met Lt. Gov. Roe on Tuesday.| They talked.",
        "Dr. Doe, Mr. Roe and Mrs. Poe agreed.| Ms. Coe did not.",
        "He lives in Washington, D.C., with his wife.| She works.",
        "The U.S. Senate met.| The U.N. did too.",
        "It opened at 9 a.m. on Monday.| It closed at 5 p.m.",
        "Prices rose 2.5 percent.| Wages rose 1.5 percent.",
        "It cost $3.5 million.| The city paid.",
        "See No. 5 and Fig. 3.| They differ.",
        "Smith v. Jones was decided in 1954.| It was unanimous.",
        "John F. Kennedy and George W. Bush were presidents.| Both served in Washington.",
        "J. R. R. Tolkien wrote it.| It sold well.",
        "Acme Inc. and Bolt Corp. merged.| The price was not given.",
        'He said "No."| She said "Yes."',
        '"We lost," she said.| "We will win."',
        "(It was late.)| Everyone left.",
        "It was late (about 10 p.m.) when they left.",
        "The report, i.e. the second one, was late.| The first was not.",
        "Some groups, e.g. the unions, agreed.| Others did not.",
        "They waited... and waited.| Then it came.",
        "Visit example.com for more.| It is free.",
        "Version 2.0 is out.| Version 3.0 is not.",
        "St. Louis and Ft. Worth grew.| Mt. Vernon shrank.",
        "On Jan. 6, 2021, a crowd entered the building.| Police came.",
        "He was born on Sept. 11.| She was born on Dec. 25.",
        "The vote was 52 to 48.| 3 senators were absent.",
        "Ann et al. found the same.| Others did not.",
        "The company (Nasdaq: ABC) fell.| Its rival rose.",
        "He asked why?| Nobody knew.",
    ],
)
def test_boundaries(marked: str) -> None:
    found, expected = split(marked)
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\n\ntwo", ["One", "two"]),
        ("One\n \t\ntwo", ["One", "two"]),
        ("One\r\n\r\ntwo", ["One", "two"]),
        ("One\ntwo", ["One\ntwo"]),
        ("\n\nOne\n\n", ["One"]),
        ("", []),
        ("   ", []),
    ],
)
def test_paragraphs_end_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in SEGMENTER.split(Document(text, text))] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\nb", [(0, 1), (3, 4)]),
        ("a\r\n\r\nb", [(0, 1), (5, 6)]),
        ("a\r\rb", [(0, 1), (3, 4)]),
        ("\n\na", [(2, 3)]),
        ("a\nb", [(0, 3)]),
        ("a\n\n\n\nb\n\n", [(0, 1), (5, 6)]),
        ("", []),
    ],
)
def test_paragraphs_are_half_open_pairs(text: str, expected: list[tuple[int, int]]) -> None:
    assert list(paragraphs(text)) == expected


@pytest.mark.parametrize(
    ("text", "format_name", "expected"),
    [
        ("# Head\nThe text. More.", "markdown", ["Head", "The text.", "More."]),
        ("- One\n- Two", "markdown", ["One", "Two"]),
        ("<p>One.<p>Two.", "html", ["One.", "Two."]),
        ("== Head ==\nOne. Two.", "wikitext", ["Head", "One.", "Two."]),
        ("Head\n====\n\nOne. Two.", "rst", ["Head", "One.", "Two."]),
        ("\\section{Head}One. Two.", "latex", ["Head", "One.", "Two."]),
    ],
)
def test_headings_and_items_of_a_format_are_sentences_of_their_own(
    text: str, format_name: str, expected: list[str]
) -> None:
    document = unslant.read(text, format_name)
    assert [sentence.text for sentence in SEGMENTER.split(document)] == expected


def test_a_sentence_knows_where_it_stands() -> None:
    text = "  The Senate voted. The House did not.  "
    spans = [sentence.span for sentence in SEGMENTER.split(Document(text, text))]
    assert [text[span.start : span.end] for span in spans] == ["The Senate voted.", "The House did not."]
    assert spans[0].start == 2
