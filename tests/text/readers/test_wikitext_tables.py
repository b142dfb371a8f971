"""Wikitext as it is written in the wild: which words are read, and where blocks and quotations are."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, quoted, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("[[Page]]", "Page"),
        ("[[Page|text]]", "text"),
        ("[[Page|]]", ""),
        ("[[Page#Part|text]]s", "text s"),
        ("[[:Category:Page|text]]", "text"),
        ("[[Category:Page]]", ""),
        ("[[de:Seite]]", ""),
        ("[[File:A.jpg|thumb|left|A caption.]]", "A caption."),
        ("[[File:A.jpg|thumb|A [[linked]] caption.]]", "A linked caption."),
        ("[[File:A.jpg|alt=An image|A caption.]]", "An image A caption."),
        ("[https://example.org text here]", "text here"),
        ("[https://example.org]", ""),
        ("https://example.org/a is a page.", "is a page."),
        ("[not a link]", "[not a link]"),
        ("[[never closed", "[[never closed"),
    ],
)
def test_links(source: str, visible: str) -> None:
    assert words("wikitext", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("{{template}} One.", "One."),
        ("{{a|{{b|c}}|d}} One.", "One."),
        ("{{{parameter}}} One.", "One."),
        ("{{never closed One.", "never closed One."),
        ("One.<ref>hidden</ref> Two.", "One. Two."),
        ("One.<ref name=a /> Two.", "One. Two."),
        ("One.<ref>{{cite|a}} hidden</ref>", "One."),
        ("<nowiki>hidden</nowiki> One.", "One."),
        ("<math>x</math> One.", "One."),
        ("<code>x</code> One.", "One."),
        ("<syntaxhighlight lang=c>x</syntaxhighlight> One.", "One."),
        ("<!-- hidden --> One.", "One."),
        ("<small>One</small> two.", "One two."),
        ("One<br />two.", "One two."),
        ("__TOC__ One.", "One."),
        ("#REDIRECT [[Page]]", ""),
        ("a&nbsp;b", "a b"),
        ("{| \n! One\n|-\n| Two\n|}\nThree.", "Three."),
        (" preformatted\nOne.", "One."),
    ],
)
def test_what_is_left_out(source: str, visible: str) -> None:
    assert words("wikitext", source) == visible


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("One\ntwo.", ["One two."]),
        ("== One ==\nTwo.", ["One", "Two."]),
        ("* One.\n* Two.", ["One.", "Two."]),
        ("# One.\n## Two.", ["One.", "Two."]),
        ("; One\n: Two", ["One", "Two"]),
        ("----\nOne.", ["One."]),
        ("''One'' '''two''' '''''three'''''.", ["One two three ."]),
        ("l'un'''deux'''", ["l'un deux"]),
    ],
)
def test_blocks(source: str, expected: list[str]) -> None:
    assert blocks("wikitext", source) == expected


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("{{quote|One.|Ann Doe}} Two.", "One."),
        ("<blockquote>One.</blockquote> Two.", "One."),
        ("{{cquote|One.}} Two.", "One."),
        ("She said <q>One</q> here.", "One"),
    ],
)
def test_quotations(source: str, holds: str) -> None:
    (found,) = quoted("wikitext", source)
    assert holds in found
    assert "Two" not in found
