"""HTML: which words are read, and how they are grouped."""

from __future__ import annotations

import pytest

from unslant.text.readers.html import HtmlReader


def words(source: str) -> str:
    return " ".join(HtmlReader().mask(source).split())


def quoted(source: str) -> list[str]:
    return [source[span.start : span.end] for span in HtmlReader().quotations(source)]


def blocks(source: str) -> list[str]:
    reading = HtmlReader().parse(source)
    return [" ".join(reading.prose[span.start : span.end].split()) for span in reading.blocks or ()]


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<p class='great > small'>Words <b>and</b> <i title=\"x\">more</i>.</p>", "Words and more ."),
        ("<!DOCTYPE html><?xml version='1.0'?>Text", "Text"),
        ("a <script>if (a < b) { '<p>no</p>' }</script> b", "a b"),
        ("a <STYLE>p { color: red }</style > b", "a b"),
        ("a <script>never closed", "a"),
        ("a <code>no</code> b <kbd>no</kbd> <samp>no</samp> <var>no</var> c", "a b c"),
        ("<pre>no\nno</pre>yes", "yes"),
        ("<table><tr><td>no<table><tr><td>no</table>no</table>yes", "yes"),
        ("<p>a <code>no<p>yes", "a yes"),
        ("<svg><title>no</title></svg> yes <math><mi>no</mi></math>", "yes"),
        ("a <img src='x.png' alt='a picture'> b", "a a picture b"),
        ("a <img src=x.png> b", "a b"),
        ("a <!-- no --> b <!-- no", "a b"),
        ("a <!--> b", "a b"),
        ("1 < 2 and a<", "1 < 2 and a<"),
        ("<a href='http://a.b'>link</a> http://a.b/c?d=e&amp;f. Next", "link . Next"),
        ("<textarea>no</textarea><select><option>no</select>yes", "yes"),
        ("<head><title>A title</title><meta name=x content=no></head>", "A title"),
        ("<a x='unclosed>text</a> more", "text more"),
        ("a <b", "a <b"),
        ("a</p></div></code>b", "a b"),
    ],
)
def test_what_is_read(source: str, visible: str) -> None:
    assert words(source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("black &amp; white", "black & white"),
        ("black&nbsp;white", "black white"),
        ("a caf&eacute; here", "a here"),
        ("the r&#233;sum&#xE9; here", "the here"),
        ("I don&rsquo;t know", "I know"),
        ("world&mdash;class", "world ;class"),
        ("&lt;tag&gt;", ";tag ;"),
        ("&unknown; &#0; &#99999999; AT&T;", "&unknown; &#0; &#99999999; AT&T;"),
        ("a &#xD800; b", "a ; b"),
    ],
)
def test_character_references(source: str, visible: str) -> None:
    assert words(source) == visible


def test_blocks_end_at_block_elements_only() -> None:
    source = "<h1>Head</h1><p>One <b>two</b><br>three<p>four<ul><li>five<li>six</ul>seven"
    assert blocks(source) == ["Head", "One two three", "four", "five", "six", "seven"]


def test_quotations_of_the_markup() -> None:
    source = "<p>He <q>said <q>that</q></q>.<blockquote><p>One.<p>Two.</blockquote>Three."
    assert quoted(source) == ["<q>said <q>that</q></q>", "<blockquote><p>One.<p>Two.</blockquote>"]
    assert words(source) == "He said that . One. Two. Three."


def test_an_inline_quotation_ends_with_its_block() -> None:
    assert quoted("<p>a <q>b</p><p>c</p>") == ["<q>b"]


@pytest.mark.parametrize(
    ("source", "quotation"),
    [
        ("<p>He said &ldquo;no way&rdquo; twice", ["&ldquo;no way&rdquo;"]),
        ("<p>a &quot;b&quot; c &quot;d&quot;", ["&quot;b&quot;", "&quot;d&quot;"]),
        ("<p>a &#8220;b&#x201D; c", ["&#8220;b&#x201D;"]),
        ("<p>a &quot;b<p>c&quot;", []),
        ("<p>a &rdquo;b&ldquo;", []),
    ],
)
def test_quotation_marks_written_as_references(source: str, quotation: list[str]) -> None:
    assert quoted(source) == quotation


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<h2>References</h2><p>no</p><h3>no</h3><p>no<h2>Next</h2>yes", "References Next yes"),
        ("<h2 id=x><span>Works</span> cited</h2>no", "Works cited"),
        ("<section><h2>Bibliography</h2>no</section>yes", "Bibliography yes"),
        ("<h2>References to him</h2>yes", "References to him yes"),
        ("<ol class='x references'><li>no</ol>yes", "yes"),
        ("<div role=doc-endnotes><div>no</div>no</div>yes", "yes"),
        ("Fact<sup class=reference>[1]</sup>.", "Fact ."),
        ("<h2>Notes</h2>yes", "Notes yes"),
    ],
)
def test_reference_lists(source: str, visible: str) -> None:
    assert words(source) == visible


def test_comments_are_found_with_their_delimiters() -> None:
    source = "<h2>References</h2><p>a<!-- one --><b><!--two--></b>"
    assert [source[span.start : span.end] for span in HtmlReader().comments(source)] == [
        "<!-- one -->",
        "<!--two-->",
    ]
