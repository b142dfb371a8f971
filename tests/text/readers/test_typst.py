"""Typst."""

from __future__ import annotations

import pytest

from .reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("= A *plan* <plan>\n", "A plan"),
        ("The _old_ plan, see @smith.", "The old plan, see ."),
        ("A snake_case name.", "A snake_case name."),
        ("Run `code` and ```py\ncode\n``` now.", "Run and now."),
        ("With $x + y$ and\n$ a \n b $ here.", "With and here."),
        ('#set text(font: "Plan")\n#import "@preview/x:1.0.0": a, b\nText.', "Text."),
        ('See #link("https://a.example")[the site] now.', "See the site now."),
        ("It is #emph[very] old.", "It is very old."),
        ("#[Content] and [brackets].", "Content and [brackets]."),
        ("The value #calc.max(1, 2) and #x.y; end.", "The value and end."),
        ("#if a { code } else [Other text.]\nText.", "Other text. Text."),
        ("#show heading: it => [\n  #set text(red)\n  Head #it.body\n]\nText.", "Head Text."),
        ("#box[#set text(red)] Text.", "Text."),
        ("Two // comment\nlines /* and\nmore */ here.", "Two lines here."),
        ("See https://a.example/b here.", "See here."),
        ("A \\#tag and \\$5.", "A tag and 5."),
        ("A $5 price.", "A 5 price."),
    ],
)
def test_markup_is_read_and_code_is_not(source: str, expected: str) -> None:
    assert words("typst", source) == expected


def test_headings_items_and_content_in_code_are_blocks() -> None:
    source = (
        "= Plan\nOne line\nand another.\n- An item\n+ A number\n/ Term: meaning\n\n"
        '#figure(\n  image("a.png"),\n  caption: [A boat.],\n)\nThe end.\n'
    )
    assert blocks("typst", source) == [
        "Plan",
        "One line and another.",
        "An item",
        "A number",
        "Term: meaning",
        "A boat.",
        "The end.",
    ]


def test_quotations_and_comments() -> None:
    source = "#quote(block: true)[They said so.] #quote[And so.] // a comment\n"
    assert quoted("typst", source) == ["They said so.", "And so."]
    assert comments("typst", source) == ["// a comment"]


def test_references_are_not_prose() -> None:
    assert (
        words("typst", "= Plan\nText.\n= References <refs>\n- Smith\n= End\nMore.")
        == "Plan Text. References End More."
    )
