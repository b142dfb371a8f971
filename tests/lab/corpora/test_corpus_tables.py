from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.lab.corpora.corpus_files import write_csv, write_jsonl, write_parquet, write_xlsx
from unslant.lab.corpora.tables import (
    DataProblem,
    TableRow,
    read_csv,
    read_jsonl,
    read_parquet,
    read_rows,
    read_xlsx,
)


def test_every_format_gives_the_same_rows(tmp_path: Path) -> None:
    rows = [{"text": "one, two", "n": "1"}, {"text": "naïve “quote”", "n": "2"}]
    paths = [
        write_csv(tmp_path / "a.csv", rows),
        write_csv(tmp_path / "a.tsv", rows, "\t"),
        write_csv(tmp_path / "a.csv.gz", rows),
        write_jsonl(tmp_path / "a.jsonl", rows),
        write_jsonl(tmp_path / "a.jsonl.gz", rows),
        write_parquet(tmp_path / "a.parquet", rows),
        write_xlsx(tmp_path / "a.xlsx", rows),
    ]
    for path in paths:
        assert [row.values for row in read_rows(path, ("text",)) if isinstance(row, TableRow)] == rows, (
            path.name
        )


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.xlsx"])
def test_wrong_columns_are_named_with_what_is_there(tmp_path: Path, name: str) -> None:
    write = {".csv": write_csv, ".parquet": write_parquet, ".xlsx": write_xlsx}[Path(name).suffix]
    path = write(tmp_path / name, [{"sentence": "a", "label": "1"}])
    (problem,) = list(read_rows(path, ("text", "label")))
    assert isinstance(problem, DataProblem)
    assert problem.fatal
    assert str(problem) == f"{name}, row 1: wrong columns (no text; it has sentence, label)"


def test_mixed_encodings_are_named_by_row_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_bytes(b"text\n" + "café\n".encode() + "café\n".encode("latin-1") + b"tea\n")
    found = list(read_csv(path, ("text",)))
    assert [row.values["text"] for row in found if isinstance(row, TableRow)] == ["café", "tea"]
    assert [(row.row, row.reason) for row in found if isinstance(row, DataProblem)] == [
        (3, "mixed encodings")
    ]


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": \n[1]\n{"other": 1}\n\n{"text": "\xe9"}\n{"text": "b"}\n')
    found = list(read_jsonl(path, ("text",)))
    assert [row.values["text"] for row in found if isinstance(row, TableRow)] == ["a", "b"]
    problems = [(row.row, row.reason) for row in found if isinstance(row, DataProblem)]
    assert problems == [
        (2, "not JSON"),
        (3, "not a JSON object"),
        (4, "wrong columns"),
        (6, "mixed encodings"),
    ]


def test_a_row_with_too_many_cells_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\na,1\nb,c,0\n")
    assert [str(row) for row in read_csv(path) if isinstance(row, DataProblem)] == [
        "a.csv, row 3: wrong number of cells (3 cells under 2 columns)"
    ]


def test_truncated_archives_are_named(tmp_path: Path) -> None:
    whole = write_jsonl(tmp_path / "a.jsonl.gz", [{"text": f"row {i}"} for i in range(5000)]).read_bytes()
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    *_, last = read_jsonl(tmp_path / "a.jsonl.gz")
    assert isinstance(last, DataProblem)
    assert (last.reason, last.fatal) == ("truncated archive", True)
    for name, write, reader in (
        ("a.parquet", write_parquet, read_parquet),
        ("a.xlsx", write_xlsx, read_xlsx),
    ):
        path = write(tmp_path / name, [{"text": "a"}])
        path.write_bytes(path.read_bytes()[:-40])
        (problem,) = list(reader(path))
        assert isinstance(problem, DataProblem)
        assert problem.reason.startswith("not a whole")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b"x")[:3] + b"garbage")
    *_, last = read_jsonl(tmp_path / "b.jsonl.gz")
    assert isinstance(last, DataProblem)
    assert last.fatal


def test_an_unknown_format_says_which_are_known(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_text("x")
    (problem,) = list(read_rows(tmp_path / "a.doc"))
    assert isinstance(problem, DataProblem)
    assert "jsonl" in problem.detail
