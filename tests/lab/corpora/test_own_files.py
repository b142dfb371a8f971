from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from tests.lab.corpora.corpus_files import write_csv, write_jsonl
from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.corpora.dataset import verify
from unslant.lab.corpora.own_files import ColumnMap, FileDataset, example_to_json, parse_columns, parse_labels
from unslant.lab.corpora.tables import CorpusError, CorpusMissing, DataProblem


def test_a_column_map_reads_anybodys_file(tmp_path: Path) -> None:
    rows = [
        {"sentence": "A great day.", "is_biased": "subjective"},
        {"sentence": "A day.", "is_biased": "objective"},
    ]
    path = write_csv(tmp_path / "own.csv", rows)
    columns = ColumnMap(
        parse_columns("text=sentence,label=is_biased"), parse_labels("subjective=1,objective=0")
    )
    first, second = FileDataset(path, columns, licence="CC0")
    assert (first.text, first.label, first.licence, first.source) == ("A great day.", True, "CC0", str(path))
    assert second.label is False


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    row = {
        "id": "x",
        "text": "A great day.",
        "label": 1,
        "spans": [{"start": 2, "end": 7, "kind": "framing"}],
    }
    row |= {"kinds": ["framing"], "dimension": "age", "share": 0.75, "pair": "p", "outlet": "o"}
    (first,) = FileDataset(write_jsonl(tmp_path / "a.jsonl", [row]))
    assert first.spans
    assert first.spans[0].span == Span(2, 7)
    (again,) = FileDataset(write_jsonl(tmp_path / "a.jsonl", [example_to_json(first)]))
    assert again == first


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "a", "label": "maybe"}, "unknown label (maybe)"),
        ({"text": "a", "spans": [[0, 9]]}, "span outside the text ([0, 9) in a text of 1)"),
        ({"text": "a", "spans": [[1, 1]]}, "span outside the text ([1, 1) in a text of 1)"),
        ({"text": "a", "spans": "here"}, "spans cannot be read"),
        ({"text": "a", "kinds": ["loud"]}, "unknown label (loud)"),
        ({"text": "a", "dimension": "height"}, "unknown label (height)"),
        ({"text": "  "}, "empty text"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_row(
    tmp_path: Path, row: dict[str, object], message: str
) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": "fine", "label": 0}, row])
    with pytest.raises(CorpusError) as caught:
        list(FileDataset(path))
    assert "a.jsonl, row 2: " + message in str(caught.value)
    lenient = FileDataset(path, strict=False)
    assert [example.text for example in lenient] == ["fine"]
    assert sum(lenient.skipped.values()) == 1


def test_wrong_columns_stop_even_a_lenient_reading(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [{"sentence": "a"}])
    with pytest.raises(CorpusError, match="wrong columns"):
        list(FileDataset(path, strict=False))


def test_duplicate_ids_are_found(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "a.jsonl", [{"id": "x", "text": "a"}, {"id": "y", "text": "b"}, {"id": "x", "text": "c"}]
    )
    assert [str(problem) for problem in verify(FileDataset(path))] == [
        f"{path}: duplicate id (x, example 1 and 3)"
    ]


def test_a_large_file_never_sits_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    line = json.dumps({"text": "word " * 400, "label": 1}) + "\n"
    with path.open("w") as file:
        for _ in range(10_000):
            file.write(line)
    size = path.stat().st_size
    tracemalloc.start()
    assert sum(1 for _ in FileDataset(path)) == 10_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 20_000_000
    assert peak < 1_000_000


def test_options_that_make_no_sense_say_so() -> None:
    with pytest.raises(ConfigError, match="did you mean 'label'"):
        parse_columns("lable=x")
    with pytest.raises(ConfigError, match="VALUE=1"):
        parse_labels("yes=maybe")
    assert parse_labels("unsure=") == {"unsure": None}


def test_the_fingerprint_follows_data_and_columns(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": "a"}])
    first = FileDataset(path).fingerprint()
    assert FileDataset(path).fingerprint() == first
    assert FileDataset(path, ColumnMap({"label": "text"})).fingerprint() != first
    write_jsonl(path, [{"text": "b"}])
    assert FileDataset(path).fingerprint() != first


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CorpusMissing, match="there is no file"):
        FileDataset(tmp_path / "none.csv")


def test_rows_are_problems_or_examples(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": ""}, {"text": "a"}])
    assert [isinstance(row, DataProblem) for row in FileDataset(path).rows()] == [True, False]
