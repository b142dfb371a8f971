"""Judging sentences as in BABE, collecting rephrasings in three stages, and sorting a model's rephrasings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from label_studio_sdk.label_interface import LabelInterface

from tests.lab.annotation.test_annotation_results import export, write
from unslant.core.types import Span
from unslant.lab.annotation.project import Batching, build_project, labelling_config
from unslant.lab.annotation.results import read_results, report_project, result_rows
from unslant.lab.annotation.text_forms import CATEGORIES, CHOICES, TEXT_FORMS, marked_words
from unslant.lab.corpora.tables import CorpusError
from unslant.lab.stats.bootstrap import Resampling

TEXTS = [
    {"item": "s1", "text": "The radical 🎬 senator slammed the plan."},
    {"item": "s2", "text": "It rained on Monday."},
]


def choice(name: str, value: str) -> dict[str, Any]:
    return {
        "id": name,
        "type": "choices",
        "from_name": name,
        "to_name": "text",
        "value": {"choices": [value]},
    }


def written(name: str, value: str) -> dict[str, Any]:
    return {"id": name, "type": "textarea", "from_name": name, "to_name": "text", "value": {"text": [value]}}


def mark(text: str, *words: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"w{at}",
            "type": "labels",
            "from_name": "words",
            "to_name": "text",
            "value": {
                "start": text.index(word),
                "end": text.index(word) + len(word),
                "text": word,
                "labels": ["biased"],
            },
        }
        for at, word in enumerate(words)
    ]


def rows(manifest: Any, done: Any) -> list[dict[str, Any]]:
    return list(result_rows(manifest, done, flatten=False, source="mine", licence="CC0-1.0"))


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_the_answers_of_a_form_are_those_that_label_studio_offers(form: str) -> None:
    interface = LabelInterface(labelling_config(form))  # type: ignore[arg-type]
    interface.validate()
    offered = {
        control.name: list(control.labels) for control in interface.controls if control.tag == "Choices"
    }
    assert offered == {name: list(answers) for name, answers in CHOICES.get(form, {}).items()}


def test_sentences_become_examples_with_the_majority_s_verdict_and_words(tmp_path: Path) -> None:
    project = build_project("sentences", write(tmp_path / "items.jsonl", TEXTS), Batching(annotators=1))
    text = TEXTS[0]["text"]
    opinion = list(CHOICES["sentences"]["opinion"])

    def judged(bias: str, view: str, *words: str) -> Any:
        def answer(task: dict[str, Any]) -> list[dict[str, Any]]:
            if task["data"]["item"] == "s2":
                return [choice("bias", "Non-biased"), choice("opinion", opinion[2])]
            return [*mark(text, *words), choice("bias", bias), choice("opinion", view)]

        return answer

    path = export(
        tmp_path / "e.json",
        project.tasks,
        ann=judged("Biased", opinion[0], "radical", "slammed the plan"),
        bob=judged("Biased", opinion[1], "slammed"),
        cy=judged("Non-biased", opinion[0]),
    )
    done = read_results(project.manifest, [path])
    first, second = rows(project.manifest, done)
    assert (first["label"], first["share"], first["opinion"]) == (True, pytest.approx(2 / 3), opinion[0])
    assert [text[span["start"] : span["end"]] for span in first["spans"]] == ["slammed"]
    assert (second["label"], second["spans"], second["licence"]) == (False, [], "CC0-1.0")
    report = report_project(project.manifest, done, Resampling(10))
    assert [one.task for one in report.agreement] == ["bias", "opinion", "spans"]
    flat = list(result_rows(project.manifest, done, flatten=True, source="", licence=""))
    assert {row["label"] for row in flat if row["task"] == "words"} == {
        "radical",
        "slammed the plan",
        "slammed",
    }


def test_words_count_from_more_than_a_third_of_the_annotators() -> None:
    text = "so very bad indeed"
    both, last = [Span(0, 7)], [Span(14, 20)]
    assert [span["end"] for span in marked_words(text, [both, both, [], [], []])] == [7]
    assert marked_words(text, [both, last, [], [], []]) == []
    assert len(marked_words(text, [both] * 3 + [[]] * 5)) == 1
    assert marked_words(text, [both] * 2 + [[]] * 6) == []
    assert marked_words(text, [both])[0]["share"] == 1


def test_rephrasings_are_collected_verified_and_refined(tmp_path: Path) -> None:
    texts = [{**TEXTS[0], "context": "A whole passage."}, TEXTS[1]]
    batching = Batching(annotators=1)
    first = build_project("collect", write(tmp_path / "items.jsonl", texts), batching)
    assert [task["data"]["context"] for task in first.tasks] == ["A whole passage.", "(not given)"]
    drafts = {"s1": "The senator slammed the plan.", "s2": "  "}
    path = export(
        tmp_path / "1.json",
        first.tasks,
        ann=lambda task: [written("rephrase", drafts[task["data"]["item"]])],
    )
    collected = rows(first.manifest, read_results(first.manifest, [path]))
    assert [row["rephrase"] for row in collected] == [drafts["s1"]]  # an empty one is none
    collected.append({"item": "s2", "text": TEXTS[1]["text"], "rephrase": "It rained.", "context": ""})

    second = build_project("verify", write(tmp_path / "2.jsonl", collected), batching)

    def verify(task: dict[str, Any]) -> list[dict[str, Any]]:
        if task["data"]["item"] == "s2":
            return [choice("verdict", "correct")]
        return [choice("verdict", "incorrect"), written("feedback", "slammed is loaded")]

    path = export(tmp_path / "2.json", second.tasks, bob=verify)
    verified = rows(second.manifest, read_results(second.manifest, [path]))
    assert [(row["verdict"], row["feedback"]) for row in verified] == [
        ("incorrect", "slammed is loaded"),
        ("correct", ""),
    ]

    third = build_project("refine", write(tmp_path / "3.jsonl", verified), batching)
    assert [task["data"]["feedback"] for task in third.tasks] == ["slammed is loaded"]
    path = export(
        tmp_path / "3.json", third.tasks, cy=lambda _: [written("rephrase", "The senator opposed the plan.")]
    )
    refined = rows(third.manifest, read_results(third.manifest, [path]))
    assert refined[0]["rephrase"] == "The senator opposed the plan."
    assert refined[0]["context"] == "A whole passage."


def test_the_outputs_of_a_model_are_sorted_by_category(tmp_path: Path) -> None:
    outputs = [
        {"item": f"o{at}", "text": TEXTS[0]["text"], "rephrase": f"output {at}", "system": "small"}
        for at in range(2)
    ]
    project = build_project("categories", write(tmp_path / "o.jsonl", outputs), Batching(annotators=1))
    assert "small" not in json.dumps(project.tasks)
    names = list(CATEGORIES)
    path = export(
        tmp_path / "e.json",
        project.tasks,
        ann=lambda _: [choice("category", names[1])],
        bob=lambda task: [choice("category", names[1 if task["data"]["item"] == "o0" else 2])],
    )
    found = rows(project.manifest, read_results(project.manifest, [path]))
    assert [(row["category"], row["system"]) for row in found] == [(names[1], "small"), (None, "small")]
    wrong = export(tmp_path / "w.json", project.tasks, ann=lambda _: [choice("category", "great")])
    with pytest.raises(CorpusError, match="known: correct"):
        read_results(project.manifest, [wrong])
