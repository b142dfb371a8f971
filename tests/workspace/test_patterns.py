"""Patterns of ignore files mean what git says, and none takes long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from tests.growth import assert_linear
from unslant.workspace.walk import add_ignore_file, commit_early, ignores_from_patterns

PIECES = ["a", "b", "*", "**/", "/**/", "/", "?", "[ab]", "\\*", "**", "a/", "b/"]
NAMES = st.text("ab*", min_size=1, max_size=4)


@example("*a*b*", "aba", "")
@example("a/**/b/**/c", "a/b/c/b/c", "")
@settings(max_examples=600)
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join),
    st.lists(NAMES, min_size=1, max_size=6).map("/".join),
    st.sampled_from(["", "/"]),
)
def test_committing_early_changes_no_match(line: str, path: str, end: str) -> None:
    try:
        patterns = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:
        return
    for pattern in patterns:
        if pattern.include is not None:
            before = pattern.regex.match(path + end)
            after = re.match(commit_early(pattern.regex.pattern), path + end)
            assert (before and before.span()) == (after and after.span())


# with four wildcards, trying every division takes seconds; with sixty, it would never end
HOSTILE = [piece * 4 + "b" for piece in ("*a", "[a]*", "?*", "a/**/", "**/a*/")]


@pytest.mark.parametrize("line", HOSTILE)
def test_no_pattern_takes_longer_than_the_name(line: str, tmp_path: Path) -> None:
    rules = ignores_from_patterns([line], "/top")
    assert rules is not None

    def look(size: int) -> None:
        assert not rules.ignores("/top/" + "a" * size, is_folder=False)
        assert not rules.ignores("/top/" + "a/" * size + "c", is_folder=False)

    assert_linear(look, int, 30)
    file = tmp_path / ".gitignore"
    file.write_text(line)
    assert add_ignore_file(None, str(file), str(tmp_path)) is not None


def test_many_wildcards_still_match() -> None:
    rules = ignores_from_patterns(["*-*-*-*.log", "a/**/b/**/c*d*e/f"], "/top")
    assert rules is not None
    ignored = ["x/2026-11-17-a.log", "1-2-3-4-5.log", "a/b/cde/f", "a/x/b/b/y/c1d2e/f"]
    assert [name for name in ignored if not rules.ignores(f"/top/{name}", is_folder=False)] == []
    kept = ["x/2026-11-17.log", "a/cde/b/f", "a/b/cde/g", "b/cde/f"]
    assert [name for name in kept if rules.ignores(f"/top/{name}", is_folder=False)] == []
