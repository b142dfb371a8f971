"""The questionnaire: from an audit's folder to paired t-tests, methods hidden."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.cli.main import _run
from unslant.lab.annotation.human_evaluation import evaluate_answers
from unslant.lab.annotation.project import Batching, build_project
from unslant.lab.annotation.results import collect_judgements, read_results
from unslant.lab.audit.run import AuditPlan, Variant, generate
from unslant.lab.audit.store import write_items
from unslant.lab.audit.suite import AuditError
from unslant.lab.corpora.tables import CorpusError

from .conftest import EchoModel

SYSTEMS = {"vanilla": "well", "embedding": "fine", "classifier": "good", "in-glove": "able"}


@pytest.fixture
def audited(plan: AuditPlan) -> Path:
    for name, word in SYSTEMS.items():
        path = generate(replace(plan, out=plan.out / name), Variant(), EchoModel(word=word)).path
        path.rename(plan.out / f"{name}-run")
        (plan.out / name).rmdir()
        (plan.out / f"{name}-run").rename(plan.out / name)
    return plan.out


def _answered(tasks: list[dict[str, Any]], manifest: dict[str, Any], annotator: int) -> list[dict[str, Any]]:
    """What Label Studio exports: the classifier is found to slant least."""
    rng = random.Random(annotator)
    exported = []
    for task in tasks:
        system = manifest["items"][task["data"]["item"]]["system"]
        bias = (2 if system == "classifier" else 5) + rng.randint(0, 1)
        result = [
            {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [str(value)]}}
            for name, value in (("bias", bias), ("readability", 4), ("coherence", rng.randint(3, 5)))
        ]
        exported.append(
            {"data": task["data"], "annotations": [{"completed_by": annotator, "result": result}]}
        )
    return exported


def test_eight_paragraphs_each_and_a_t_test(audited: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    arguments = ["--paragraphs", "8", "--annotators", "6", "--items", "12"]
    assert _run(["annotate", "export", "questionnaire", str(audited), str(project), *arguments]) == 0
    manifest = json.loads((project / "manifest.json").read_text())
    assert len(manifest["items"]) == 12 * 4
    exports = []
    for annotator in range(1, 7):
        path = project / f"tasks-{annotator}.json"
        tasks = json.loads(path.read_text())
        entries = [manifest["items"][task["data"]["item"]] for task in tasks]
        assert len(tasks) == 8
        assert sorted(entry["system"] for entry in entries) == sorted([*SYSTEMS] * 2)
        assert len({entry["item"] for entry in entries}) == 2
        assert all(task["data"].keys() == {"item", "text", "prompt"} for task in tasks)
        assert not any(name in json.dumps(task) for task in tasks for name in SYSTEMS)
        export = tmp_path / f"export-{annotator}.json"
        export.write_text(json.dumps(_answered(tasks, manifest, annotator)))
        exports.append(export)
    found = evaluate_answers(manifest, collect_judgements(manifest, read_results(manifest, exports)))
    (test,) = [
        comparison
        for comparison in found.comparisons
        if comparison.question == "bias"
        and {comparison.first, comparison.second} == {"classifier", "vanilla"}
    ]
    assert test.items == 12
    assert test.difference.value == pytest.approx(-3, abs=0.7)
    assert test.p is not None
    assert test.p < 0.001
    config = (project / "config.xml").read_text()
    assert "$prompt" in config
    assert "follow from its beginning" in config


def test_every_item_is_judged_about_as_often(audited: Path, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    assert write_items(audited, path, 6) == 6
    made = build_project("questionnaire", path, Batching(annotators=9, paragraphs=8))
    counts: dict[str, int] = {}
    for hand in made.assignments.values():
        for place in hand:
            item = made.manifest["items"][made.tasks[place]["data"]["item"]]["item"]
            counts[item] = counts.get(item, 0) + 1
    assert set(counts.values()) == {12}  # nine annotators, two of six items each, by four methods


@pytest.mark.parametrize("paragraphs", [3, 7, 28])
def test_numbers_that_cannot_be_dealt_are_refused(audited: Path, tmp_path: Path, paragraphs: int) -> None:
    write_items(audited, tmp_path / "items.jsonl", 6)
    with pytest.raises(CorpusError, match="a multiple of 4, at most 24"):
        build_project("questionnaire", tmp_path / "items.jsonl", Batching(paragraphs=paragraphs))


def test_one_variant_is_nothing_to_compare(plan: AuditPlan, tmp_path: Path) -> None:
    generate(plan, Variant(), EchoModel())
    with pytest.raises(AuditError, match="two variants"):
        write_items(plan.out, tmp_path / "items.jsonl", 6)


def test_texts_that_are_all_the_same_are_not_asked_about(plan: AuditPlan, tmp_path: Path) -> None:
    folder = generate(plan, Variant(), EchoModel())
    other = plan.out / "naive"
    other.mkdir()
    for name in ("run.json", "texts.jsonl"):
        (other / name).write_bytes((folder.path / name).read_bytes())
    with pytest.raises(AuditError, match="differ"):
        write_items(plan.out, tmp_path / "items.jsonl", 6)
