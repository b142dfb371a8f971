"""Projects with results as Label Studio writes them, annotated here by rule."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unslant.core.errors import UnknownName
from unslant.lab.annotation.project import Batching, build_project
from unslant.lab.annotation.reading import read_annotations
from unslant.lab.annotation.results import (
    collect_judgements,
    completed_edits,
    edit_rows,
    example_rows,
    read_results,
    report_project,
    result_rows,
)
from unslant.lab.corpora.tables import CorpusError
from unslant.lab.stats.bootstrap import Resampling
from unslant.text.diff import edited_pairs

PAIRS = [
    {
        "item": "p1",
        "source": "The brilliant director 🎬 only spoke.",
        "target": "The director 🎬 spoke and left.",
    },
    {"item": "p2", "source": "Critics claimed it failed.", "target": "Critics said it failed."},
]

Answer = Callable[[dict[str, Any]], list[dict[str, Any]]]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def export(path: Path, tasks: Any, **annotators: Answer) -> Path:
    rows = [
        {
            "id": number,
            "data": task["data"],
            "annotations": [
                {"completed_by": who, "result": answer(task)} for who, answer in annotators.items()
            ],
        }
        for number, task in enumerate(tasks)
    ]
    path.write_text(json.dumps(rows), "utf-8")
    return path


def as_filled_in(task: dict[str, Any]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = task["predictions"][0]["result"]
    return result


def only_the_first(task: dict[str, Any]) -> list[dict[str, Any]]:
    return as_filled_in(task)[:1]


def said(*kinds: str) -> Answer:
    def answer(task: dict[str, Any]) -> list[dict[str, Any]]:
        regions = as_filled_in(task)
        given = [
            {
                "id": region["id"],
                "type": "choices",
                "from_name": "kind",
                "to_name": "source",
                "value": {"choices": [kind]},
            }
            for region, kind in zip(regions, kinds, strict=False)
        ]
        return [*regions, *given]

    return answer


def test_edits_come_back_as_they_were_filled_in(tmp_path: Path) -> None:
    project = build_project("edits", write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    done = read_results(project.manifest, [export(tmp_path / "e.json", project.tasks, ann=as_filled_in)])
    assert {item.item: completed_edits(item) for item in done} == {
        pair["item"]: edited_pairs(pair["source"], pair["target"]) for pair in PAIRS
    }


def test_the_result_of_the_first_stage_is_the_input_of_the_second(tmp_path: Path) -> None:
    project = build_project("edits", write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    done = read_results(
        project.manifest, [export(tmp_path / "e.json", project.tasks, ann=as_filled_in, bob=only_the_first)]
    )
    rows = list(edit_rows(done))
    assert [row["agreed"] for row in rows] == [False, False]
    second = build_project("kinds", write(tmp_path / "edits.jsonl", rows), Batching(annotators=1))
    assert [part["value"]["text"] for part in second.tasks[0]["predictions"][0]["result"]] == [
        "brilliant",
        "only",
    ]


def test_kinds_become_examples_with_exact_spans_and_shares(tmp_path: Path) -> None:
    project = build_project("kinds", write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    path = export(
        tmp_path / "e.json",
        project.tasks,
        ann=said("framing", "not biased"),
        bob=said("framing", "epistemological"),
        cy=said("demographic", "not biased"),
    )
    first, second = example_rows(read_results(project.manifest, [path]), "mine", "CC0-1.0")
    start = PAIRS[0]["source"].index("brilliant")
    assert first["spans"][0] == {"start": start, "end": start + 9, "kind": "framing", "share": 1.0}
    assert (first["spans"][1]["kind"], first["spans"][1]["share"]) == (
        "epistemological",
        pytest.approx(1 / 3),
    )
    assert (first["label"], first["share"], first["licence"]) == (True, 1.0, "CC0-1.0")
    assert second["spans"][0]["kind"] == "framing"


def test_a_tie_leaves_kind_and_label_open(tmp_path: Path) -> None:
    project = build_project("kinds", write(tmp_path / "pairs.jsonl", PAIRS[1:]), Batching(annotators=1))
    tied = export(tmp_path / "a.json", project.tasks, ann=said("framing"), bob=said("demographic"))
    (row,) = example_rows(read_results(project.manifest, [tied]), "mine", "")
    assert (row["label"], row["spans"][0]["kind"]) == (True, None)
    split = export(tmp_path / "b.json", project.tasks, ann=said("framing"), bob=said("not biased"))
    (row,) = example_rows(read_results(project.manifest, [split]), "mine", "")
    assert (row["label"], row["share"]) == (None, 0.5)


def test_the_report_looks_at_items_that_two_have_seen_batch_by_batch(tmp_path: Path) -> None:
    rows = [{"source": f"bad thing {number}.", "target": f"thing {number}."} for number in range(40)]
    project = build_project("kinds", write(tmp_path / "pairs.jsonl", rows), Batching(20, 4, 2))
    files = []
    for name, places in project.assignments.items():
        tasks = [project.tasks[place] for place in places]

        def answer(task: dict[str, Any], name: str = name) -> list[dict[str, Any]]:
            number = int(task["data"]["item"])
            # They agree in the first batch and never in the second.
            opposite = task["data"]["batch"] == "2" and name == "2"
            return said("framing" if (number % 2 == 0) != opposite else "not biased")(task)

        files.append(export(tmp_path / f"{name}.json", tasks, **{f"annotator{name}": answer}))
    report = report_project(project.manifest, read_results(project.manifest, files), Resampling(0))
    assert (report.items, report.annotated, report.doubled) == (40, 40, 8)
    kind, biased = report.agreement
    assert (kind.task, biased.task) == ("kind", "biased")
    assert [kind.by_batch[name].items for name in "12"] == [4, 4]
    assert kind.by_batch["1"].measures["percent"].value == 1
    assert kind.by_batch["2"].measures["percent"].value == 0
    assert json.loads(json.dumps(report.to_dict()))["doubled"] == 8


def test_links_are_compared_by_word_and_by_phrase(tmp_path: Path) -> None:
    rows = [{"item": "1", "source": "It has benefited from aid.", "target": "It saw aid."}]
    project = build_project("edits", write(tmp_path / "pairs.jsonl", rows), Batching(annotators=1))

    def shorter(task: dict[str, Any]) -> list[dict[str, Any]]:
        before, after, link = json.loads(json.dumps(as_filled_in(task)))
        before["value"].update(end=16, text="has benefited")
        return [before, after, link]

    done = read_results(
        project.manifest, [export(tmp_path / "e.json", project.tasks, ann=as_filled_in, bob=shorter)]
    )
    report = report_project(project.manifest, done, Resampling(0))
    # Ann links three words to "saw", Bob two of them; the phrases differ.
    word, phrase = report.alignment["bob"]["word"], report.alignment["bob"]["phrase"]
    assert (word.precision.value, word.recall.value) == (1, pytest.approx(2 / 3))
    assert phrase.f1.value == 0
    assert report.reference == "ann"
    with pytest.raises(UnknownName, match="no annotator named 'cy'"):
        report_project(project.manifest, done, Resampling(0), "cy")


def test_judgements_are_turned_to_the_rewrites_side(tmp_path: Path) -> None:
    rows = [{"source": f"old {number}", "rewrite": f"new {number}"} for number in range(12)]
    project = build_project("rewrites", write(tmp_path / "rewrites.jsonl", rows), Batching(seed=1))

    def prefers_new(task: dict[str, Any]) -> list[dict[str, Any]]:
        fluency = "-1" if task["data"]["a"].startswith("new") else "1"
        answers = {"meaning": "3", "fluency": fluency, "bias": "0"}
        return [
            {"type": "choices", "from_name": name, "value": {"choices": [value]}}
            for name, value in answers.items()
        ]

    found = collect_judgements(
        project.manifest,
        read_results(project.manifest, [export(tmp_path / "e.json", project.tasks, ann=prefers_new)]),
    )
    values = {
        question: {item.value for item in found if item.question == question}
        for question in ("meaning", "fluency", "bias")
    }
    assert values == {"meaning": {3}, "fluency": {1}, "bias": {0}}


@pytest.mark.parametrize("form", ["edits", "kinds"])
def test_flat_rows_are_read_by_agree(form: Any, tmp_path: Path) -> None:
    project = build_project(form, write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    answer = as_filled_in if form == "edits" else said("framing", "framing")
    done = read_results(project.manifest, [export(tmp_path / "e.json", project.tasks, ann=answer)])
    rows = list(result_rows(project.manifest, done, flatten=True, source="", licence=""))
    found = read_annotations(write(tmp_path / "flat.jsonl", rows))
    assert len(found) == len(rows)
    if form == "edits":
        marked = {(item.task, item.text[item.span.start : item.span.end]) for item in found if item.span}
        assert marked == {
            ("source", "brilliant"),
            ("source", "only"),
            ("source", "claimed"),
            ("target", "and left"),
            ("target", "said"),
        }
    else:
        assert {item.label for item in found} == {"framing"}


def test_results_that_do_not_fit_the_project_are_named(tmp_path: Path) -> None:
    project = build_project("kinds", write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    path = export(tmp_path / "e.json", project.tasks, ann=said("framing"))

    def fails(paths: list[Path], message: str) -> None:
        with pytest.raises(CorpusError, match=message):
            read_results(project.manifest, paths)

    fails(
        [path, path],
        r"e\.json, row 1: duplicate judgement \(annotator ann already judged the item p1, e\.json row 1\)",
    )
    fails(
        [export(tmp_path / "k.json", project.tasks, ann=said("fraiming"))],
        "row 1: unknown label .*'fraiming'; known",
    )
    foreign = [
        {"data": {**project.tasks[0]["data"], "item": "zzz"}, "predictions": project.tasks[0]["predictions"]}
    ]
    fails(
        [export(tmp_path / "f.json", foreign, ann=as_filled_in)],
        "row 1: unknown item .*zzz is not in the manifest",
    )
    fails([tmp_path / "none.json"], "no such file")
    fails([export(tmp_path / "n.json", project.tasks)], "no annotations yet")
    rewrites = build_project("rewrites", write(tmp_path / "r.jsonl", [{"source": "a", "rewrite": "b"}]))

    def wild(_: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "choices", "from_name": "bias", "value": {"choices": ["5"]}}]

    with pytest.raises(CorpusError, match=r"row 1: unknown label .*bias is '5'; known: -2, -1, 0, 1, 2"):
        read_results(rewrites.manifest, [export(tmp_path / "w.json", rewrites.tasks, ann=wild)])
