"""`unslant score`, and what `unslant check` says about a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant

from .conftest import Run

TABLE = "text\nThe senator slammed the plan.\nThe senator criticized the plan.\n"


def test_a_folder_of_tables_is_scored(run: Run, folder: Path) -> None:
    (folder / "data").mkdir()
    for name in ("a.csv", "b.csv"):
        (folder / "data" / name).write_text(TABLE)
    result = run("score", "data", "--tier", "rules", "-o", "scores.csv")
    assert (result.code, result.out) == (0, "scores.csv: 4 rows, 2 findings\n")
    assert len((folder / "scores.csv").read_text().splitlines()) == 5


def test_what_cannot_be_scored_is_one_sentence(run: Run, folder: Path) -> None:
    (folder / "a.csv").write_text(TABLE)
    for arguments in (("gone.csv",), ("a.csv", "--column", "body"), ("-",)):
        result = run("score", *arguments, "-o", "scores.csv")
        assert result.code == 2
        assert len(result.err.splitlines()) == 1


def test_check_does_not_read_a_table_as_prose(run: Run, folder: Path) -> None:
    (folder / "a.csv").write_text(TABLE)
    result = run("check", "--tier", "rules", "a.csv")
    assert result.code == 2
    assert "unslant score a.csv --column text" in result.err
    assert run("check", "--tier", "rules", "--input-format", "text", "a.csv").code == 1


def test_a_text_can_be_given_on_the_command_line(run: Run) -> None:
    result = run(
        "check", "--tier", "rules", "--output-format", "concise", "--text", "The senator slammed the plan."
    )
    assert (result.code, result.out.partition(" ")[0]) == (1, "<text>:1:13:")
    assert run("check", "--text", "a", "b.md").code == 2


def test_comments_of_source_files_are_read_on_request(run: Run, folder: Path) -> None:
    (folder / "a.py").write_text("x = 'legendary'  # The legendary value.\n")
    result = run("check", "--tier", "rules", "--code", "--output-format", "concise", ".")
    assert result.out.startswith("a.py:1:24: ")
    assert len(result.out.splitlines()) == 1


def test_a_folder_says_once_what_it_skipped(run: Run, folder: Path) -> None:
    for name in ("a.md", "b.png", "c.png", "d.css"):
        (folder / name).write_text("Fine.\n")
    result = run("check", "--tier", "rules", ".")
    assert result.err == (
        "unslant: 3 files have another suffix and were skipped (2 .png, 1 .css); name a file to check it\n"
    )
    assert run("check", "--tier", "rules", "--quiet", ".").err == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--html", "page.html", "--group", "outlt"), "did you mean 'outlet'?"),
        (("--html", "page.html", "--group", "nowhere"), "--group names one of: 'key', 'outlet', 'text'"),
        (("--group", "outlet"), "--group is for --html"),
        (("--html", "page.html", "--findings"), "leave out --findings"),
    ],
)
def test_what_a_page_cannot_show_is_said_before_scoring(
    run: Run, folder: Path, options: Sequence[str], said: str
) -> None:
    (folder / "a.csv").write_text("key,outlet,text\n1,x,The committee met.\n")
    result = run("score", "a.csv", "-o", "o.csv", *options)
    assert result.code == 2
    assert said in result.err
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv"]


def test_a_column_holds_each_text_as_fix_writes_it(run: Run, folder: Path) -> None:
    texts = [
        "Unfortunately, the plan to widen the road failed. The union slammed the owners of the plant near the river.",
        "Rates rose by 3 percent in May.",
        "",
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts) + "no\n")

    def rewritten(*options: str) -> list[str | None]:
        result = run("score", "a.jsonl", "--tier", "rules", "--fix", *options, "-o", "scores.jsonl")
        assert result.code == 0, result.err
        rows = [json.loads(line) for line in (folder / "scores.jsonl").read_text("utf-8").splitlines()]
        assert [row["findings"] for row in rows] == [2, 0, 0, None]
        assert rows[-1]["error"]
        return [row["rewritten"] for row in rows]

    spec = unslant.Spec(analyzers=("rules",))
    assert rewritten() == [*(unslant.fix(text, spec=spec).text for text in texts), None]
    assert (
        rewritten()[0]
        == "The plan to widen the road failed. The union slammed the owners of the plant near the river."
    )
    assert rewritten("--unsafe") == [
        *(unslant.fix(text, spec=spec, unsafe=True).text for text in texts),
        None,
    ]
    assert "criticized" in str(rewritten("--unsafe")[0])
    assert run("score", "a.jsonl", "--fix", "--findings", "-o", "b.csv").code == 2
    assert "--unsafe is for --fix" in run("score", "a.jsonl", "--unsafe", "-o", "b.csv").err
