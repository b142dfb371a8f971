"""Formats by suffix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unslant.registry import names
from unslant.text.formats import FORMATS, NAMES, SUFFIXES, format_of


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
        ("guide.mdx", "mdx"),
        ("report.Rmd", "quarto"),
        ("topic.dita", "dita"),
        ("api/openapi.yaml", "openapi"),
        ("v2.Swagger.json", "openapi"),
        ("myopenapi.yaml", None),
        ("openapi.txt", "text"),
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


def test_the_pre_commit_hook_takes_every_format() -> None:
    hooks = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text("utf-8")
    (files,) = re.findall(r"^  files: '(.*)'$", hooks, re.MULTILINE)
    pattern = re.compile(files)
    for suffix in SUFFIXES:
        assert pattern.search(f"docs/a{suffix}")
        assert pattern.search(f"docs/A{suffix.upper()}")
    for name in NAMES:
        assert pattern.search(name)
        assert pattern.search(f"docs/v2.{name}")
    for other in ("a.py", "a.yaml", "myopenapi.yaml", "README", "txt"):
        assert not pattern.search(other)
