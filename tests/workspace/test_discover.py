"""What the arguments mean, on real folders, links and repositories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unslant.core.errors import ConfigError
from unslant.workspace.discover import Failure, Found, discover

SUFFIXES = {".md": "markdown", ".txt": "text", ".html": "html"}


class Plant(Protocol):
    def __call__(self, *names: str) -> None: ...


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Return what writes files, by their names, into a fresh current folder."""
    monkeypatch.chdir(tmp_path)

    def write(*names: str) -> None:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("text")

    return write


def shown(*arguments: str, exclude: Iterable[str] = (), root: Path | None = None) -> list[str]:
    """Return how the files found are displayed; there must be no failure."""
    results = list(discover(arguments, SUFFIXES, list(exclude), root))
    assert not [result for result in results if isinstance(result, Failure)]
    return [result.display for result in results if isinstance(result, Found)]


def messages(*arguments: str) -> list[str]:
    return [result.message for result in discover(arguments, SUFFIXES) if isinstance(result, Failure)]


def test_a_file_is_taken_whatever_its_suffix(plant: Plant) -> None:
    plant("notes.rst", ".hidden")
    assert list(discover(["notes.rst", ".hidden"], SUFFIXES)) == [
        Found(Path("notes.rst"), "notes.rst", explicit=True, within=Path()),
        Found(Path(".hidden"), ".hidden", explicit=True, within=Path()),
    ]


def test_a_directory_is_searched_for_known_suffixes_in_the_order_of_names(plant: Plant) -> None:
    plant("docs/b.md", "docs/a/z.txt", "docs/A.HTML", "docs/code.py", "docs/c")
    assert shown("docs") == ["docs/A.HTML", "docs/a/z.txt", "docs/b.md"]
    assert list(discover(["docs/a"], SUFFIXES)) == [
        Found(Path("docs/a/z.txt"), "docs/a/z.txt", explicit=False, within=Path("docs/a"))
    ]


def test_the_current_folder_is_not_spelled_out(plant: Plant, tmp_path: Path) -> None:
    plant("a.md", "sub/b.md")
    assert shown(".") == shown("./") == ["a.md", "sub/b.md"]
    assert shown(str(tmp_path)) == [f"{tmp_path}/a.md", f"{tmp_path}/sub/b.md"]


def test_arguments_keep_their_order_and_each_file_comes_once(plant: Plant, tmp_path: Path) -> None:
    plant("b/x.md", "a/y.md")
    Path("link.md").symlink_to("a/y.md")
    assert shown("b", "a", "./b/x.md", "b/../a/y.md", str(tmp_path / "b"), "link.md", "b/*.md") == [
        "b/x.md",
        "a/y.md",
    ]


def test_standard_input_comes_once(plant: Plant) -> None:
    plant("a.md", "-")
    assert list(discover(["-", "a.md", "-"], SUFFIXES)) == [
        Found(None, "<stdin>", explicit=True, within=None),
        Found(Path("a.md"), "a.md", explicit=True, within=Path()),
    ]
    assert shown("./-") == ["-"]


def test_bad_arguments_do_not_stop_the_others(plant: Plant) -> None:
    plant("guide.md", "other.md")
    results = list(discover(["giude.md", "nowhere", "*.mdd", "other.md"], SUFFIXES))
    assert [getattr(result, "message", None) for result in results] == [
        "'giude.md' does not exist; did you mean 'guide.md'?",
        "'nowhere' does not exist; check the spelling",
        "no file matches '*.mdd'; check the spelling",
        None,
    ]


def test_a_search_that_finds_nothing_is_not_taken_for_a_clean_one(plant: Plant) -> None:
    plant("src/code.py")
    Path("empty").mkdir()
    assert messages("src", "empty", "gone/**/*.md") == [
        "nothing to check in 'src': no file has a known suffix, or all are ignored; "
        "name a file to check it whatever its suffix",
        "nothing to check in 'empty': no file has a known suffix, or all are ignored; "
        "name a file to check it whatever its suffix",
        "no file matches 'gone/**/*.md'; check the spelling",
    ]


def test_files_come_lazily(plant: Plant) -> None:
    plant("a/1.md", "b/2.md")
    results = discover(["a", "b"], SUFFIXES)
    next(results)
    plant("b/1.md")
    assert [result.display for result in results if isinstance(result, Found)] == ["b/1.md", "b/2.md"]


