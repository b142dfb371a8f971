"""Quarto and R Markdown."""

from __future__ import annotations

import pytest

from .reading import blocks, comments, quoted, words


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("## A plan {#sec-plan .unnumbered}\n", "A plan"),
        ("::: {.callout-note}\nA note.\n:::\n", "A note."),
        (":::: columns\n::: {.column width='50%'}\nLeft.\n:::\n::::\n", "Left."),
        ("{{< video https://a.example/b >}}\n\nText.\n", "Text."),
        ("```{r}\n#| label: plan\nplan <- 1\n```\n\nText.\n", "Text."),
        ("```{python}\nplan = 1\n```\n", ""),
        ("The mean is `r mean(x)` here.\n", "The mean is here."),
        ("As @smith2020 says, see @fig-one.\n", "As says, see ."),
        ("It is so [see @smith2020, p. 3; @jones].\n", "It is so ."),
        ("A [small]{.smallcaps} word.\n", "A small word."),
        ("A ![boat](boat.png){width=50%} came.\n", "A boat came."),
        ("A set {a, b} stays.\n", "A set {a, b} stays."),
        ("---\ntitle: Plan\n---\n\nText.\n", "Text."),
    ],
)
def test_what_markdown_does_not_know_is_hidden(source: str, expected: str) -> None:
    assert words("quarto", source) == expected


def test_divs_end_paragraphs() -> None:
    assert blocks("quarto", "One\n::: {.note}\nTwo\n:::\nThree\n") == ["One", "Two", "Three"]


def test_quotations_and_comments_are_those_of_markdown() -> None:
    assert quoted("quarto", "> Quoted @smith words.\n") == ["Quoted words."]
    assert comments("quarto", "<!-- a @b -->\n") == ["<!-- a @b -->"]
