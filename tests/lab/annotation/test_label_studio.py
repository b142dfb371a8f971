from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unslant.core.types import Span
from unslant.lab.annotation.reading import read_annotations
from unslant.lab.corpora.dataset import NOTHING
from unslant.lab.corpora.tables import CorpusError

TEXT = "A 🎬 truly odd film"


def mark(
    start: int, end: int, quote: str | None, label: str = "slant", id_: str = "r1", to: str = "text"
) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label]}
    if quote is not None:
        value["text"] = quote
    return {"id": id_, "type": "labels", "from_name": "marks", "to_name": to, "value": value}


def choice(name: str, *values: str, id_: str = "c1") -> dict[str, Any]:
    return {
        "id": id_,
        "type": "choices",
        "from_name": name,
        "to_name": "text",
        "value": {"choices": list(values)},
    }


def task(*annotations: dict[str, Any], id_: int = 1, **data: Any) -> dict[str, Any]:
    return {"id": id_, "data": {"text": TEXT, **data}, "annotations": list(annotations)}


def done(who: Any, *result: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"completed_by": who, "result": list(result), **more}


def export(folder: Path, *tasks: dict[str, Any]) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps(list(tasks)), "utf-8")
    return path


def test_answers_spans_and_who_gave_them(tmp_path: Path) -> None:
    rating = {"id": "n", "type": "rating", "from_name": "stars", "to_name": "text", "value": {"rating": 4}}
    path = export(
        tmp_path,
        task(
            done(7, mark(4, 9, "truly"), choice("bias", "yes"), rating),
            done({"id": 8, "email": "b@example.org"}, choice("bias", "no")),
            item="s1",
            batch=3,
        ),
    )
    found = [
        (
            annotation.item,
            annotation.annotator,
            annotation.task,
            annotation.label,
            annotation.batch,
            annotation.span,
        )
        for annotation in read_annotations(path)
    ]
    assert found == [
        ("s1", "7", "bias", "yes", "3", None),
        ("s1", "7", "stars", "4", "3", None),
        ("s1", "7", "marks", "slant", "3", Span(4, 9)),
        ("s1", "b@example.org", "bias", "no", "3", None),
        ("s1", "b@example.org", "marks", NOTHING, "3", None),
    ]


def test_several_choices_are_one_answer_whatever_their_order(tmp_path: Path) -> None:
    path = export(tmp_path, task(done(1, choice("kind", "b", "a")), done(2, choice("kind", "a", "b"))))
    assert {annotation.label for annotation in read_annotations(path)} == {"a+b"}


def test_an_answer_about_a_region_is_an_item_of_its_own(tmp_path: Path) -> None:
    path = export(tmp_path, task(done(1, mark(4, 9, "truly"), choice("kind", "framing", id_="r1"))))
    answer = next(annotation for annotation in read_annotations(path) if annotation.task == "kind")
    assert (answer.item, answer.label, answer.text) == ("1:text:4-9", "framing", "truly")


@pytest.mark.parametrize(("start", "end"), [(4, 9), (5, 10)])
def test_code_points_and_utf16_units_are_both_understood(tmp_path: Path, start: int, end: int) -> None:
    path = export(tmp_path, task(done(1, mark(start, end, "truly"))))
    assert [annotation.span for annotation in read_annotations(path)] == [Span(4, 9)]


def test_a_cancelled_task_is_no_judgement(tmp_path: Path) -> None:
    path = export(
        tmp_path, task(done(1, choice("bias", "yes")), done(2, choice("bias", "no"), was_cancelled=True))
    )
    assert [annotation.annotator for annotation in read_annotations(path)] == ["1"]


def test_the_short_form(tmp_path: Path) -> None:
    row = {
        "item": "s1",
        "source": "An odd film",
        "target": "A film",
        "id": 12,
        "before": [{"start": 3, "end": 6, "text": "odd", "labels": ["edited"]}],
        "kind": [{"start": 3, "end": 6, "text": "odd", "choices": ["framing"]}],
        "bias": "yes",
        "stars": [{"rating": 4}],
        "many": {"choices": ["b", "a"]},
        "annotator": 4,
        "annotation_id": 9,
        "created_at": "2025-01-01",
    }
    path = tmp_path / "short.json"
    path.write_text(json.dumps([row]), "utf-8")
    found = {annotation.task: annotation for annotation in read_annotations(path)}
    assert found["before"].span == Span(3, 6)
    assert found["before"].text == "An odd film"
    assert {name: item.label for name, item in found.items()} == {
        "before": "edited",
        "kind": "framing",
        "bias": "yes",
        "stars": "4",
        "many": "a+b",
    }
    assert {annotation.annotator for annotation in found.values()} == {"4"}


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([task(done(1, mark(4, 9, "film")))], "row 1: span outside the text .*do not stand"),
        ([task(), task(done(1, mark(4, 99, None)))], "row 2: span outside the text"),
        ([task(done(1, mark(9, 4, None)))], "row 1: span outside .*empty or reversed"),
        (
            [task(done(1, choice("bias", "a"))), task(done(1, choice("bias", "b")))],
            "row 2: duplicate judgement",
        ),
        ([{"text": "no annotations"}], "row 1: wrong columns"),
    ],
)
def test_problems_are_named_with_the_task(tmp_path: Path, tasks: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(CorpusError, match=rf"export\.json, {message}"):
        read_annotations(export(tmp_path, *tasks))


def test_a_truncated_or_foreign_file_is_named(tmp_path: Path) -> None:
    path = export(tmp_path, task(done(1, choice("bias", "yes"))))
    path.write_text(path.read_text("utf-8")[:-9], "utf-8")
    with pytest.raises(CorpusError, match=r"export\.json, row 1: not JSON"):
        read_annotations(path)
    path.write_text('{"a": 1}', "utf-8")
    with pytest.raises(CorpusError, match="it should be a list of tasks"):
        read_annotations(path)
    path.write_bytes(b'["\xff"]')
    with pytest.raises(CorpusError, match="mixed encodings"):
        read_annotations(path)
