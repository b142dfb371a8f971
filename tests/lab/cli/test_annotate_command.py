from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from unslant.lab.cli.annotate import agree, annotate
from unslant.lab.corpora.tables import CorpusError


def run(*arguments: object, command: Any = annotate) -> str:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def annotated(path: Path, tasks: Path, who: str, answer: Any) -> Path:
    loaded = json.loads(tasks.read_text("utf-8"))
    rows = [
        {"id": number, "data": task["data"], "annotations": [{"completed_by": who, "result": answer(task)}]}
        for number, task in enumerate(loaded)
    ]
    path.write_text(json.dumps(rows), "utf-8")
    return path


def test_both_stages_from_items_to_examples(tmp_path: Path) -> None:
    items = write(
        tmp_path / "pairs.jsonl",
        [
            {"item": f"p{number}", "source": f"A truly odd {number}.", "target": f"A {number}."}
            for number in range(10)
        ],
    )
    edits = tmp_path / "edits"
    output = run("export", "edits", items, edits, "--batch-size", "5", "--doubled", "2")
    assert sorted(path.name for path in edits.iterdir()) == [
        "config.xml",
        "guidelines.md",
        "manifest.json",
        "tasks-1.json",
        "tasks-2.json",
    ]
    assert "10 tasks." in output
    results = [
        annotated(
            tmp_path / f"{name}.json",
            edits / f"tasks-{name}.json",
            name,
            lambda task: task["predictions"][0]["result"],
        )
        for name in "12"
    ]
    report = run("report", edits, *results)
    assert "10 of 10 items annotated, 4 by two or more" in report
    assert "F1 of exact spans        1.00" in report
    found = tmp_path / "found.jsonl"
    assert "10 lines" in run("import", edits, *results, "--output", found)

    kinds = tmp_path / "kinds"
    run("export", "kinds", found, kinds, "--annotators", "1")

    def framing(task: dict[str, Any]) -> list[dict[str, Any]]:
        regions: list[dict[str, Any]] = task["predictions"][0]["result"]
        return [
            *regions,
            *(
                {**region, "type": "choices", "from_name": "kind", "value": {"choices": ["framing"]}}
                for region in regions
            ),
        ]

    done = annotated(tmp_path / "kinds.json", kinds / "tasks.json", "3", framing)
    examples = tmp_path / "examples.jsonl"
    run("import", kinds, done, "--output", examples, "--source", "mine", "--licence", "CC0-1.0")
    row = json.loads(examples.read_text("utf-8").splitlines()[0])
    (span,) = row["spans"]
    assert row["text"][span["start"] : span["end"]] == "truly odd"
    assert (span["kind"], row["label"], row["source"]) == ("framing", True, "mine")

    flat = tmp_path / "flat.jsonl"
    run("import", kinds, done, "--output", flat, "--flat")
    assert "kind: 10 judgements of 10 items by 1 annotators; 0 items have two or more" in run(
        flat, command=agree
    )


def test_a_human_evaluation_from_items_to_t_tests(tmp_path: Path) -> None:
    rows = [
        {"item": str(number), "system": system, "source": f"old {number}", "rewrite": f"{system} {number}"}
        for number in range(12)
        for system in ("bold", "calm")
    ]
    gold = [{"source": "old", "rewrite": "calm", "meaning": "1", "fluency": "0", "bias": "-2|-1"}]
    project = tmp_path / "project"
    run(
        *("export", "rewrites", write(tmp_path / "rewrites.jsonl", rows), project, "--seed", "7"),
        *("--qualification", write(tmp_path / "gold.jsonl", gold)),
    )

    def answers(careful: bool) -> Any:
        def answer(task: dict[str, Any]) -> list[dict[str, Any]]:
            first_is_old = task["data"]["a"].startswith("old")
            rewrite = task["data"]["b" if first_is_old else "a"]
            strength = 1 + (sum(map(ord, rewrite)) % 2)
            bias = (-strength if first_is_old else strength) if rewrite.startswith("calm") else 0
            given = {"meaning": 1, "fluency": 0, "bias": bias if careful else 0}
            return [
                {"type": "choices", "from_name": name, "value": {"choices": [str(value)]}}
                for name, value in given.items()
            ]

        return answer

    files = [
        annotated(tmp_path / "x.json", project / "tasks.json", "careful", answers(True)),
        annotated(tmp_path / "y.json", project / "tasks.json", "careless", answers(False)),
    ]
    output = run("report", project, *files)
    lines = [line.split() for line in output.splitlines()]
    assert ["careful", "3/3", "0", "passed"] in lines
    assert ["careless", "3/3", "1", "left", "out"] in lines
    assert any(line[:3] == ["calm", "bias", "12"] and line[-2:] == ["<", "0.001"] for line in lines)
    assert any(
        line[:5] == ["bold", "-", "calm", "bias", "12"] and line[-2:] == ["<", "0.001"] for line in lines
    )
    wire = json.loads(run("report", project, *files, "--output-format", "json"))
    assert wire["qualifications"][1]["passed"] is False
    judgements = tmp_path / "judgements.jsonl"
    run("import", project, files[0], "--output", judgements)
    found = [json.loads(line) for line in judgements.read_text("utf-8").splitlines()]
    assert {row["value"] for row in found if row["question"] == "bias" and row["system"] == "calm"} == {
        -1,
        -2,
    }


def test_a_folder_that_is_no_project_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="is not an annotation project"):
        run("report", tmp_path, tmp_path / "export.json")
