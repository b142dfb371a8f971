"""Scoring tables: every row is accounted for, in every format, however often the run is stopped."""

from __future__ import annotations

import csv
import gc
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import ConfigError, SourceError
from unslant.neural.decoder import Prediction
from unslant.spec import Spec
from unslant.tables import run as run_module
from unslant.tables.run import ScoreJob, ScoreSummary, score_tables
from unslant.tables.scoring import ScoreRows, ScoreSpec, columns
from unslant.tables.sources import Row, TableColumns, read_rows

RULES = Spec(analyzers=("rules",))
TEXTS = ["The legendary singer slammed the plan.", "The committee met on Monday.", "=1+1 is a formula."]


def write_csv(path: Path, texts: list[str], delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["key", "text"])
        writer.writerows([f"k{number}", text] for number, text in enumerate(texts))
    return path


def write_jsonl(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def job(path: Path, output: Path, **options: Any) -> ScoreJob:
    findings = options.pop("findings", False)
    return ScoreJob(
        (path,), TableColumns("text", "key"), output, ScoreSpec(RULES, findings=findings), **options
    )


def scored(path: Path, **options: Any) -> list[dict[str, Any]]:
    output = path.with_name("out.jsonl")
    score_tables(job(path, output, **options))
    return [json.loads(line) for line in output.read_text("utf-8").splitlines()]


def test_one_row_out_for_one_row_in(tmp_path: Path) -> None:
    first, second, third = scored(write_csv(tmp_path / "a.csv", TEXTS))
    assert list(first) == list(columns(False))
    assert (first["row"], first["id"], first["findings"], first["severity_warning"]) == (1, "k0", 2, 2)
    assert [span["text"] for span in json.loads(first["spans"])] == ["legendary", "slammed"]
    assert (second["findings"], second["spans"], second["probability"]) == (0, "[]", None)
    assert third["error"] is None


def test_one_row_per_finding(tmp_path: Path) -> None:
    rows = scored(write_csv(tmp_path / "a.csv", TEXTS), findings=True)
    assert list(rows[0]) == list(columns(True))
    assert [(row["row"], row["text"], row["start"]) for row in rows] == [
        (1, "legendary", 4),
        (1, "slammed", 21),
    ]


def test_every_kind_of_table_gives_the_same_scores(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    records = [{"key": f"k{number}", "text": text} for number, text in enumerate(TEXTS)]
    table = pyarrow.Table.from_pylist(records)
    parquet.write_table(table, tmp_path / "a.parquet")
    with (
        pyarrow.OSFile(str(tmp_path / "a.arrow"), "wb") as sink,
        pyarrow.ipc.new_stream(sink, table.schema) as out,
    ):
        out.write_table(table)
    plain = write_csv(tmp_path / "a.csv", TEXTS)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    paths = [
        plain,
        tmp_path / "a.csv.gz",
        write_csv(tmp_path / "a.tsv", TEXTS, "\t"),
        write_jsonl(tmp_path / "a.jsonl", records),
        tmp_path / "a.parquet",
        tmp_path / "a.arrow",
    ]
    results = [[{**row, "file": ""} for row in scored(path)] for path in paths]
    assert all(result == results[0] for result in results)


def test_a_bad_row_is_a_row_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = {"key": 1, "text": "Fine."}
    path.write_bytes(
        json.dumps(good).encode()
        + b'\n{"key": 2\n[1]\n{"key": 3}\n{"key": 4, "text": null}\n{"key": 5, "text": 7}\n\xff\xfe\n\n'
        + json.dumps(good).encode()
    )
    errors = [row["error"] for row in scored(path)]
    assert errors == [
        None,
        "is not valid JSON",
        "is not a JSON object",
        "has no field 'text'",
        "the text is missing",
        "the text is int, not text",
        "is not valid UTF-8",
        None,
    ]


def test_a_bad_row_of_csv_is_a_row_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"key,text\n1,ok\n2\n3,a,b\n4,caf\xe9\n\n5,ok\n")
    rows = scored(path)
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row["error"] for row in rows] == [
        None,
        "has 1 cells, not 2",
        "has 3 cells, not 2",
        "the text is not valid UTF-8",
        None,
    ]


