"""The guides for the first ten minutes: every command of a page runs, from top to bottom."""

from __future__ import annotations

import csv
import doctest
import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run, folder, run
from tests.workspace.test_files import WORD, archive

__all__ = ["folder", "run"]

GUIDES = sorted(
    page for page in (Path(__file__).parents[1] / "docs" / "guides").glob("*.md") if page.stem != "README"
)
SLANTED = "The legendary senator slammed the plan. His wife, a mailman, admitted that it failed.\n"
CALL = re.compile(r"(?:echo (?P<stdin>'[^']*') \| )?unslant (?P<words>.+)")


@pytest.fixture
def files(folder: Path) -> Path:
    """The files that the guides speak of, in a git repository."""
    texts = {
        "article.md": SLANTED,
        "draft.md": SLANTED + "\nThe iconic hall stood empty.\n",
        "docs/guide.md": SLANTED,
        "docs/install.rst": "Install\n=======\n\nThe legendary tool::\n\n    legendary --help\n",
        "docs/tool.py": '"""The legendary tool."""\n',
        "release.md": 'Acme announced an industry-leading platform. "It is legendary," said Ann Lee.\n',
        "speech.txt": "Friends, I want to speak about the schools. Our opponents are shameless cowards.\n",
        "old.wiki": "The '''band''' split up in 1971.<ref>legendary</ref>\n",
        "new.wiki": "The legendary '''band''' split up in 1971.<ref>legendary</ref>\n",
        "in.txt": "The [[hall]] is {{legendary}} and iconic.\n",
        "comments.csv": f'key,body\n1,"{SLANTED.strip()}"\n2,It rained.\n',
        "data/a.jsonl": json.dumps({"text": SLANTED}) + "\n",
        "data/b.csv": "text\nIt rained.\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    archive(folder / "letter.docx", "word/document.xml", WORD)
    identity = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=folder, check=True, env=os.environ | identity)
    return folder


def commands(page: Path) -> list[tuple[list[str], str]]:
    """Return words and standard input of every command; a line of another form would be left out unseen."""
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            call = CALL.fullmatch(line)
            assert call, f"{page.name}: {line}"
            stdin = shlex.split(call["stdin"])[0] if call["stdin"] else ""
            found.append((shlex.split(call["words"]), stdin))
    return found


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_command_of_a_guide_runs(run: Run, page: Path) -> None:
    assert len(commands(page)) >= 3
    for words, stdin in commands(page):
        result = run(*words, stdin=stdin.encode())
        assert result.code in (0, 1), f"{' '.join(words)}: {result.err}"
        for option in ("--output", "-o"):
            if option in words:
                assert Path(words[words.index(option) + 1]).stat().st_size > 0
                break
        else:
            assert result.out, " ".join(words)


def test_a_guide_makes_the_token_that_its_server_reads() -> None:
    for page in GUIDES:
        text = page.read_text("utf-8")
        for name in re.findall(r"--token-file (\S+)", text):
            made = text.find(f"> {name}\n")
            assert 0 <= made < text.find(f"--token-file {name}"), page.name


def test_the_python_of_the_guides_runs() -> None:
    for page in GUIDES:
        results = doctest.testfile(
            str(page), module_relative=False, optionflags=doctest.IGNORE_EXCEPTION_DETAIL
        )
        assert results.failed == 0, page.name


def test_the_guides_tell_the_truth(run: Run, files: Path) -> None:
    """What the pages promise about the results: paragraphs, templates, what is new, what is accepted, rows."""
    rules = ("--tier", "rules", "--output-format", "concise")
    assert run("check", *rules, "letter.docx").out.startswith("letter.docx:2:5: ")
    assert "1 file checked" in run("fix", "letter.docx").out
    assert run("check", *rules, "new.wiki").out.count("\n") == 1
    edit = run("compare", "--tier", "rules", "old.wiki", "new.wiki")
    assert (edit.code, edit.out.count("+")) == (1, 1)
    assert "docs/install.rst:4:5" in run("check", *rules, "docs").out
    assert "docs/tool.py:1:8" in run("check", *rules, "--code", "docs").out
    run("baseline", "docs")
    accepted = run("check", "--baseline", "unslant-baseline.json", "docs")
    assert (accepted.code, "accepted" in accepted.out) == (0, True)
    run("score", "comments.csv", "--column", "body", "--id", "key", "--tier", "rules", "-o", "scores.csv")
    with (files / "scores.csv").open(newline="") as stream:
        assert [(row["id"], row["findings"] != "0") for row in csv.DictReader(stream)] == [
            ("1", True),
            ("2", False),
        ]
