"""One definition of a word: what the shared patterns match, and that no other module defines a word of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import unslant
from unslant.text import words
from unslant.text.words import COMPOUND, LETTERS, PART, TOKEN, WORD, WORD_OR_MARK, split_words, whole_words

SOURCES = Path(unslant.__file__).parent
REGEX_CALLS = frozenset(("compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub"))

OWN_PATTERNS = {
    # names in markup and of packages, which follow rules of their own
    ("rules/pack.py", r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"),
    ("text/readers/typst.py", r"#?[A-Za-z_][\w\-]*(?:\.[A-Za-z_][\w\-]*)*"),
    ("text/readers/typst.py", r"([A-Za-z_][\w\-]{0,50})(?:\([^()]{0,200}\))?\Z"),
    # not words of a text: keys, names, parts of addresses, anything but spaces
    ("config/schema.py", r"[A-Za-z0-9_-]+"),
    ("config/sources.py", r"[A-Za-z0-9_-]*+"),
    ("lab/probing/descriptions.py", r"[a-z][a-z0-9-]*"),
    ("neural/subwords.py", r"(\s+)|\S+"),
    ("text/readers/masking.py", r"[A-Za-z][A-Za-z0-9+.\-]*\Z"),
    ("text/readers/masking.py", r"[\w.+%\-]+\Z"),
    ("text/readers/masking.py", '[^\\s<>\\"“”«»\\x00]*'),
    ("text/readers/markdown_markup.py", r"[^\s()\\]*"),
    # words, but other ones; a comment beside each says why
    ("genre.py", r"[a-z]+(?:'[a-z]+)?|[0-9]+|[$%?!\u2022]"),
    ("lab/stats/spans.py", r"\S+"),
    ("text/readers/html.py", r"\w{0,64}"),
    ("text/readers/html.py", r"\w{1,64}\Z"),
}
"""The patterns outside ``text/words.py`` that match a word by themselves."""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (WORD, ["Don't", "the", "so", "called", "caf\u0065\u0301", "snake_case", "R2D2"]),
        (COMPOUND, ["Don't", "the", "so-called", "caf\u0065\u0301", "snake_case", "R2D2"]),
        (TOKEN, ["Don't", "the", "so-called", "caf\u0065\u0301", ",", "snake_case", "R2D2", "!"]),
        (
            WORD_OR_MARK,
            ["Don't", "the", "so", "-", "called", "caf\u0065\u0301", ",", "snake_case", "R2D2", "!"],
        ),
        (LETTERS, ["Don", "t", "the", "so", "called", "cafe", "snake", "case", "R", "D"]),
        (
            PART,
            [
                "Don",
                "'",
                "t",
                "the",
                "so",
                "-",
                "called",
                "cafe",
                "\u0301",
                ",",
                "snake",
                "_",
                "case",
                "R2D2",
                "!",
            ],
        ),
    ],
    ids=["word", "compound", "token", "word-or-mark", "letters", "part"],
)
def test_shared_patterns_split_a_sentence(pattern: re.Pattern[str], expected: list[str]) -> None:
    assert pattern.findall("Don't the so-called caf\u0065\u0301, snake_case R2D2!") == expected


def test_words_are_compared_without_case_and_typography() -> None:
    curly, straight = (
        split_words("The \u201cSo\u2010called\u201d plan isn\u2019t"),
        split_words('the "so-called" plan isn\'t'),
    )
    assert curly.plain == straight.plain
    assert curly.count() == 4


def test_whole_words_prefers_the_longest_and_never_splits_a_word() -> None:
    pattern = whole_words(["right", "right wing"], re.IGNORECASE)
    assert pattern.findall("Right wing, upright, right-handed, the right.") == ["Right wing", "right"]


def string_value(node: ast.expr, names: dict[str, str]) -> str | None:
    """Return the value of a string expression that is made of literals, shared patterns and names of the module."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and node.attr == "pattern" and isinstance(node.value, ast.Name):
        shared = getattr(words, node.value.id, None)
        return shared.pattern if isinstance(shared, re.Pattern) else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            string_value(part.value if isinstance(part, ast.FormattedValue) else part, names)
            for part in node.values
        ]
        return None if None in parts else "".join(part or "" for part in parts)
    return None


def own_patterns(path: Path) -> Iterator[str]:
    """Yield the regular expressions in a file that are written there, and not only a shared pattern."""
    tree = ast.parse(path.read_text("utf-8"))
    names: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = string_value(node.value, names)
            if value is not None:
                names[node.targets[0].id] = value
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            module = node.func.value
            if isinstance(module, ast.Name) and module.id == "re" and node.func.attr in REGEX_CALLS:
                written = ast.unparse(node.args[0])
                value = string_value(node.args[0], names)
                if value is not None and ".pattern" not in written:
                    yield value


def defines_a_word(pattern: str) -> bool:
    """Return whether a pattern matches any single word, and not two words."""
    compiled = re.compile(pattern)
    samples = ("slanted", "neutral", "anyone")
    return all(compiled.fullmatch(word) for word in samples) and not compiled.fullmatch("slanted words")


def test_no_other_module_defines_a_word() -> None:
    found = {
        (path.relative_to(SOURCES).as_posix(), pattern)
        for path in SOURCES.rglob("*.py")
        if path != SOURCES / "text" / "words.py"
        for pattern in own_patterns(path)
        if defines_a_word(pattern)
    }
    assert found == OWN_PATTERNS


def test_a_definition_of_a_word_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        'import re\nLETTER = "[a-z]"\nA = re.compile(rf"{LETTER}+")\nB = re.compile(r"<(\\w+)>")\n', "utf-8"
    )
    assert [defines_a_word(pattern) for pattern in own_patterns(file)] == [True, False]
