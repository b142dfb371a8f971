"""Formats by suffix."""

from __future__ import annotations

import pytest

from unslant.registry import names
from unslant.text.formats import FORMATS, format_of


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("notes.txt", "text"),
        ("a/b/README.md", "markdown"),
        ("README.MD", "markdown"),
        ("page.html", "html"),
        ("C:\\pages\\Page.HTM", "html"),
        ("page.wikitext", "wikitext"),
        ("archive.tar.md", "markdown"),
        ("LICENSE", None),
        (".md", None),
        ("dir.md/file", None),
        ("script.py", None),
        ("", None),
    ],
)
def test_the_suffix_names_the_format(path: str, name: str | None) -> None:
    assert format_of(path) == name


def test_source_files_have_a_format_only_on_request() -> None:
    assert format_of("script.py", code=True) == "code-python"
    assert format_of("notes.md", code=True) == "markdown"


def test_every_format_has_a_reader() -> None:
    assert {"html", "latex", "markdown", "notebook", "rst", "text", "wikitext"} <= set(FORMATS)
    assert set(FORMATS) <= set(names("reader"))
