"""Plain text."""

from __future__ import annotations

import pytest

from unslant.text.readers.plain import PlainReader


def words(source: str) -> str:
    return " ".join(PlainReader().mask(source).split())


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("See https://a.org/b_c?d=e#f, then go.", "See , then go."),
        ("See (https://a.org/b_(c)) now.", "See ( ) now."),
        ("See <https://a.org> now.", "See < > now."),
        ("At www.a.org. Next.", "At . Next."),
        ("Write to jane.doe+x@mail.example.org.", "Write to ."),
        ("ftp://a.b/c and file:///etc/x end", "and end"),
        ("a :// b", "a :// b"),
        ("me @ home, @handle, x@y", "me @ home, @handle, x@y"),
        ("awww.yes", "awww.yes"),
    ],
)
def test_addresses_are_not_prose(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize("mark", ["# ", "#", "// ", "% ", "; ", "  # "])
def test_a_line_that_speaks_to_unslant_is_a_comment(mark: str) -> None:
    source = f"One.\n{mark}unslant: ignore framing -- quoted below\r\nTwo."
    reading = PlainReader().parse(source)
    assert PlainReader().mask(source).split() == ["One.", "Two."]
    (comment,) = reading.comments
    assert source[comment.start : comment.end] == f"{mark}unslant: ignore framing -- quoted below"


def test_a_comment_between_marks_may_share_its_line() -> None:
    source = "A word. <!-- unslant: ignore framing -- why --> More."
    reading = PlainReader().parse(source)
    assert PlainReader().mask(source).split() == ["A", "word.", "More."]
    assert [source[span.start : span.end] for span in reading.comments] == [
        "<!-- unslant: ignore framing -- why -->"
    ]


@pytest.mark.parametrize(
    "source",
    [
        "The tool is called unslant: it reads.",
        "# A heading about unslant",
        "<!-- unslant: never closed",
        "<!-- another comment -->",
        "a # unslant: ignore x -- not at the start of its line",
    ],
)
def test_other_lines_stay_prose(source: str) -> None:
    reading = PlainReader().parse(source)
    assert reading.prose == source
    assert reading.comments == ()


def test_the_source_is_not_copied_when_nothing_is_blanked() -> None:
    source = "Just words, over\r\ntwo lines.\n\nAnd a paragraph."
    reading = PlainReader().parse(source)
    assert reading.prose is source
    assert reading.blocks is None
    assert reading.quotations == ()
