"""What git knows of a change, in real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.workspace.changes import Changes, changed_files


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def commit(message: str = "Change") -> None:
    git("add", "-A")
    git("commit", "-qm", message)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one commit, as the current folder, whatever the user's own settings."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {"NAME": "A", "EMAIL": "a@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    top = tmp_path.resolve() / "repository"
    top.mkdir()
    monkeypatch.chdir(top)
    git("init", "-q", "-b", "main")
    Path("kept.md").write_text("This stays.\n")
    Path("page.md").write_text("The dog ran home. The cat slept on a chair.\n")
    commit()
    return top


def fresh(changes: Changes) -> dict[str, list[str]]:
    """Return the new runs of words of every changed file that has any."""
    texts = {path: path.read_text() for path in changes.old}
    found = changes.find_introduced(texts)
    return {
        path.name: [texts[path][span.start : span.end] for span in result.spans]
        for path, result in found.items()
        if result.spans
    }


def test_nothing_changed(repository: Path) -> None:
    assert changed_files(repository, "HEAD") == Changes({}, ())


def test_only_what_changed_is_listed_with_its_old_text(repository: Path) -> None:
    Path("page.md").write_text("The legendary dog ran home. The cat slept on a chair.\n")
    changes = changed_files(repository, "HEAD")
    assert changes.old == {repository / "page.md": "The dog ran home. The cat slept on a chair.\n"}
    assert fresh(changes) == {"page.md": ["legendary"]}
    text = Path("page.md").read_text()
    found = changes.find_introduced({repository / "page.md": text})[repository / "page.md"]
    assert found.overlaps(Span(0, 17))
    assert not found.overlaps(Span(14, 20))


def test_staged_committed_and_unstaged_changes_count_alike(repository: Path) -> None:
    git("tag", "start")
    Path("page.md").write_text("One. The dog ran home. The cat slept on a chair.\n")
    commit()
    Path("page.md").write_text("One. Two. The dog ran home. The cat slept on a chair.\n")
    git("add", ".")
    Path("page.md").write_text("One. Two. Three. The dog ran home. The cat slept on a chair.\n")
    assert fresh(changed_files(repository, "start")) == {"page.md": ["One", "Two", "Three"]}
    assert fresh(changed_files(repository, "HEAD")) == {"page.md": ["Two", "Three"]}


def test_untracked_files_are_new_and_ignored_ones_are_not_listed(repository: Path) -> None:
    Path(".gitignore").write_text("*.tmp\n")
    commit()
    Path("draft.md").write_text("A draft.")
    Path("x.tmp").write_text("Ignored.")
    Path("in").mkdir()
    Path("in/odd \n'näme.md").write_text("Odd name.")
    assert changed_files(repository / "in", "HEAD").old == {
        repository / "draft.md": None,
        repository / "in" / "odd \n'näme.md": None,
    }


def test_a_renamed_file_is_compared_with_its_old_self(repository: Path) -> None:
    git("mv", "page.md", "renamed.md")
    Path("renamed.md").write_text("The dog ran home. The cat slept on a big chair.\n")
    changes = changed_files(repository, "HEAD")
    assert list(changes.old) == [repository / "renamed.md"]
    assert fresh(changes) == {"renamed.md": ["big"]}


def test_a_file_renamed_behind_gits_back_too(repository: Path) -> None:
    Path("page.md").rename("renamed.md")
    assert fresh(changed_files(repository, "HEAD")) == {}


def test_a_paragraph_moved_between_files_is_not_new_a_copied_one_is(repository: Path) -> None:
    Path("page.md").write_text("The dog ran home.\n")
    Path("kept.md").write_text("This stays.\n\nThe cat slept\non a chair.\n")
    assert fresh(changed_files(repository, "HEAD")) == {}
    Path("page.md").write_text("The dog ran home. The cat slept on a chair. Sure.\n")
    assert fresh(changed_files(repository, "HEAD")) == {
        "page.md": ["Sure"],
        "kept.md": ["The cat slept\non a chair"],
    }


def test_deleted_files_links_and_binary_files_do_no_harm(repository: Path) -> None:
    Path("image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    Path("link.md").symlink_to("kept.md")
    commit()
    Path("page.md").unlink()
    Path("image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    Path("link.md").unlink()
    Path("link.md").write_text("Now a file.")
    Path("kept.md").unlink()
    Path("kept.md").symlink_to("link.md")
    changes = changed_files(repository, "HEAD", lambda name: name.endswith(".md"))
    assert changes.old == {repository / "link.md": None}
    assert sorted(changes.gone) == ["The dog ran home. The cat slept on a chair.\n", "This stays.\n"]


def test_only_wanted_files_are_listed(repository: Path) -> None:
    Path("code.py").write_text("x = 1\n")
    Path("page.md").write_text("Other.\n")
    Path("new.md").write_text("New.\n")
    changes = changed_files(repository, "HEAD", lambda name: name.endswith(".md"))
    assert sorted(path.name for path in changes.old) == ["new.md", "page.md"]


def test_line_ends_that_git_rewrites_are_not_new(repository: Path) -> None:
    Path("page.md").write_bytes(b"The dog ran home.\r\nThe cat slept on a chair.\r\n")
    assert fresh(changed_files(repository, "HEAD")) == {}


@pytest.mark.parametrize(
    ("revision", "advice"),
    [
        ("mian", "did you mean 'main'?"),
        ("zzz", "check the spelling"),
        ("main...HEAD", r"one revision, not a range, .*git merge-base main HEAD"),
        ("--output=x", "no git revision '--output=x'"),
        ("", "no git revision ''"),
        ("bad\nname", r"no git revision 'bad\\nname'"),
    ],
)
def test_an_unknown_revision_is_named(repository: Path, revision: str, advice: str) -> None:
    with pytest.raises(ConfigError, match=advice):
        changed_files(repository, revision)
    assert sorted(path.name for path in repository.iterdir()) == [".git", "kept.md", "page.md"]


@pytest.mark.usefixtures("repository")
def test_a_repository_without_commits(tmp_path: Path) -> None:
    git("init", "-q", str(tmp_path / "fresh"))
    with pytest.raises(ConfigError, match="no git revision"):
        changed_files(tmp_path / "fresh", "HEAD")


def test_a_shallow_clone_says_how_to_fetch_the_rest(repository: Path, tmp_path: Path) -> None:
    first = git("rev-parse", "HEAD").strip()
    Path("page.md").write_text("Other.\n")
    commit()
    git("clone", "-q", "--depth=1", f"file://{repository}", str(tmp_path / "shallow"))
    with pytest.raises(ConfigError, match=r"shallow.*git fetch --unshallow"):
        changed_files(tmp_path / "shallow", first)


def test_outside_a_repository_and_without_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.raises(ConfigError, match="is not in one"):
        changed_files(outside, "HEAD")
    with pytest.raises(ConfigError, match="is not in one"):
        changed_files(tmp_path / "missing", "HEAD")
    monkeypatch.setenv("PATH", str(outside))
    with pytest.raises(ConfigError, match="requires git"):
        changed_files(repository, "HEAD")
