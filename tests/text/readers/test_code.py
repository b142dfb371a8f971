"""Source files: comments and docstrings are read; code, strings, pragmas and tags are not."""

from __future__ import annotations

import pytest

from tests.text.readers.reading import blocks, comments, words


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("x = 1  # The text.", "The text."),
        ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# The text.", "The text."),
        ('def f():\n    """The text."""\n    return "no"', "The text."),
        ("def f():\n    '''The text.'''", "The text."),
        ('"""The text.\n\nIt goes on.\n"""\nx = "no"', "The text. It goes on."),
        ('x = """no"""', ""),
        ('x = "# no"', ""),
        ("x = '# no'  # yes", "yes"),
        ('x = "never closed # no\n# yes', "yes"),
        ("x = 1  # noqa: E501", ""),
        ("x = 1  # type: ignore", ""),
        ("x = 1  # pragma: no cover", ""),
        ("# Copyright 2024 Ann Doe", ""),
        ("# SPDX-License-Identifier: MIT", ""),
        ('def f():\n    """Say so.\n\n    >>> f()\n    no\n\n    Yes.\n    """', "Say so. Yes."),
        (
            'def f():\n    """Say so.\n\n    :param name: the name\n    :returns: a word\n    """',
            "Say so. the name a word",
        ),
        ("# The ``code`` and `name` end.", "The and end."),
        ("# ---------\n# Head\n# ---------", "Head"),
        ("# See https://example.org/a now.", "See now."),
        ('r"""The text."""', "The text."),
    ],
)
def test_python(source: str, visible: str) -> None:
    assert words("code-python", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("int x; // The text.", "The text."),
        ("/* The text. */ int x;", "The text."),
        ("/*\n * The text\n * goes on.\n */\nint x;", "The text goes on."),
        (
            "/** Says so.\n * @param name the name\n * @return {String} word the word\n */",
            "Says so. the name the word",
        ),
        ('char *s = "// no";', ""),
        ("char c = '\"'; // yes", "yes"),
        ("let s = `// no\n// no`; // yes", "yes"),
        ("// eslint-disable-next-line\nx // yes", "yes"),
        ("// NOLINT\n/// Yes.", "Yes."),
        ("//! The text.", "The text."),
        ("/* never closed", ""),
        ("url = http_get(a) / b; /* yes */", "yes"),
    ],
)
def test_languages_with_comments_as_in_c(source: str, visible: str) -> None:
    assert words("code-c", source) == visible


@pytest.mark.parametrize(
    ("source", "visible"),
    [
        ("x=1 # The text.", "The text."),
        ("#!/bin/sh\n# The text.", "The text."),
        ("echo '# no' # yes", "yes"),
        ("echo ${#array} # yes", "yes"),
        ("color: '#fff' # yes", "yes"),
        ("key: value#no", ""),
        ("# shellcheck disable=SC2086\n# yes", "yes"),
    ],
)
def test_languages_with_hash_comments(source: str, visible: str) -> None:
    assert words("code-hash", source) == visible


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("code-python", "# One\n# two.\n#\n# Three.", ["One two.", "Three."]),
        ("code-python", "# One.\nx = 1\n# Two.", ["One.", "Two."]),
        ("code-python", '"""One\ntwo.\n\nThree.\n"""', ["One two.", "Three."]),
        ("code-c", "// One\n// two.\nint x;\n// Three.", ["One two.", "Three."]),
        ("code-hash", "# One\n# two.\n#\n# Three.", ["One two.", "Three."]),
    ],
)
def test_comment_lines_that_follow_each_other_are_one_block(
    name: str, source: str, expected: list[str]
) -> None:
    assert blocks(name, source) == expected


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("code-python", "# unslant: ignore framing -- why"),
        ("code-c", "// unslant: ignore framing -- why"),
        ("code-c", "/* unslant: ignore framing -- why */"),
        ("code-hash", "# unslant: ignore framing -- why"),
    ],
)
def test_inline_ignores_are_comments_and_not_prose(name: str, source: str) -> None:
    assert comments(name, source) == [source]
    assert words(name, source) == ""
