"""What every reader promises, for any text."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import assert_linear
from unslant.core.types import Span
from unslant.protocols import Reader
from unslant.registry import names, resolve
from unslant.text.directives import find_directives
from unslant.text.readers import ParsedMarkup, parse
from unslant.text.readers.masking import to_hidden

PROSE_FORMATS = (
    "asciidoc",
    "dita",
    "docbook",
    "email",
    "html",
    "latex",
    "markdown",
    "mdx",
    "org",
    "paragraphs",
    "quarto",
    "rst",
    "subtitles",
    "text",
    "typst",
    "wikitext",
)
"""Formats in which a line of plain words is prose."""
FORMATS = (*PROSE_FORMATS, "code-c", "code-hash", "code-python", "notebook", "openapi")
every_format = pytest.mark.parametrize("name", FORMATS)

# fmt: off
FRAGMENTS = [
    "{{", "}}", "{{{", "}}}", "{{quote|", "{{quote|text=", "|author=", "{|\n", "|}\n", "|-\n", "|", "||",
    "!", "[[", "]]", "[[File:a.png|", "[[Category:", "[", "]", "](", ")", "(", "![", "[^1]", "[^1]: ",
    "[a]: b\n", "[//]: # (", "<", ">", "<p>", "</p>", "<div>", "</div>", "<blockquote>", "</blockquote>",
    "<q>", "</q>", "<code>", "</code>", "<pre>", "</pre>", "<table>", "</table>", "<script>", "</script>",
    "<ref>", "</ref>", "<ref name=a />", "<nowiki>", "</nowiki>", "<img alt='a b'>", "<a href='", "<h2>",
    "</h2>", "References", "<!--", "-->", "<!", "<?", "&amp;", "&eacute;", "&#39;", "&quot;", "&ldquo;",
    "&rdquo;", "&", "`", "``", "```\n", "~~~\n", "*", "**", "_", "'''", "''", "\\", "# ", "## ", "> ",
    ">", "- ", "1. ", "    ", "\t", "---\n", "===\n", "+++\n", "== ", " ==\n", "* ", "; ", " : ", "\n",
    "\r\n", "\r", "\n\n", "http://a.b/c", "www.a.b", "a@b.cd", "unslant: ignore framing -- why",
    "# unslant: ignore-block x -- y\n", " ", "word", "Some words. ", "e\u0301", "👩‍👩‍👧", "שלום", "\u202e",
    "\x00", "\ud800", "\u2028", "\x0b", "İ", "ß", "__TOC__", "~~~~",
    ".. note:: ", ".. code::\n\n", ".. a comment\n", "::\n\n", "   indented\n", "====\n", "----\n", "____\n", "|===\n",
    "//", "/*", "*/", "#", '"""', '"', "'", "%", "$", "$$", "\\(", "\\section{", "\\begin{quote}", "\\end{quote}",
    "\\begin{verbatim}", "\\end{verbatim}", "\\cite{", "{", "}", "#+begin_src\n", "#+end_src\n", "#+begin_quote\n",
    "#+end_quote\n", ":PROPERTIES:\n", ":END:\n", "[[a][b]]", "00:00:01,000 --> 00:00:02,000\n", "1\n", "WEBVTT\n",
    "NOTE a\n", "Subject: a\n", "Content-Type: multipart/mixed; boundary=b\n\n", "--b\n", "``a``", "link:a[b]",
    "<<a,b>>",
    '{"cells": [{"cell_type": "markdown", "source": [', '"a *b*\\n", ', '"c"]}]}', "\\u0041", ":ref:`a <b>`",
    ":::\n", "::: {.note}\n", "{{< a >}}", "{#a .b}", "@a", "{/*", "*/}", "{`a`}", "import a\n", "export {\n",
    "<A b={c}>",
    "#let a = ", "#quote[", "#f(", "#[", "= ", "<a-b>", "#show: ", "<para>", "</para>", "<programlisting>",
    "</programlisting>", "<![CDATA[", "<quote>", "</quote>", "description: ", "description: |\n", "  title: 'a'\n",
    "example:\n", '{"info": {"description": "',
]
# fmt: on
any_text = st.text(st.characters(), max_size=60)
marked_up = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.text(st.characters(), max_size=3)), max_size=30
).map("".join)


def ordered(spans: tuple[Span, ...], length: int) -> bool:
    return all(left.end <= right.start for left, right in pairwise(spans)) and all(
        span.end <= length for span in spans
    )


def keeps_its_promises(source: str, reading: ParsedMarkup) -> None:
    assert len(reading.prose) == len(source)
    for before, after in zip(source, reading.prose, strict=True):
        assert after == before or (after == " " and before not in "\r\n")
    assert ordered(reading.blocks or (), len(source))
    assert ordered(reading.quotations, len(source))
    assert ordered(reading.comments, len(source))
    for comment in reading.comments:
        hidden = any(span.contains(comment) for span in reading.hidden)
        assert hidden or not reading.prose[comment.start : comment.end].strip()
    if reading.blocks is not None:
        inside = "".join(reading.prose[block.start : block.end] for block in reading.blocks)
        assert "".join(inside.split()) == "".join(reading.prose.split()), "prose outside of every block"


@every_format
@settings(max_examples=150, deadline=None)
@given(source=any_text | marked_up)
def test_positions_and_line_ends_are_kept_for_any_text(name: str, source: str) -> None:
    keeps_its_promises(source, resolve("reader", name)().parse(source))


