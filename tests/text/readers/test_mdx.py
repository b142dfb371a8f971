"""MDX."""

from __future__ import annotations

import pytest

from .reading import blocks, comments, words


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import A from 'a'\nimport {\n  B } from \"b\"\n\nText.\n", "Text."),
        ("---\ntitle: Plan\n---\nimport A from 'a'\n\nText.\n", "Text."),
        ("export const meta = {\n  plan: 'a',\n\n  b: 'c}'\n}\n\nText.\n", "Text."),
        ("The {props.name} singer.\n", "The singer."),
        ("The {`a } ${b}`} singer.\n", "The singer."),
        ("The {/* } */ a} singer.\n", "The singer."),
        ("<Note title='plan' on={() => a > b}>A note.</Note>\n", "A note."),
        ("<Note>\n    Indented text is no code.\n</Note>\n", "Indented text is no code."),
        ("Use `{plan` and `}` here.\n", "Use and here."),
        ("```js\nconst a = {\n```\n\nText } here.\n", "Text } here."),
        ("An open { brace is text.\n", "An open { brace is text."),
        ("An \\{escaped brace.\n", "An escaped brace."),
        ("To import a plan.\nimport stays here.\n", "To import a plan. import stays here."),
    ],
)
def test_code_is_hidden_and_the_content_of_components_is_read(source: str, expected: str) -> None:
    assert words("mdx", source) == expected


def test_comments_are_expressions() -> None:
    source = "{/* one */}\n\nText {/* two */} goes on. {notOne}\n"
    assert comments("mdx", source) == ["{/* one */}", "{/* two */}"]
    assert words("mdx", source) == "Text goes on."


def test_headings_and_items_are_blocks() -> None:
    assert blocks("mdx", "# Plan\n\n- One {a}\n- Two\n") == ["Plan", "One", "Two"]
