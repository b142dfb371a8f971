"""Markdown as it is written in the wild: which words are read, block by block."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("The sum $x_1 + x_2$ grew.", "The sum grew."),
        ("The sum $\\alpha$ grew.", "The sum grew."),
        ("The sum $a=b$, then more.", "The sum , then more."),
        ("It cost $5 and then $6 more.", "It cost $5 and then $6 more."),
        ("It cost $5, or €5, not $6.", "It cost $5, or €5, not $6."),
        ("Between US$3 and US$4_000 it rose.", "Between US$3 and US$4_000 it rose."),
        ("Set `$PATH_A` and $PATH_B now.", "Set and $PATH_B now."),
        ("A price of \\$x_1$ stays.", "A price of x_1$ stays."),
        ("The $x_1 is never closed.", "The $x_1 is never closed."),
        ("The $ x_1 $ has spaces.", "The $ x_1 $ has spaces."),
        ("$$\na = b\n$$\n\nThe text.", "The text."),
        ("The sum $$a = b$$ grew.", "The sum grew."),
        ("$$ is a process id.", "$$ is a process id."),
        ("Dollars $a$ without a sign are words.", "Dollars $a$ without a sign are words."),
    ],
)
def test_formulas_are_left_out_and_prices_are_not(source: str, visible: str) -> None:
    assert words("markdown", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("[text](https://example.org)", "text"),
        ("[text](<a b> 'title')", "text"),
        ('[text](a "a (title)")', "text"),
        ("[text][label]\n\n[label]: a", "text"),
        ("[text][]\n\n[text]: a", "text"),
        ("[text]\n\n[text]: a 'title'", "text"),
        ("[text][missing]", "[text][missing]"),
        ("[not a link] stays", "[not a link] stays"),
        ("![alt](a.png)", "alt"),
        ("[![alt](a.png)](b)", "alt"),
        ("[a [b] c](d)", "a [b] c"),
        ("[text](a(b)c)", "text"),
        ("[text](a b)", "[text](a b)"),
        ("<https://example.org/a>", ""),
        ("<ann@example.org> wrote.", "wrote."),
        ("a < b and c > d", "a < b and c > d"),
        ("See [@doe2020, p. 3] for more.", "See for more."),
        ("A note[^1] here.\n\n[^1]: The note.", "A note here. The note."),
    ],
)
def test_links(source: str, visible: str) -> None:
    assert words("markdown", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("*one* _two_ **three** __four__", "one two three four"),
        ("***both***", "both"),
        ("~~gone~~ and ==marked==", "gone and marked"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("2 * 3 * 4 stays", "2 * 3 * 4 stays"),
        ("\\*not emphasis\\*", "not emphasis"),
        ("a `code` b", "a b"),
        ("a ``co`de`` b", "a b"),
        ("a `never closed b", "a `never closed b"),
        ("line one\\\nline two", "line one line two"),
        ("text {#anchor} more", "text more"),
        ("{{ template }} text", "{{ template }} text"),
        ("a &amp; b", "a & b"),
    ],
)
def test_inline_marks(source: str, visible: str) -> None:
    assert words("markdown", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("One\ntwo.", ["One two."]),
        ("# One\nTwo.", ["One", "Two."]),
        ("One\n===\nTwo.", ["One", "Two."]),
        ("One\n---\nTwo.", ["One", "Two."]),
        ("- One.\n- Two.", ["One.", "Two."]),
        ("- One\n  two.\n\n  Three.", ["One two.", "Three."]),
        ("1. One.\n2. Two.", ["One.", "Two."]),
        ("One.\n***\nTwo.", ["One.", "Two."]),
        ("# One #\n## Two ##", ["One", "Two"]),
        ("    code\n\nOne.", ["One."]),
        ("```\ncode\n```\nOne.", ["One."]),
        ("~~~\ncode\n```\nstill code\n~~~\nOne.", ["One."]),
        ("```\nnever closed", []),
        ("| a | b |\n|---|---|\n| c | d |\n\nOne.", ["One."]),
        ("---\ntitle: a\n---\nOne.", ["One."]),
        ("+++\ntitle = 'a'\n+++\nOne.", ["One."]),
        ("---\nnot closed\n\nOne.", ["not closed", "One."]),
    ],
)
def test_blocks(source: str, expected: list[str]) -> None:
    assert blocks("markdown", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("> One.\n> Two.\n\nThree.", ["One. Two."]),
        ("> One.\nlazily continued.", ["One. lazily continued."]),
        ("> [!NOTE]\n> One.", []),
        ("> One.\n>> Two.", ["One. Two."]),
        ("- > One.\n- Two.", ["One."]),
        ("No quotation.", []),
    ],
)
def test_block_quotes_are_quotations(source: str, expected: list[str]) -> None:
    assert [" ".join(part.replace(">", " ").split()) for part in quoted("markdown", source)] == expected


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("<div>\n\nOne.\n\n</div>", "One."),
        ("<p>One.</p>", "One."),
        ("A <b>word</b> here.", "A word here."),
        ("A <code>x</code> here.", "A here."),
        ("<!-- hidden -->\nOne.", "One."),
        ("One <!-- hidden --> two.", "One two."),
        ("<script>\nhidden\n</script>\n\nOne.", "One."),
        ("<img alt='One.' src='a'>", "One."),
    ],
)
def test_html_inside(source: str, visible: str) -> None:
    assert words("markdown", source) == visible


def test_comments_are_found_for_inline_ignores() -> None:
    assert comments("markdown", "One. <!-- unslant: ignore --> Two.") == ["<!-- unslant: ignore -->"]
