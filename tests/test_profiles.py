"""Which standard a text is judged by, and what that changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import unslant
from unslant.core.errors import UnknownName
from unslant.core.types import Document
from unslant.lab import corpora
from unslant.lab.corpora.editor import read_passages
from unslant.profiles import detect_profile, profile, profile_of, profiles
from unslant.rules.analyzer import rule_cards
from unslant.spec import Spec, selects

PROSE = "The mayor spoke about the harbour on Monday. The council will vote in May.\n"
MANUAL = "Run `make install` to install the library. The option --prefix sets the directory.\n"


def _document(text: str, name: str = "<text>", format_name: str = "text") -> Document:
    return Document(text, text, name, format_name)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (_document(PROSE), "news"),
        (_document(PROSE, "a.wiki", "wikitext"), "encyclopedia"),
        (_document(PROSE, "blog/post.md", "markdown"), "news"),
        (_document(PROSE, "page.html", "html"), "news"),
        (_document(MANUAL), "docs"),
        (_document(MANUAL, "page.html", "html"), "docs"),
        (_document(PROSE, "docs/history.md", "markdown"), "docs"),
        (_document(PROSE, "a/README.md", "markdown"), "docs"),
        (_document(PROSE, "README"), "docs"),
        (_document(PROSE, "readmeans.txt"), "news"),
        (_document(""), "news"),
    ],
)
def test_the_document_suggests_its_profile(document: Document, expected: str) -> None:
    assert detect_profile(document) == expected
    assert profile_of(document, Spec()).name == expected


def test_settings_and_paths_decide_before_the_document() -> None:
    manual = _document(MANUAL, "a/manual.md")
    assert profile_of(manual, Spec(profile="news")).name == "news"
    assert (
        profile_of(manual, Spec(profile="news", profiles=(("*.md", "encyclopedia"),))).name == "encyclopedia"
    )
    assert profile_of(manual, Spec(profile="news", profiles=(("*.md", "auto"),))).name == "docs"
    with pytest.raises(UnknownName, match="Did you mean 'docs'"):
        profile("doc")


def test_profiles_are_sound() -> None:
    rules = rule_cards(Spec()).values()
    for name in profiles():
        entry = profile(name)
        assert 0 < entry.threshold < entry.warning < 1
        for selector in entry.ignore:
            assert any(selects(selector, rule.id, rule.kind, rule.dimension) for rule in rules), selector
        assert all(word == word.lower() for word in entry.ordinary)


@pytest.mark.parametrize(
    "text",
    [
        "Note that you should see the following output.",
        "It is very simple to use, really.",
        "The kernel panics, and `kill` ends the process.",
        "Bash aborts the script; the master process dies.",
        "You must quote the argument.",
        "The greedy search takes the likeliest token.",
    ],
)
def test_instructions_and_technical_senses_are_ordinary_in_documentation(text: str) -> None:
    spec = Spec(analyzers=("rules",), profile="docs", threshold=0.0)
    assert unslant.check(text, spec=spec).findings == ()


def test_boasts_are_reported_in_documentation_too() -> None:
    found = unslant.check(
        "A world-class, revolutionary parser.", spec=Spec(analyzers=("rules",), profile="docs")
    )
    assert found.findings


@pytest.mark.shared
def test_documentation_is_distinguished_from_news(shared_data: Path) -> None:
    passages = list(read_passages(corpora.load("editor", shared_data), "train"))
    told = [(passage.genre, detect_profile(_document(passage.text, passage.id))) for passage in passages]
    docs = [name for genre, name in told if genre == "documentation"]
    news = [name for genre, name in told if genre == "news"]
    assert docs.count("docs") > 0.75 * len(docs)
    assert news.count("news") > 0.995 * len(news)
