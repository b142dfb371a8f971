"""HTML as it is written in the wild: which words are read, and where blocks and quotations are."""

from __future__ import annotations

import re

import pytest

from tests.text.readers.reading import blocks, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<p>One <b>two</b>.</p>", "One two ."),
        ("<p>One<br>two.</p>", "One two."),
        ("<p>a &amp; b</p>", "a & b"),
        ("<p>&nbsp;One&nbsp;</p>", "One"),
        ("<p>&unknown; One</p>", "&unknown; One"),
        ("<p>AT&T One</p>", "AT&T One"),
        ("<p>a < b</p>", "a < b"),
        ("<p class='a>b'>One</p>", "One"),
        ('<a href="x" title="hidden">One</a>', "One"),
        ("<P>One</P>", "One"),
        ("<p>One<p>Two", "One Two"),
        ("<p>One</p", "One</p"),
        ("One", "One"),
        ("<>One</>", "<>One</>"),
        ("<?php hidden ?>One", "One"),
        ("<!DOCTYPE html>One", "One"),
        ("<!-- hidden --> One", "One"),
        ("<!-- never closed One", ""),
    ],
)
def test_tags_and_entities(source: str, visible: str) -> None:
    assert words("html", source) == visible


@pytest.mark.parametrize(
    "tag",
    ["script", "style", "code", "kbd", "samp", "var", "pre", "svg", "math", "textarea", "select", "table"],
)
def test_what_is_not_prose_is_left_out(tag: str) -> None:
    assert words("html", f"<p>One</p><{tag}>hidden</{tag}><p>Two</p>") == "One Two"
    assert words("html", f"<p>One</p><{tag.upper()} class='a'>hidden</{tag}><p>Two</p>") == "One Two"


@pytest.mark.parametrize(
    "tag", ["em", "strong", "i", "span", "a", "small", "mark", "time", "abbr", "ins", "label"]
)
def test_what_is_inside_a_sentence_is_read(tag: str) -> None:
    assert blocks("html", f"<p>One <{tag}>two</{tag}> three.</p>") == ["One two three."]


@pytest.mark.parametrize(
    "tag", ["p", "div", "li", "h1", "h6", "section", "article", "figcaption", "dd", "summary"]
)
def test_a_block_ends_where_its_element_does(tag: str) -> None:
    assert blocks("html", f"One.<{tag}>Two.</{tag}>Three.") == ["One.", "Two.", "Three."]


def test_a_table_ends_a_block_and_is_left_out() -> None:
    assert blocks("html", "One.<table><tr><td>hidden</td></tr></table>Two.") == ["One.", "Two."]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<blockquote>One.</blockquote> Two.", ["One."]),
        ("<blockquote><p>One.</p><p>Two.</p></blockquote>", ["One. Two."]),
        ("<p>She said <q>one</q> and <q>two</q>.</p>", ["one", "two"]),
        ("<blockquote>never closed", ["never closed"]),
        ("<q>one <q>two</q> three</q>", ["one two three"]),
        ("<p>No quotation.</p>", []),
    ],
)
def test_quotations(source: str, expected: list[str]) -> None:
    found = [re.sub(r"<[^>]*>", " ", part) for part in quoted("html", source)]
    assert [" ".join(part.split()) for part in found] == expected


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<img alt='One'>", "One"),
        ('<img src="a" alt="One two" title="hidden">', "One two"),
        ("<img alt=One>", "One"),
        ("<img alt=''>", ""),
        ("<img>", ""),
        ("<title>One</title>", "One"),
        ("<input value='hidden' placeholder='hidden'>", ""),
        ("<button title='hidden'>One</button>", "One"),
    ],
)
def test_text_in_attributes(source: str, visible: str) -> None:
    assert words("html", source) == visible
