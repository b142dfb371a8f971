"""Which tables a command line names: folders, globs, packed files and datasets of Hugging Face."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unslant.core.errors import SourceError
from unslant.tables.sources import find_tables

OUTPUT = Path("scores.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def touch(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("text\n")


def found(*arguments: str) -> list[str]:
    return [path.as_posix() for path in find_tables(arguments, OUTPUT)]


def test_a_folder_stands_for_the_tables_in_it_packed_or_not() -> None:
    touch("data/a.csv", "data/b.jsonl.gz", "data/notes.txt", "data/logs.txt.gz", "data/deep/c.parquet")
    assert found("data") == ["data/a.csv", "data/b.jsonl.gz", "data/deep/c.parquet"]
    assert found("data/*.csv") == ["data/a.csv"]


def test_data_that_git_ignores_are_scored() -> None:
    Path(".git").mkdir()
    Path(".gitignore").write_text("data/\n")
    touch("data/a.csv")
    assert found("data") == ["data/a.csv"]


def test_what_an_earlier_run_wrote_is_no_input() -> None:
    touch("a.csv", "scores.csv", "scores.csv.parts/part-000000.jsonl")
    assert found(".") == ["a.csv"]
    assert found("scores.csv") == ["scores.csv"]  # it was named


def test_a_dataset_on_disk_has_the_files_that_its_state_lists() -> None:
    """``datasets`` keeps the results of ``map`` and ``filter`` beside the data, under the same suffix."""
    for part in ("train", "test"):
        touch(f"set/{part}/data-00000-of-00001.arrow", f"set/{part}/cache-1f2e.arrow")
        files = [{"filename": "data-00000-of-00001.arrow"}]
        Path(f"set/{part}/state.json").write_text(json.dumps({"_data_files": files, "_split": part}))
    assert found("set") == ["set/test/data-00000-of-00001.arrow", "set/train/data-00000-of-00001.arrow"]


def test_a_state_of_another_tool_hides_nothing() -> None:
    touch("set/a.arrow")
    Path("set/state.json").write_text('{"step": 3}')
    assert found("set") == ["set/a.arrow"]


def test_a_folder_without_tables_is_one_sentence() -> None:
    touch("data/notes.txt", "data/logs.gz")
    with pytest.raises(SourceError, match=r"no table|nothing to check"):
        found("data")