def test_hidden_files_and_folders_are_left_out_unless_named(plant: Plant) -> None:
    plant("a.md", ".b.md", ".github/c.md", "d/.e/f.md")
    assert shown(".") == ["a.md"]
    assert shown(".github") == [".github/c.md"]
    assert shown("d/.e") == ["d/.e/f.md"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.md", ["docs/a.md"]),
        ("docs/**/*.md", ["docs/a.md", "docs/in/b.md", "docs/in/deep/c.md"]),
        ("**/b.*", ["docs/in/b.md", "docs/in/b.rst"]),
        ("docs/**/deep/**", ["docs/in/deep/c.md"]),
        ("docs/*", ["docs/a.md", "docs/in/b.md", "docs/in/deep/c.md"]),
        ("docs/?[nx]/[!c].md", ["docs/in/b.md"]),
        ("docs/.[g-i]*/*.md", ["docs/.hid/h.md"]),
        ("d*s/in/*.rst", ["docs/in/b.rst"]),
    ],
)
def test_globs(plant: Plant, pattern: str, expected: list[str]) -> None:
    plant("docs/a.md", "docs/in/b.md", "docs/in/b.rst", "docs/in/deep/c.md", "docs/.hid/h.md", "docs/x.py")
    assert shown(pattern) == expected


def test_a_name_with_a_wildcard_in_it_is_a_name_if_there_is_such_a_file(plant: Plant) -> None:
    plant("a[1].md", "a1.md")
    assert shown("a[1].md") == ["a[1].md"]


def test_an_absolute_glob(plant: Plant, tmp_path: Path) -> None:
    plant("a.md")
    assert shown(f"{tmp_path}/*.md") == [f"{tmp_path}/a.md"]


def test_excluded_files_are_left_out_of_searches_but_not_when_named(plant: Plant, tmp_path: Path) -> None:
    plant("a.md", "vendor/b.md", "docs/vendor/c.md", "docs/d.md")
    assert shown(".", exclude=["vendor/"]) == ["a.md", "docs/d.md"]
    assert shown(".", "docs/vendor/c.md", exclude=["/vendor", "docs/*", "!docs/d.md"]) == [
        "a.md",
        "docs/d.md",
        "docs/vendor/c.md",
    ]
    assert shown("**/*.md", exclude=["a.md", "docs"]) == ["vendor/b.md"]
    os.chdir("docs")
    assert shown(".", exclude=["/docs/d.md"], root=tmp_path) == ["vendor/c.md"]


def test_a_bad_pattern_to_exclude_is_named(plant: Plant) -> None:
    plant("a.md")
    with pytest.raises(ConfigError, match=r"exclude: '!' is not a valid"):
        shown(".", exclude=["*.txt", "!"])


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def test_gitignore_files_of_the_parents_up_to_the_repository_and_of_folders_below(plant: Plant) -> None:
    plant(
        "repo/docs/a.md",
        "repo/docs/draft.md",
        "repo/docs/in/b.md",
        "repo/docs/in/keep.txt",
        "repo/docs/in/c.txt",
    )
    Path(".gitignore").write_text("*.md\n")
    git("init", "-q", "repo")
    Path("repo/.gitignore").write_text("draft.md\n*.txt\n")
    Path("repo/docs/in/.gitignore").write_text("!keep.txt\n!\n/b.md\n")
    assert shown("repo/docs") == ["repo/docs/a.md", "repo/docs/in/keep.txt"]
    assert shown("repo/docs/in") == ["repo/docs/in/keep.txt"]
    assert shown("repo/**/*.md") == ["repo/docs/a.md"]
    assert shown("repo/docs/draft.md") == ["repo/docs/draft.md"]


def test_a_named_folder_counts_even_if_it_is_ignored(plant: Plant) -> None:
    plant("build/a.md", "build/b.md", "build/in/c.md")
    git("init", "-q")
    Path(".gitignore").write_text("build/\n")
    Path("build/.gitignore").write_text("b.md\n")
    assert shown("build") == ["build/a.md", "build/in/c.md"]
    assert shown("build/in") == ["build/in/c.md"]
    assert len(messages(".")) == 1


