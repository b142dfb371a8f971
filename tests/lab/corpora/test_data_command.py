from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lab.corpora.corpus_files import write_csv, write_jsonl
from unslant.core.errors import InputError
from unslant.core.example import Example
from unslant.lab.corpora.statistics import CorpusStatistics, FigureComparison, compare_published, count_corpus

Run = Callable[..., Any]


def test_list_says_what_is_here(run: Run, wikibias: Path) -> None:
    lines = run("list", "--data", wikibias).output.splitlines()
    assert next(line for line in lines if line.startswith("wikibias")).split()[1] == "yes"
    assert "yes" not in next(line for line in lines if line.startswith("paradetox"))
    entries = json.loads(run("list", "--data", wikibias, "--output-format", "json").output)
    assert [entry["name"] for entry in entries if entry["here"]] == ["wikibias", "own", "contrast_senses"]


def test_show_gives_licence_traps_and_files(run: Run) -> None:
    output = run("show", "babe").output
    assert "Licence:  AGPL-3.0" in output
    assert "Pitfall:  MBIC and SG1" in output
    assert "raw_labels_SG1.xlsx" in output
    assert "raw_labels_SG1.xlsx" not in run("show", "babe/sg2").output
    assert json.loads(run("show", "cad", "--output-format", "json").output)["variants"] == ["primary", "full"]


def test_stats_put_published_figures_beside_ours(run: Run, wikibias: Path) -> None:
    output = run("stats", "wikibias", "--data", wikibias).output
    line = next(line for line in output.splitlines() if line.startswith("Table 3: sentence pairs"))
    assert line.split()[4:6] == ["4,099", "3"]
    data = json.loads(run("stats", "wikibias", "--data", wikibias, "--output-format", "json").output)
    assert (data["examples"], data["pairs"], data["spans"]) == (6, 3, 3)
    assert data["labels"] == {"slanted": 3, "not slanted": 3}
    found = {row["name"]: row for row in data["published"]}
    assert (found["Table 3: framing spans"]["published"], found["Table 3: framing spans"]["ours"]) == (
        2654,
        3,
    )
    assert found["Table 4: dev, tokens per sentence"]["ours"] == 11.5


def test_stats_of_ones_own_file(run: Run, tmp_path: Path) -> None:
    rows = [{"s": "A day.", "y": "bad", "o": "here"}, {"s": "A night.", "y": "fine", "o": "there"}]
    path = write_csv(tmp_path / "own.csv", rows)
    result = run("stats", path, "--column", "text=s,label=y,outlet=o", "--label", "bad=1,fine=0")
    assert "label: slanted" in result.output
    assert [line.split() for line in result.output.splitlines() if line.startswith("here")] == [
        ["here", "1", "1", "0", "0"]
    ]


def test_breakdowns_by_outlet_and_topic(tmp_path: Path) -> None:
    from unslant.lab.corpora.own_files import FileDataset

    rows = [
        {"text": "a", "label": 1, "outlet": "x", "topic": "t"},
        {"text": "b", "label": "", "outlet": "x", "topic": "u"},
    ]
    dataset = FileDataset(write_jsonl(tmp_path / "a.jsonl", rows))
    counts = count_corpus(dataset)
    assert counts.outlets == {"x": {"slanted": 1, "not judged": 1}}
    assert counts.topics == {"t": {"slanted": 1}, "u": {"not judged": 1}}
    assert counts.to_dict()["opinions"] == {}
    assert compare_published(dataset) == []


def test_opinions_are_counted_by_label_outlet_and_topic() -> None:
    counts = CorpusStatistics()
    for name, label, opinion in (("a", True, "opinion"), ("b", True, "fact"), ("c", False, "fact")):
        counts.add(
            Example(name, "A day.", "toy", "none", label=label, outlet="x", extra={"opinion": opinion})
        )
    found = counts.to_dict()["opinions"]
    assert found["labels"]["slanted"]["opinion"] == {"count": 1, "percent": 50.0}
    assert found["outlets"]["x"]["fact"] == {"count": 2, "percent": pytest.approx(66.67, abs=0.01)}
    assert "topics" not in found


@pytest.mark.parametrize(
    ("published", "ours", "digits", "same"),
    [
        (47.05, 47.0588, 2, True),
        (0.0, 0.027, 2, False),
        (4099, 4095, 0, False),
        (1700, 1700, 0, True),
        (1, None, 0, None),
    ],
)
def test_figures_agree_to_the_digits_that_were_published(
    published: float, ours: float | None, digits: int, same: bool | None
) -> None:
    assert FigureComparison("x", published, ours, digits=digits).same is same


def test_verify_lists_everything_and_says_so_by_its_exit(run: Run, tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "a.jsonl",
        [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}, {"text": ""}, {"text": "c", "label": "?"}],
    )
    result = run("verify", path)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"{path}: duplicate id (1, example 1 and 2)",
        "a.jsonl, row 3: empty text",
        "a.jsonl, row 4: unknown label (?)",
        f"{path}: 3 problems",
    ]
    rows = [json.loads(line) for line in run("verify", path, "--output-format", "json").output.splitlines()]
    assert [row["row"] for row in rows] == [None, 3, 4]
    write_jsonl(path, [{"id": "1", "text": "a"}])
    assert run("verify", path).exit_code == 0


def test_overlap_counts_what_is_shared(run: Run, wikibias: Path, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "own.jsonl", [{"text": 'The band\'s album, "Blue", sold.'}])
    result = run("overlap", "wikibias", path, "--data", wikibias)
    assert result.output.splitlines()[1].split()[-2:] == ["3", "0"]
    assert run("overlap", "wikibias", "--data", wikibias).exit_code == 2
    assert (
        len(
            json.loads(
                run("overlap", "wikibias", path, "--data", wikibias, "--output-format", "json").output
            )[0]["exact"]
        )
        == 3
    )


def test_split_writes_lines_that_can_be_read_back(run: Run, wikibias: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = run("split", "wikibias", "--data", wikibias, "--parts", "a=0.5,b=0.5", "-o", out)
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 6
    # All three pairs have the same two texts, so they cannot be parted.
    assert len({row["split"] for row in rows}) == 1
    assert run("stats", out).exit_code == 0
    ids = run("split", "wikibias", "--data", wikibias, "--ids").output.splitlines()
    assert {tuple(json.loads(line)) for line in ids} == {("id", "split")}


def test_get_shows_the_licence_first_and_asks(run: Run, tmp_path: Path) -> None:
    result = run("get", "crows_pairs", "--data", tmp_path)
    assert "Licence:  CC BY-SA 4.0" in result.output
    assert "Download it under this licence?" in result.output
    assert result.exit_code == 1
    assert not (tmp_path / "crows_pairs").exists()


def test_get_says_where_to_put_what_is_not_offered(run: Run, tmp_path: Path) -> None:
    result = run("get", "wikibias", "--data", tmp_path, "--yes")
    assert isinstance(result.exception, InputError)
    assert f"put them into {tmp_path / 'wikibias'}" in str(result.exception)


def test_get_leaves_what_is_there(run: Run, wikibias: Path) -> None:
    for optional in ("test_source_gold.conll", "published_labels.jsonl.gz"):
        (wikibias / "wikibias" / optional).touch()
    result = run("get", "wikibias", "--data", wikibias)
    assert result.exit_code == 0
    assert result.output.count("already there") == 5
