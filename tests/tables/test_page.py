"""The page about a scored table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from unslant.cli.main import main
from unslant.tables import run as run_module

ROWS = [
    {"key": 1, "outlet": "Left <Post>", "text": "The legendary singer slammed the <b>plan</b>."},
    {"key": 2, "outlet": "Left <Post>", "text": "The committee met on Monday."},
    {"key": 3, "outlet": "Right Post", "text": "The legendary mayor crushed the plan, obviously."},
    {"key": 4, "outlet": None, "text": "The library has two floors."},
    {
        "key": 5,
        "outlet": "Right Post",
        "text": "Der Bürgermeister sprach am Montag mit den Bürgern der Stadt.",
    },
    {"key": 6, "outlet": "Right Post", "text": None},
]


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def score(*args: str | Path) -> Result:
    return CliRunner().invoke(main, ["score", "--tier", "rules", *map(str, args)])


def test_the_page_counts_groups_rules_and_what_was_not_judged(tmp_path: Path) -> None:
    path, page = write(tmp_path / "a.jsonl", ROWS), tmp_path / "page.html"
    result = score(path, "--id", "key", "-o", tmp_path / "o.csv", "--html", page, "--group", "outlet")
    assert result.exit_code == 0, result.output
    assert f"report: {page}" in result.output
    text = page.read_text()
    assert "Scores of 4 texts" in text
    assert "50.0 % have at least one finding" in text
    assert "1: the language is German" in text
    assert "1: the text is missing" in text
    row = '<th scope="row">Left &lt;Post&gt;</th><td>2</td><td>50.0 %</td><td>9.5 to 90.5 %</td>'
    assert row in text
    assert '<th scope="row">(none)</th><td>1</td><td>0.0 %</td>' in text
    assert "<code>framing/praise-adjective</code></th><td></td><td>2</td><td>2</td><td>50.0 %</td>" in text
    assert 'title="framing/attack-verb">slammed</mark> the &lt;b&gt;plan&lt;/b&gt;.' in text
    assert "row 1 · id 1 · outlet: Left &lt;Post&gt;" in text
    assert "<script" not in text
    assert "<b>" not in text


def test_the_page_is_the_same_however_the_table_is_cut_and_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.jsonl", ROWS * 4)
    assert score(path, "-o", tmp_path / "o.csv", "--html", tmp_path / "one.html").exit_code == 0
    monkeypatch.setattr(run_module, "_PART_ROWS", 2)
    assert score(path, "-o", tmp_path / "o.csv", "--html", tmp_path / "two.html").exit_code == 0
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_several_files_are_compared_without_being_asked(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.jsonl", ROWS[:2]), write(tmp_path / "b.jsonl", ROWS[2:4])
    assert score(first, second, "-o", tmp_path / "o.csv", "--html", tmp_path / "page.html").exit_code == 0
    text = (tmp_path / "page.html").read_text()
    assert "<h2>By file</h2>" in text
    assert f'<th scope="row">{second}</th><td>2</td>' in text


def test_a_table_without_texts_gives_a_page_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\n")
    assert score(path, "-o", tmp_path / "o.csv", "--html", tmp_path / "page.html").exit_code == 0
    assert "No text could be scored." in (tmp_path / "page.html").read_text()
