"""Only what is new: `--since` and `--baseline`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Run

SLANTED = "The senator slammed the plan.\n"
OTHER = "The mayor wrote a long letter to the council about it.\n"


def git(folder: Path, *arguments: str) -> None:
    identity = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | identity
    )


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    (folder / "a.md").write_text(SLANTED + "\n" + OTHER)
    (folder / "b.md").write_text("Some plain words.\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def texts(run: Run, *arguments: str) -> list[tuple[str, str]]:
    result = run("check", "--tier", "rules", "--output-format", "jsonl", *arguments)
    reports = [json.loads(line) for line in result.out.splitlines()]
    return [(report["document"]["id"], found["text"]) for report in reports for found in report["findings"]]


@pytest.mark.usefixtures("repository")
def test_nothing_is_new_in_an_unchanged_tree(run: Run) -> None:
    assert texts(run, ".") == [("a.md", "slammed")]
    assert texts(run, "--since", "HEAD", ".") == []


def test_moved_and_rewrapped_words_are_not_new(run: Run, repository: Path) -> None:
    (repository / "a.md").write_text(OTHER)
    (repository / "b.md").write_text("Some plain words.\n\nThe senator\nslammed the plan.\n")
    assert texts(run, ".") == [("b.md", "slammed")]
    assert texts(run, "--since", "HEAD", ".") == []


def test_a_new_word_in_an_old_sentence_is_the_only_news(run: Run, repository: Path) -> None:
    (repository / "a.md").write_text("Clearly, the senator slammed the plan.\n\n" + OTHER)
    (repository / "new.md").write_text("They slammed it.\n")
    assert texts(run, "--since", "HEAD", ".") == [("a.md", "Clearly"), ("new.md", "slammed")]


@pytest.mark.usefixtures("repository")
def test_an_unknown_revision_and_no_repository_are_reported(run: Run, tmp_path: Path) -> None:
    result = run("check", "--since", "no-such-branch", ".")
    assert result.code == 2
    assert "no-such-branch" in result.err
    os.chdir(tmp_path)
    result = run("check", "--since", "HEAD", ".")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1


def test_a_baseline_accepts_what_is_there_and_reports_what_comes(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(SLANTED)
    assert run("baseline", ".").code == 0
    accepted = run("check", "--baseline", "unslant-baseline.json", ".")
    assert accepted.code == 0
    assert "no slanted wording found" in accepted.out
    assert "accepted by the baseline." in accepted.out
    (folder / "a.md").write_text("\n\n" + OTHER + "\n" + SLANTED + "\nThey blasted the vote too.\n")
    assert texts(run, "--baseline", "unslant-baseline.json", ".") == [("a.md", "blasted")]


def test_what_no_longer_occurs_is_reported(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(SLANTED)
    run("baseline", "a.md", "--output", "accepted.json")
    (folder / "a.md").write_text(OTHER)
    result = run("check", "--baseline", "accepted.json", "a.md")
    assert result.code == 0
    assert "no longer occurs" in result.err


def test_a_broken_baseline_is_one_sentence(run: Run, folder: Path) -> None:
    (folder / "a.md").write_text(SLANTED)
    (folder / "b.json").write_text("{")
    for name in ("b.json", "missing.json"):
        result = run("check", "--baseline", name, "a.md")
        assert result.code == 2
        assert name in result.err
        assert len(result.err.splitlines()) == 1