def test_info_exclude_counts_also_in_a_linked_work_tree(
    plant: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant("main/a.md", "main/b.md")
    for name, value in {"NAME": "A", "EMAIL": "a@example.org"}.items():
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    git("init", "-q", "main")
    git("-C", "main", "add", ".")
    git("-C", "main", "commit", "-qm", "Begin")
    git("-C", "main", "worktree", "add", "-q", str(tmp_path / "linked"))
    Path("main/.git/info/exclude").write_text("b.md\n")
    assert shown("main", "linked") == ["main/a.md", "linked/a.md"]


def test_a_folder_linked_into_itself_is_noticed_and_the_rest_is_found(plant: Plant) -> None:
    plant("docs/a.md", "docs/in/b.md")
    Path("docs/in/up").symlink_to("..")
    Path("docs/in/self").symlink_to("self")
    results = list(discover(["docs"], SUFFIXES))
    assert [result.display for result in results if isinstance(result, Found)] == [
        "docs/a.md",
        "docs/in/b.md",
    ]
    assert messages("docs") == [
        "'docs/in/self' is a link that leads back to itself; remove it or point it at a file",
        "'docs/in/up' is a link to a folder that contains it; remove or exclude it",
    ]
    assert shown("docs", exclude=["up", "self"]) == ["docs/a.md", "docs/in/b.md"]


def test_links_that_lead_out_and_back_do_not_hang(plant: Plant) -> None:
    plant("docs/a.md", "out/b.md", "out/c/d.md")
    Path("docs/out").symlink_to("../out")
    Path("docs/out2").symlink_to("../out")
    Path("out/back").symlink_to("../docs")
    Path("out/c/side").symlink_to("..")
    results = list(discover(["docs"], SUFFIXES))
    assert [result.display for result in results if isinstance(result, Found)] == [
        "docs/a.md",
        "docs/out/b.md",
        "docs/out/c/d.md",
    ]
    assert [result.path for result in results if isinstance(result, Failure)] == [
        Path("docs/out/back"),
        Path("docs/out/c/side"),
    ]


def test_many_links_between_folders_take_no_exponential_time(plant: Plant) -> None:
    for index in range(40):
        plant(f"pool/{index}/page.md")
        for other in ("x", "y"):
            Path(f"pool/{index}/{other}").symlink_to(f"../{(index + 1) % 40}")
    Path("docs").mkdir()
    Path("docs/first").symlink_to("../pool/0")
    found = [result for result in discover(["docs", "pool"], SUFFIXES) if isinstance(result, Found)]
    assert len(found) == 40


def test_a_link_to_nothing_is_reported_if_it_would_be_checked(plant: Plant) -> None:
    plant("docs/a.md")
    Path("docs/lost.md").symlink_to("nothing.md")
    Path("docs/lost.py").symlink_to("nothing.py")
    assert messages("docs") == ["'docs/lost.md' is a broken link; remove or fix it"]


def test_a_folder_that_cannot_be_opened_is_reported(plant: Plant) -> None:
    plant("docs/a.md")
    name = "n" * 250
    Path("docs/z").mkdir()
    home = os.open("docs/z", os.O_RDONLY)
    # Made step by step, as the whole path is longer than the system takes in one piece.
    for _ in range(20):
        os.mkdir(name, dir_fd=home)
        inner = os.open(name, os.O_RDONLY, dir_fd=home)
        os.close(home)
        home = inner
    os.close(home)
    found, *failures = discover(["docs"], SUFFIXES)
    assert isinstance(found, Found)
    assert [str(failure.path)[:10] for failure in failures] == ["docs/z/nnn"]
    assert all(isinstance(failure, Failure) and "too long a name" in failure.message for failure in failures)


def test_every_folder_can_be_included_again(plant: Plant) -> None:
    plant("a/b/c.md", "d.md")
    git("init", "-q", ".")
    Path(".gitignore").write_text("?/\n!**/\n")
    assert shown(".") == ["a/b/c.md", "d.md"]
    Path(".gitignore").write_text("**/\n")
    assert shown(".") == ["d.md"]


NAMES = st.sampled_from(["a", "b", "c.md", "d.md", "e.txt"])
PARTS = st.sampled_from(["a", "b", "*", "**", "c.md", "*.md", "[ab]", "?", "e.*"])
PATTERNS = st.builds(
    lambda negated, rooted, parts, folder: negated + rooted + "/".join(parts) + folder,
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/"]),
)


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(
    files=st.sets(st.lists(NAMES, min_size=1, max_size=3).map(tuple), max_size=8),
    rules=st.dictionaries(st.sampled_from(["", "a", "a/b"]), st.lists(PATTERNS, max_size=4), max_size=3),
)
def test_what_git_ignores_is_ignored(
    tmp_path_factory: pytest.TempPathFactory, files: set[tuple[str, ...]], rules: dict[str, list[str]]
) -> None:
    top = tmp_path_factory.mktemp("repository")
    git("init", "-q", str(top))
    for parts in files:
        path = top.joinpath(*("a" if part.find(".") > 0 else part for part in parts[:-1]), parts[-1] + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")
    for folder, lines in rules.items():
        if (top / folder).is_dir():
            (top / folder / ".gitignore").write_text("\n".join(lines) + "\n")
    listed = git("-C", str(top), "ls-files", "-z", "--others", "--exclude-standard").split("\0")
    found = [result for result in discover([str(top)], SUFFIXES) if isinstance(result, Found)]
    assert {result.display.removeprefix(f"{top}/") for result in found} == {
        name for name in listed if name.endswith(".md")
    }
