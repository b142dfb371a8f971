"""Settings as plain data: selectors, digests, destinations, and the profile that a document gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unslant.core.errors import UnknownName
from unslant.core.types import Document, Severity
from unslant.profiles import detect_profile, path_matches, profile, profile_of, profiles
from unslant.registry import names, resolve
from unslant.spec import Spec, destination, selects


@pytest.mark.parametrize(
    ("selector", "rule", "kind", "dimension", "named"),
    [
        ("framing", "framing/fame", "framing", None, True),
        ("framing/fame", "framing/fame", "framing", None, True),
        ("framing/*", "framing/fame", "framing", None, True),
        ("framing/f*", "framing/fame", "framing", None, True),
        ("framing/fam?", "framing/fame", "framing", None, True),
        ("*/fame", "framing/fame", "framing", None, True),
        ("gender", "demographic/role", "demographic", "gender", True),
        ("demographic", "demographic/role", "demographic", "gender", True),
        ("model/*", "model/praise", "framing", None, True),
        ("fram*", "framing/fame", "framing", None, False),
        ("fame", "framing/fame", "framing", None, False),
        ("Framing", "framing/fame", "framing", None, False),
        ("gender", "framing/fame", "framing", None, False),
        ("framing/fame", "framing/fame-2", "framing", None, False),
        ("", "framing/fame", "framing", None, False),
    ],
)
def test_selectors(selector: str, rule: str, kind: str, dimension: str | None, named: bool) -> None:
    assert selects(selector, rule, kind, dimension) is named


CHANGES = [
    {"analyzers": ("rules",)},
    {"model": "folder"},
    {"quotations": True},
    {"select": ("framing",)},
    {"ignore": ("framing",)},
    {"per_file_ignores": (("*.md", ("framing",)),)},
    {"profile": "news"},
    {"profiles": (("*.md", "docs"),)},
    {"threshold": 0.7},
    {"min_severity": Severity.ERROR},
    {"severity": (("framing", Severity.ERROR),)},
    {"uncertain": (0.1, 0.9)},
    {"sentences": True},
    {"accept": ("legendary",)},
    {"flag": ("legendary",)},
    {"suggest": (("legendary", "known"),)},
    {"extends": (("a.toml", "version = 1"),)},
    {"rule_files": (("a.toml", "version = 1"),)},
    {"rewriter": "none"},
    {"budget": 0.5},
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_every_setting_changes_the_digest(change: dict[str, object]) -> None:
    base = Spec(analyzers=("rules", "model"))
    changed = replace(base, **change)  # type: ignore[arg-type]
    assert changed.digest() != base.digest()
    assert replace(base, **change).digest() == changed.digest()  # type: ignore[arg-type]


def test_digests_of_all_settings_differ_from_each_other() -> None:
    base = Spec(analyzers=("rules", "model"))
    digests = {replace(base, **change).digest() for change in CHANGES}  # type: ignore[arg-type]
    assert len(digests) == len(CHANGES)


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("rules", None),
        ("model", None),
        ("hf:folder", None),
        ("llm:http://localhost:8000/v1", "http://localhost:8000"),
        ("llm:https://api.example.org/v1?key=1", "https://api.example.org"),
        ("llm:https://user:secret@api.example.org/v1", "https://api.example.org"),
        ("https://api.example.org/v1", "https://api.example.org"),
        ("HTTPS://API.example.org/v1", "https://API.example.org"),
        ("llm:ftp://example.org", None),
        ("llm:model.gguf", None),
    ],
)
def test_where_text_is_sent(name: str, server: str | None) -> None:
    assert destination(name) == server


def test_a_password_is_never_shown() -> None:
    spec = Spec(analyzers=("rules", "llm:https://user:secret@api.example.org/v1"))
    assert spec.destinations() == ("https://api.example.org",)


def test_the_rewriter_counts_only_where_it_is_used() -> None:
    spec = Spec(analyzers=("rules",), rewriter="llm:https://api.example.org/v1")
    assert spec.destinations() == ()
    assert spec.destinations(rewriter=True) == ("https://api.example.org",)


@pytest.mark.parametrize(
    ("path", "glob", "match"),
    [
        ("docs/a.md", "*.md", True),
        ("docs/a.md", "a.md", True),
        ("docs/a.md", "docs/*", True),
        ("./docs/a.md", "docs/*", True),
        ("x/docs/a.md", "docs/*", True),
        ("docs\\a.md", "docs/*", True),
        ("docs/a.md", "*.txt", False),
        ("docs/a.md", "doc/*", False),
        ("docs/a.md", "A.md", False),
        ("docs/b/a.md", "docs/*", True),
        ("a.md", "?.md", True),
    ],
)
def test_globs_match_a_path_or_its_last_parts(path: str, glob: str, match: bool) -> None:
    assert path_matches(path, glob) is match


@pytest.mark.parametrize(
    ("text", "path", "format_name", "expected"),
    [
        ("The mayor spoke.", "news.txt", "text", "news"),
        ("The mayor spoke.", "README.md", "markdown", "docs"),
        ("The mayor spoke.", "CHANGELOG", "text", "docs"),
        ("The mayor spoke.", "docs/mayor.txt", "text", "docs"),
        ("The mayor spoke.", "Documentation/mayor.txt", "text", "docs"),
        ("The mayor spoke.", "a.wiki", "wikitext", "encyclopedia"),
        ("The mayor spoke.", "docs/a.wiki", "wikitext", "encyclopedia"),
        ("Run `make` and set `debug`.", "a.md", "markdown", "docs"),
        ("Call run() and stop() first.", "a.txt", "text", "docs"),
        ("The `mayor` spoke to the press on Monday.", "a.md", "markdown", "news"),
        ("", "<text>", "text", "news"),
    ],
)
def test_the_profile_of_a_document(text: str, path: str, format_name: str, expected: str) -> None:
    assert detect_profile(Document(text, text, path, format_name)) == expected


def test_the_last_glob_that_matches_decides() -> None:
    document = Document("Text.", "Text.", "docs/a.md", "markdown")
    spec = Spec(profiles=(("*.md", "news"), ("docs/*", "encyclopedia")))
    assert profile_of(document, spec).name == "encyclopedia"
    assert profile_of(document, Spec(profile="news")).name == "news"
    assert profile_of(document, Spec(profile="news", profiles=(("docs/*", "auto"),))).name == "docs"


@pytest.mark.parametrize("name", profiles())
def test_every_profile_is_described_and_ordered(name: str) -> None:
    chosen = profile(name)
    assert chosen.name == name
    assert chosen.title
    assert chosen.about.endswith(".")
    assert 0 < chosen.threshold <= chosen.warning < 1


def test_an_unknown_profile_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"no profile named 'nws'\. Did you mean 'news'"):
        profile("nws")


@pytest.mark.parametrize(
    ("kind", "name", "near"),
    [
        ("reader", "markdwn", "markdown"),
        ("analyzer", "rule", "rules"),
        ("rewriter", "non", "none"),
        ("segmenter", "nupunk", "nupunkt"),
    ],
)
def test_an_unknown_component_suggests_the_nearest(kind: str, name: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"Did you mean '{near}'"):
        resolve(kind, name)


@pytest.mark.parametrize(("kind", "name"), [("analyzer", "hf:"), ("rewriter", "mlm:"), ("analyzer", "llm:")])
def test_a_name_that_needs_an_argument_is_refused_without_one(kind: str, name: str) -> None:
    with pytest.raises(UnknownName):
        resolve(kind, name)


@pytest.mark.parametrize("kind", ["reader", "segmenter", "analyzer", "rewriter"])
def test_names_are_sorted_and_different(kind: str) -> None:
    assert list(names(kind)) == sorted(set(names(kind)))
