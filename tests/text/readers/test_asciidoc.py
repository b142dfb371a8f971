"""AsciiDoc: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("= A Title\n\nThe text.", "A Title The text."),
        ("= A Title\nAnn Doe <a@b.cd>\nv1.0, 2026-01-01\n:toc:\n\nThe text.", "A Title The text."),
        ("== Section\nThe text.", "Section The text."),
        ("== Section\n\nThe text.", "Section The text."),
        ("====== Deep\n\nThe text.", "Deep The text."),
        ("# Markdown style\n\nThe text.", "Markdown style The text."),
        ("=No title\n", "=No title"),
        (":author: Ann Doe\n:toc:\n\nThe text.", "The text."),
        (":!toc:\n\nThe text.", "The text."),
        ("The text {version} goes on.", "The text goes on."),
        ("include::other.adoc[]\n\nThe text.", "The text."),
        ("image::boat.png[A boat]\n\nThe text.", "The text."),
        ("toc::[]\n\nThe text.", "The text."),
        ("Press kbd:[Ctrl+C] or btn:[OK] now.", "Press or now."),
        ("See image:boat.png[A boat] here.", "See here."),
        ("It rose.footnote:[A note.] Then it fell.", "It rose. A note. Then it fell."),
        ("See https://example.org[the page] now.", "See the page now."),
        ("See link:page.html[the page] now.", "See the page now."),
        ("See xref:intro.adoc#top[the start] now.", "See the start now."),
        ("Write to mailto:ann@example.org[Ann] now.", "Write to Ann now."),
        ("See <<intro,the start>> now.", "See the start now."),
        ("See <<intro>> now.", "See now."),
        ("The `code` and +++<b>raw</b>+++ end.", "The and end."),
        ("*Bold* and _italic_ and #marked# words.", "Bold and italic and marked words."),
        ("2 * 3 and snake_case stay.", "2 * 3 and snake_case stay."),
        ("[[anchor]]The text.", "The text."),
        ("The text +\ngoes on.", "The text + goes on."),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words("asciidoc", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("----\nno\n----\nyes", "yes"),
        ("....\nno\n....\nyes", "yes"),
        ("++++\n<p>no</p>\n++++\nyes", "yes"),
        ("```ruby\nno\n```\nyes", "yes"),
        ("[source,python]\n----\nno\n----\nyes", "yes"),
        ("[source,python]\nno\nno\n\nyes", "yes"),
        ("[listing]\nno\n\nyes", "yes"),
        ("[stem]\n++++\nno\n++++\nyes", "yes"),
        ("-----\nno\n----\nno\n-----\nyes", "yes"),
        ("----\nnever closed\n\nno", ""),
        (" no, an indented line is literal\n\nyes", "yes"),
        ("yes\n indented goes on", "yes indented goes on"),
        ("====\nyes, an example\n====", "yes, an example"),
        ("****\nyes, a sidebar\n****", "yes, a sidebar"),
        ("--\nyes, an open block\n--", "yes, an open block"),
        ("yes\n\n'''\n\nyes", "yes yes"),
        ("yes\n\n<<<\n\nyes", "yes yes"),
    ],
)
def test_delimited_blocks(source: str, visible: str) -> None:
    assert words("asciidoc", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("* One\n* Two\n** Three", ["One", "Two", "Three"]),
        (". One\n. Two\n.. Three", ["One", "Two", "Three"]),
        ("1. One\n2. Two", ["One", "Two"]),
        ("- One\n  goes on\n- Two", ["One goes on", "Two"]),
        ("* [x] Done\n* [ ] Not done", ["Done", "Not done"]),
        ("* One\n+\nMore of one", ["One", "More of one"]),
        ("Term:: The definition.\nOther;; The other.", ["Term", "The definition.", "Other", "The other."]),
        ("First line\nsecond line.\n\nThird.", ["First line second line.", "Third."]),
        (".A caption\nThe text.", ["A caption", "The text."]),
        ("|===\n|One |Two\n|Three |Four\n|===", ["One", "Two", "Three", "Four"]),
        ("NOTE: Mind the gap.", ["NOTE: Mind the gap."]),
        ("<1> The first call.\n<2> The second call.", ["The first call.", "The second call."]),
    ],
)
def test_blocks(source: str, expected: list[str]) -> None:
    assert blocks("asciidoc", source) == expected


@pytest.mark.parametrize(
    ("source", "quotation"),
    [
        ("____\nTheir words.\n____\nOurs.", ["Their words."]),
        ("[quote, Ann Doe, A Book]\nTheir words.\n\nOurs.", ["Their words."]),
        ("[quote]\n____\nTheir words.\n____\n\nOurs.", ["Their words."]),
        ("[verse]\nTheir verse\nof two lines.\n\nOurs.", ["Their verse", "of two lines."]),
        ("Ours.", []),
    ],
)
def test_quotations(source: str, quotation: list[str]) -> None:
    assert quoted("asciidoc", source) == quotation


def test_comments_of_one_line_and_of_many() -> None:
    source = "yes\n// one\nyes\n////\ntwo\nthree\n////\nyes"
    assert words("asciidoc", source) == "yes yes yes"
    assert comments("asciidoc", source) == ["// one", "////", "two", "three", "////"]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("== References\n\n* no\n\n== Next\n\nyes", "References Next yes"),
        ("== Bibliography\n\nno\n\n=== no\n\nno", "Bibliography"),
        ("== References to him\n\nyes", "References to him yes"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words("asciidoc", source) == visible