def test_a_quotation_mark_that_is_never_closed_costs_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unslant.tables.sources._LONGEST_CELL", 100)
    path = tmp_path / "a.csv"
    path.write_text('key,text\n1,ok\n2,"open ' + "x" * 300 + "\n3,ok\n")
    rows = list(read_rows(path, TableColumns("text", "key")))
    assert rows[0].error is None
    assert rows[1].error is not None


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_run_that_was_stopped_goes_on_and_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(run_module, "_PART_ROWS", 2)
    path = write_csv(tmp_path / "a.csv", TEXTS * 3)
    whole, output = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    score_tables(job(path, whole))

    for stop in (2, 6, 8):

        def stopping(_: int, rows: int, stop: int = stop) -> None:
            if rows >= stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            score_tables(job(path, output), stopping)
        assert not output.exists()
    summary = score_tables(job(path, output))
    assert summary.rows == 9
    assert summary.resumed >= 6
    assert output.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_parts_of_another_run_are_not_mixed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "_PART_ROWS", 1)
    path = write_csv(tmp_path / "a.csv", TEXTS)
    output = tmp_path / "out.jsonl"

    def stopping(_: int, __: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_tables(job(path, output), stopping)
    with pytest.raises(ConfigError, match="--restart"):
        score_tables(job(path, output, findings=True))
    summary = score_tables(job(path, output, findings=True, restart=True))
    assert summary == ScoreSummary(rows=3, findings=2)


def test_formulas_are_not_run_by_a_spreadsheet(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"key": "=1+1", "text": "Fine."}])
    score_tables(job(path, tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["id"] == "'=1+1"


def test_a_wrong_column_is_reported_before_anything_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("key,txt\n1,ok\n")
    with pytest.raises(SourceError, match="did you mean 'txt'"):
        score_tables(job(path, tmp_path / "out.csv"))
    assert not list(tmp_path.glob("*.parts"))
    with pytest.raises(ConfigError, match="suffix"):
        score_tables(job(path, tmp_path / "out.xlsx"))


def test_memory_does_not_grow_with_the_rows() -> None:
    """The model remembers predictions for the next question about a sentence; a table never asks again."""
    tiny = Spec(analyzers=("model",), model=str(Path(__file__).parents[1] / "neural" / "tiny_model"))
    score = ScoreRows(ScoreSpec(tiny))
    before = {id(prediction) for prediction in _predictions()}
    score([Row("a.csv", number, f"The committee met {number} times.") for number in range(40)])
    assert [prediction for prediction in _predictions() if id(prediction) not in before] == []


def test_rows_are_scored_alike_before_and_after_a_part_is_forgotten() -> None:
    rows = [
        Row("a.csv", number, text) for number, text in enumerate([*TEXTS, "Mr. Lee of St. Mary met Dr. No."])
    ]
    score = ScoreRows(ScoreSpec(RULES))
    assert score(rows) == score(rows) == ScoreRows(ScoreSpec(RULES))(rows)


def _predictions() -> list[Prediction]:
    gc.collect()
    # not isinstance, which asks every object of the process for its class: some of torch warn when they are touched
    return [thing for thing in gc.get_objects() if type(thing) is Prediction]


@pytest.mark.parametrize(
    ("ids", "type_name", "expected"),
    [
        ([3, 1, 2], "int64", [3, 1, 2]),
        ([3, None, 2], "int64", [3, None, 2]),
        (["007", "1", "2"], "string", ["007", "1", "2"]),
        ([3, "b", 2], "string", ["3", "b", "2"]),
        ([2**70, 1, 2], "string", [str(2**70), "1", "2"]),
    ],
)
def test_ids_keep_their_type(tmp_path: Path, ids: list[Any], type_name: str, expected: list[Any]) -> None:
    """Scores are joined on the ids, and a number does not join with a text."""
    from pyarrow import parquet

    records = [{"key": key, "text": text} for key, text in zip(ids, TEXTS, strict=True)]
    source = write_jsonl(tmp_path / "a.jsonl", records)
    score_tables(job(source, tmp_path / "out.parquet"))
    column = parquet.read_table(tmp_path / "out.parquet").column("id")
    assert str(column.type) == type_name
    assert column.to_pylist() == expected


def test_integer_ids_of_parquet_stay_integers(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"key": [10, 20, 30], "text": TEXTS}), tmp_path / "in.parquet")
    score_tables(job(tmp_path / "in.parquet", tmp_path / "out.parquet"))
    assert parquet.read_table(tmp_path / "out.parquet").column("id").to_pylist() == [10, 20, 30]
