from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from label_studio_sdk.label_interface import LabelInterface

from unslant.cli.main import main
from unslant.core.errors import ConfigError
from unslant.core.taxonomy import technique, techniques
from unslant.lab.annotation.project import (
    FORMS,
    QUESTIONS,
    AnnotationProject,
    Batching,
    Form,
    build_project,
    labelling_config,
    load_project,
)
from unslant.lab.corpora.tables import CorpusError
from unslant.text.diff import edited_pairs, word_spans

PAIRS = [
    {"item": "p1", "source": "The brilliant director 🎬 spoke.", "target": "The director 🎬 spoke and left."},
    {"item": "p2", "source": "Critics claimed it <failed>.", "target": 'Critics said it "failed".'},
    {"item": "p3", "source": "It rained.", "target": "It rained."},
]
REWRITES = [
    {"item": f"s{number}", "system": system, "source": f"source {number}", "rewrite": f"{system} {number}"}
    for number in range(20)
    for system in ("one", "two")
]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


# The word diff


def words(text: str, span: Any) -> str | None:
    return text[span.start : span.end] if span else None


def test_edits_are_found_by_word() -> None:
    source, target = "The brilliant man only won two.", "The man won two and left."
    assert [
        (words(source, pair.source), words(target, pair.target)) for pair in edited_pairs(source, target)
    ] == [
        ("brilliant", None),
        ("only", None),
        (None, "and left"),
    ]


def test_a_replaced_phrase_is_one_pair() -> None:
    source, target = "It has benefited from aid.", "It saw aid."
    (pair,) = edited_pairs(source, target)
    assert (words(source, pair.source), words(target, pair.target)) == ("has benefited from", "saw")


@given(
    st.lists(st.sampled_from("a b c d".split()), max_size=8),
    st.lists(st.sampled_from("a b c d".split()), max_size=8),
)
@settings(max_examples=80, deadline=None)
def test_outside_the_edits_both_sentences_are_the_same(before: list[str], after: list[str]) -> None:
    source, target = " ".join(before), " ".join(after)
    pairs = edited_pairs(source, target)

    def rest(text: str, edited: list[Any]) -> list[str]:
        return [
            words(text, word) or ""
            for word in word_spans(text)
            if not any(span and span.overlaps(word) for span in edited)
        ]

    assert rest(source, [pair.source for pair in pairs]) == rest(target, [pair.target for pair in pairs])
    assert (source == target) == (not pairs)


# The forms


@pytest.mark.parametrize("form", FORMS)
def test_label_studio_accepts_the_configuration(form: Form) -> None:
    LabelInterface(labelling_config(form)).validate()