@every_format
@settings(max_examples=40, deadline=None)
@given(source=marked_up)
def test_the_four_methods_agree_with_one_parse(name: str, source: str) -> None:
    reader: Reader = resolve("reader", name)()
    reading = parse(reader, source)
    hidden = to_hidden((span.start, span.end) for span in reading.hidden)
    assert reader.mask(source) == hidden.blank(reading.prose)
    assert reader.blocks(source) == reading.blocks
    assert reader.quotations(source) == reading.quotations
    assert reader.comments(source) == reading.comments


@every_format
@settings(max_examples=40, deadline=None)
@given(source=marked_up)
def test_inline_ignores_stand_in_comments(name: str, source: str) -> None:
    reading = resolve("reader", name)().parse(source)
    directives, problems = find_directives(source, reading.comments, reading.prose)
    for item in (*directives, *problems):
        assert item.span in reading.comments
    for directive in directives:
        assert directive.scope.end <= len(source)


@every_format
@pytest.mark.parametrize("source", ["", " ", "\n", "\r\n", "\x00", "\ud800", "\ufeff"])
def test_the_smallest_sources(name: str, source: str) -> None:
    keeps_its_promises(source, resolve("reader", name)().parse(source))


def test_every_built_in_reader_is_tested_here() -> None:
    assert set(FORMATS) <= set(names("reader"))
    for name in FORMATS:
        assert isinstance(resolve("reader", name)(), Reader)


class Shouting:
    """A reader as another package would write it: the four methods, nothing else."""

    def mask(self, source: str) -> str:
        return source.replace("x", " ")

    def blocks(self, source: str) -> tuple[Span, ...] | None:
        return (Span(0, len(source)),)

    def quotations(self, source: str) -> tuple[Span, ...]:
        return (Span(0, 1),) if source.startswith(">") else ()

    def comments(self, source: str) -> tuple[Span, ...]:
        return (Span(0, 1),) if source.startswith("a") else ()


def test_a_reader_from_elsewhere_needs_only_the_protocol() -> None:
    reading = parse(Shouting(), "axb")
    assert (reading.prose, reading.blocks, reading.comments) == ("a b", (Span(0, 3),), (Span(0, 1),))


# fmt: off
DEEP = [
    "{{", "[[", "[", "[a](b", '[a](b "', "![", "<", "<a ", '<a x=">" ', "<div>", "<blockquote>", "<q>",
    "<ref>", "<code>", "<!--", "> <!--\n\n", "> <table>\n\n", "&eacute;", "*", "*a ", "a_", "`a``", "\\",
    ">", "> ", "- ", "  - a\n", "{|\n", "|", "a|b\n", "{{a|", "{{quote|", "[[File:a|", "[http://a ", "a@",
    "http://a)", "a", " ", "\t", "\r", "# unslant: ignore a\n", "<!-- unslant: ignore a -- b -->",
    "[^1]: ", "<img alt='a", "''", "\n\n[[", "&quot;",
    "$", "\\begin{verbatim}", "\\begin{quote}", "\\section{", "%", "``", '"', '"""', "/*", "/* *", ".. a\n",
    "{/*", "{`", '#f("', "#f[", "<quote>", "description: |\n", "{{<", '{"description": "a",',
    "::\n\n ", "|a", "____\n", "----\n", "#+begin_src\n", '{"cells": [', '"\\', "--b\n",
]
# fmt: on


@every_format
def test_deep_and_broken_nesting_takes_no_longer_than_long_text(name: str) -> None:
    reader = resolve("reader", name)()

    def nest(piece: str, size: int) -> str:
        closed = "".join({"{": "}", "[": "]", "<": ">"}.get(sign, "") for sign in reversed(piece))
        return piece * (6 * size // len(piece)) + closed * (4 * size // len(piece))

    def parse(source: str) -> None:
        reading = reader.parse(source)
        find_directives(source, reading.comments, reading.prose)
        assert len(reading.prose) == len(source)

    for piece in DEEP:
        assert_linear(parse, partial(nest, piece), 1_000)


@pytest.mark.parametrize("name", PROSE_FORMATS)
def test_one_line_of_ten_megabytes(name: str) -> None:
    source = "Plain words in one line. " * 400_000
    assert resolve("reader", name)().parse(source).prose == source


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("rst", ".. unslant: ignore framing -- a title"),
        ("asciidoc", "// unslant: ignore framing -- a title"),
        ("latex", "% unslant: ignore framing -- a title"),
        ("org", "# unslant: ignore framing -- a title"),
        ("code-python", "# unslant: ignore framing -- a title"),
        ("code-c", "// unslant: ignore framing -- a title"),
        ("rst", "<!-- unslant: ignore framing -- a title -->"),
        ("mdx", "{/* unslant: ignore framing -- a title */}"),
        ("typst", "// unslant: ignore framing -- a title"),
        ("typst", "/* unslant: ignore framing -- a title */"),
        ("quarto", "<!-- unslant: ignore framing -- a title -->"),
        ("docbook", "<!-- unslant: ignore framing -- a title -->"),
        ("openapi", "# unslant: ignore framing -- a title"),
    ],
)
def test_inline_ignores_are_written_as_comments_of_the_format(name: str, comment: str) -> None:
    lead = {"code-python": "# ", "code-c": "// ", "openapi": "description: "}.get(name, "")
    source = f"{comment}\n\n{lead}The legendary album came out in May.\n"
    reading = resolve("reader", name)().parse(source)
    (directive,), problems = find_directives(source, reading.comments, reading.prose)
    assert not problems
    assert directive.scope.contains(Span(source.index("legendary"), source.index("album")))