@pytest.mark.parametrize("form", ["edits", "kinds"])
def test_label_studio_accepts_the_tasks_and_what_is_filled_in(form: Form, tmp_path: Path) -> None:
    interface = LabelInterface(labelling_config(form))
    project = build_project(form, write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    for task in project.tasks:
        assert interface.validate_task({"data": task["data"]})
        for prediction in task["predictions"]:
            regions = [part for part in prediction["result"] if part["type"] != "relation"]
            assert interface.validate_prediction({**prediction, "result": regions}, return_errors=True) == []


@pytest.mark.parametrize("form", ["rewrites", "questionnaire"])
def test_every_answer_of_a_question_is_one_that_label_studio_takes(form: Form) -> None:
    interface = LabelInterface(labelling_config(form))
    assert {control.name: [int(label) for label in control.labels] for control in interface.controls} == {
        question.name: list(question.values) for question in QUESTIONS[form]
    }


def test_the_scales_are_those_of_the_literature() -> None:
    values = {question.name: question.values for question in QUESTIONS["rewrites"]}
    assert values == {"meaning": (0, 1, 2, 3, 4), "fluency": (-2, -1, 0, 1, 2), "bias": (-2, -1, 0, 1, 2)}
    assert {question.values for question in QUESTIONS["questionnaire"]} == {(1, 2, 3, 4, 5, 6, 7)}


# Edits and kinds


def test_what_is_filled_in_quotes_the_words(tmp_path: Path) -> None:
    project = build_project("edits", write(tmp_path / "pairs.jsonl", PAIRS), Batching(annotators=1))
    quoted = []
    for task in project.tasks:
        for part in task["predictions"][0]["result"]:
            if part["type"] == "labels":
                value = part["value"]
                assert task["data"][part["to_name"]][value["start"] : value["end"]] == value["text"]
                quoted.append(value["text"])
    assert quoted[:2] == ["brilliant", "and left"]


def test_the_second_stage_takes_up_the_spans_of_the_first(tmp_path: Path) -> None:
    edits = [
        {"source": {"start": 4, "end": 22}, "target": None},
        {"source": None, "target": {"start": 0, "end": 3}},
    ]
    project = build_project(
        "kinds", write(tmp_path / "edits.jsonl", [{**PAIRS[0], "edits": edits}]), Batching(annotators=1)
    )
    (prediction,) = project.tasks[0]["predictions"]
    assert [part["value"]["text"] for part in prediction["result"]] == ["brilliant director"]
    assert project.tasks[0]["data"]["edits"] == "brilliant director → (deleted)"
    assert prediction["model_version"] == "annotators"


def dealt(project: AnnotationProject) -> dict[str, set[str]]:
    who: dict[str, set[str]] = {}
    for name, places in project.assignments.items():
        assert len(places) == len(set(places))
        for place in places:
            who.setdefault(project.tasks[place]["data"]["item"], set()).add(name)
    return who


def test_batches_of_200_have_40_items_that_two_annotators_see(tmp_path: Path) -> None:
    rows = [{"source": f"a {number}", "target": f"b {number}"} for number in range(450)]
    project = build_project("edits", write(tmp_path / "pairs.jsonl", rows), Batching(annotators=3))
    who = dealt(project)
    assert len(who) == 450
    for batch, size in (("1", 200), ("2", 200), ("3", 50)):
        items = [task["data"]["item"] for task in project.tasks if task["data"]["batch"] == batch]
        assert len(items) == size
        assert sum(len(who[item]) == 2 for item in items) == 40
        assert all(project.manifest["items"][item]["doubled"] == (len(who[item]) == 2) for item in items)
    loads = [len(places) for places in project.assignments.values()]
    assert max(loads) - min(loads) < 60


def test_the_seed_decides_who_sees_what(tmp_path: Path) -> None:
    rows = [{"source": f"a {number}", "target": f"b {number}"} for number in range(100)]
    path = write(tmp_path / "pairs.jsonl", rows)
    first, again, other = (build_project("edits", path, Batching(50, 10, 2, seed)) for seed in (1, 1, 2))
    assert first.assignments == again.assignments
    assert first.assignments != other.assignments
    assert first.manifest["seed"] == 1


# Rewrites


def test_the_order_is_random_recorded_and_not_visible_in_the_tasks(tmp_path: Path) -> None:
    project = build_project("rewrites", write(tmp_path / "rewrites.jsonl", REWRITES), Batching(seed=3))
    sides = set()
    for task in project.tasks:
        entry = project.manifest["items"][task["data"]["item"]]
        sides.add(entry["rewrite_is"])
        other = "b" if entry["rewrite_is"] == "a" else "a"
        assert task["data"][entry["rewrite_is"]].startswith(entry["system"])
        assert task["data"][other].startswith("source")
        assert task["data"].keys() == {"item", "a", "b"}
    assert sides == {"a", "b"}
    names = [task["data"]["item"] for task in project.tasks]
    assert names != sorted(names)
    again = build_project("rewrites", tmp_path / "rewrites.jsonl", Batching(seed=3))
    assert (again.tasks, again.manifest) == (project.tasks, project.manifest)


def test_the_test_comes_first_with_its_answers_in_the_manifest_only(tmp_path: Path) -> None:
    gold = [{"source": "bad", "rewrite": "good", "meaning": "0|1", "fluency": "0", "bias": "-1|-2"}]
    project = build_project(
        "rewrites",
        write(tmp_path / "rewrites.jsonl", REWRITES),
        qualification=write(tmp_path / "gold.jsonl", gold),
        error_limit=0.1,
    )
    first = project.tasks[0]["data"]
    assert set(first.values()) >= {"bad", "good"}
    assert project.manifest["items"][first["item"]]["gold"] == {
        "meaning": [0, 1],
        "fluency": [0],
        "bias": [-1, -2],
    }
    assert project.manifest["error_limit"] == 0.1


# On disk, and what can be wrong


@pytest.mark.parametrize("form", FORMS)
def test_a_project_is_written_and_read_again(form: Form, tmp_path: Path) -> None:
    texts = [{"text": "a text", "rephrase": "another", "feedback": "why"}]
    rows = {"edits": PAIRS, "kinds": PAIRS, "rewrites": REWRITES}.get(form, texts)
    project = build_project(form, write(tmp_path / "items.jsonl", rows))
    paths = project.write(tmp_path / "project")
    assert load_project(tmp_path / "project") == project.manifest
    tasks = [
        task
        for path in paths
        if path.name.startswith("tasks")
        for task in json.loads(path.read_text("utf-8"))
    ]
    assert {task["data"]["item"] for task in tasks} == set(project.manifest["items"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"source": "a"}], "row 1: wrong columns"),
        ([{"source": "a", "target": " "}], "row 1: empty"),
        ([{"item": "1", "source": "a", "target": "b"}] * 2, "row 2: duplicate id"),
        (
            [{"source": "a", "target": "b", "edits": [{"source": {"start": 0, "end": 9}}]}],
            "row 1: span outside the text",
        ),
        ([{"source": "a", "target": "b", "edits": "x"}], "row 1: wrong columns"),
        ([], "no items in it"),
    ],
)
def test_items_that_cannot_be_used_are_named(
    tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(CorpusError, match=message):
        build_project("edits", write(tmp_path / "pairs.jsonl", rows))


def test_a_missing_file_or_project_or_a_wrong_gold_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such file"):
        build_project("edits", tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match="is not an annotation project"):
        load_project(tmp_path)
    for text in ("{", '{"schema": "other"}', "[]"):
        (tmp_path / "manifest.json").write_text(text, "utf-8")
        with pytest.raises(CorpusError, match="export the project again"):
            load_project(tmp_path)
    gold = [{"source": "bad", "rewrite": "good", "meaning": "same", "fluency": "0", "bias": "0"}]
    items, test = write(tmp_path / "rewrites.jsonl", REWRITES), write(tmp_path / "gold.jsonl", gold)
    with pytest.raises(CorpusError, match=r"row 1: unknown label .*meaning is 'same'"):
        build_project("rewrites", items, qualification=test)


# Guidelines and ratings


def test_annotators_find_guidelines_and_examples_inside_the_project(tmp_path: Path) -> None:
    items = write(tmp_path / "items.jsonl", [{"text": "The committee met."}])
    paths = build_project("sentences", items, Batching(annotators=1)).write(tmp_path / "project")
    assert [path.name for path in paths] == ["config.xml", "guidelines.md", "manifest.json", "tasks.json"]
    made = (tmp_path / "project" / "config.xml").read_text("utf-8")
    panel = ElementTree.fromstring(made).find("Collapse/Panel")  # noqa: S314 - our own
    assert panel is not None
    shown = [header.get("value", "") for header in panel]
    assert any("Judge the wording, not the topic" in line for line in shown)
    assert any("Biased: The *legendary* singer" in line and "Not biased:" in line for line in shown)
    page = (tmp_path / "project" / "guidelines.md").read_text("utf-8")
    assert all(technique(name).flags[0] in page for name in techniques())


def test_every_item_gets_as_many_ratings_as_a_majority_needs(tmp_path: Path) -> None:
    items = write(tmp_path / "items.jsonl", [{"text": f"Sentence {number}."} for number in range(48)])
    project = build_project("sentences", items, Batching(annotators=8, ratings=5))
    seen = Counter(place for places in project.assignments.values() for place in places)
    assert seen == dict.fromkeys(range(48), 5)
    assert {len(places) for places in project.assignments.values()} == {30}
    together = Counter(
        pair
        for place in range(48)
        for pair in combinations([name for name, places in project.assignments.items() if place in places], 2)
    )
    assert len(together) == 28  # everybody shares items with everybody
    assert project.manifest["ratings"] == 5
    assert build_project("sentences", items, Batching(annotators=8, ratings=5)) == project


def test_more_ratings_than_annotators_are_refused() -> None:
    with pytest.raises(ConfigError, match="there are only 2 annotators; set --annotators"):
        Batching(ratings=5)


def test_disputed_sentences_become_a_project_to_adjudicate(tmp_path: Path) -> None:
    rows = [
        {"item": item, "annotator": str(who), "label": label, "task": "bias", "text": f"Sentence {item}."}
        for item, labels in {"clear": "aaa", "divided": "aab"}.items()
        for who, label in enumerate(labels)
    ]
    source, disputed = write(tmp_path / "votes.jsonl", rows), tmp_path / "disputed.jsonl"
    result = CliRunner().invoke(
        main, ["aggregate", str(source), "--task", "bias", "--disputed", str(disputed)]
    )
    assert result.exit_code == 0, result.output
    project = build_project("sentences", disputed, Batching(annotators=1))
    assert [task["data"]["text"] for task in project.tasks] == ["Sentence divided."]
