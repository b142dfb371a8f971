"""The editors' corpus, contrast pairs and judged edits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.own_files import FileDataset, example_to_json
from unslant.lab.corpora.tables import DataProblem

SPAN = {"start": 4, "end": 13, "grade": "must", "kind": "framing", "technique": "praise", "fix": ""}


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def passage(*sentences: Mapping[str, Any], **more: object) -> dict[str, Any]:
    shared = {"source": "docs", "genre": "documentation", "leaning": None, "outlet": None, "connected": True}
    return {**shared, "sentences": list(sentences), **more}


def sentence(name: str, *spans: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": name, "document": "guide", "text": "The brilliant tool.", "spans": list(spans), **more}


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    write(
        tmp_path / "editor/train.jsonl.gz",
        [passage(sentence("a"), sentence("b", SPAN)), passage(sentence("c"), connected=False, genre="news")],
    )
    write(
        tmp_path / "editor/dev.jsonl.gz", [passage(sentence("d", leaning="x"), leaning="left", outlet="Post")]
    )
    write(tmp_path / "editor/test.jsonl.gz", [passage(sentence("e", SPAN, second=[]))])
    return tmp_path


def test_sentences_come_in_the_order_of_their_document(editor: Path) -> None:
    examples = list(corpora.load("editor", editor, strict=True))
    assert [(example.id, example.split, example.label) for example in examples] == [
        ("a", "train", False),
        ("b", "train", True),
        ("c", "train", False),
        ("d", "dev", False),
        ("e", "test", True),
    ]
    assert (examples[0].document, examples[0].genre, examples[2].genre) == ("guide", "documentation", "news")
    assert [example.extra["connected"] for example in examples[:3]] == [True, True, False]
    assert (examples[3].leaning, examples[3].outlet) == ("left", "Post")


def test_a_span_has_grade_technique_and_fix(editor: Path) -> None:
    (span,) = list(corpora.load("editor", editor))[1].spans or ()
    assert (span.span, span.kind, span.grade) == (Span(4, 13), "framing", "must")
    assert (span.technique, span.fix) == ("praise", "")


def test_nothing_marked_by_a_second_reader_is_not_no_second_reader(editor: Path) -> None:
    examples = list(corpora.load("editor", editor))
    assert (examples[0].second, examples[4].second) == (None, ())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"grade": "perhaps"}, "unknown label"),
        ({"kind": "tone"}, "unknown label"),
        ({"technique": "shouting"}, "unknown label"),
        ({"end": 99}, "span outside the text"),
        ({"start": 13}, "span outside the text"),
    ],
)
def test_a_span_that_cannot_be_used_is_named_with_its_row(
    editor: Path, change: dict[str, Any], reason: str
) -> None:
    write(
        editor / "editor/dev.jsonl.gz", [passage(sentence("ok")), passage(sentence("x", {**SPAN, **change}))]
    )
    (problem,) = [row for row in corpora.load("editor", editor).rows() if isinstance(row, DataProblem)]
    assert (problem.file, problem.row, problem.reason) == ("dev.jsonl.gz", 2, reason)


def test_an_example_survives_its_own_file(editor: Path, tmp_path: Path) -> None:
    examples = list(corpora.load("editor", editor))
    path = tmp_path / "copy.jsonl"
    path.write_text("".join(json.dumps(example_to_json(example)) + "\n" for example in examples), "utf-8")
    copies = list(FileDataset(path))
    for name in ("id", "text", "label", "spans", "second", "kinds", "document", "genre", "split"):
        assert [getattr(copy, name) for copy in copies] == [getattr(example, name) for example in examples]


@pytest.fixture
def contrast(tmp_path: Path) -> Path:
    slanted = {"text": "The brilliant tool.", "span": "brilliant", **SPAN}
    clean = {
        "text": "A brilliant-cut diamond.",
        "span": "brilliant",
        "reason": "technical",
        "start": 2,
        "end": 11,
    }
    pair = {"slanted": slanted, "clean": clean}
    write(tmp_path / "contrast/verbs.jsonl.gz", [{"id": "v1", "word": "brilliant", **pair}])
    write(tmp_path / "contrast/modifiers.jsonl.gz", [{"id": "m1", "word": "brilliant", **pair}])
    write(tmp_path / "contrast/people.jsonl.gz", [{"id": "p1", "dimension": "gender identity", **pair}])
    return tmp_path


def test_a_contrast_pair_is_a_slanted_and_a_clean_sentence(contrast: Path) -> None:
    slanted, clean = list(corpora.load("contrast/verbs", contrast, strict=True))
    assert (slanted.pair, slanted.side, slanted.label) == ("v1", "source", True)
    assert (clean.pair, clean.side, clean.label, clean.spans) == ("v1", "target", False, ())
    assert (clean.extra["reason"], clean.extra["word"]) == ("technical", "brilliant")


def test_pairs_for_literal_senses_ship_and_have_the_word_on_both_sides() -> None:
    examples = list(corpora.load("contrast_senses", strict=True))
    assert len(examples) == 2 * 456
    for slanted, clean in zip(examples[::2], examples[1::2], strict=True):
        assert (slanted.label, clean.label) == (True, False)
        assert slanted.pair == clean.pair
        start, end = clean.extra["start"], clean.extra["end"]
        assert clean.text[start:end].strip()


def test_pairs_about_people_have_a_dimension_of_the_taxonomy(contrast: Path) -> None:
    examples = list(corpora.load("contrast", contrast))
    assert len(examples) == 6
    assert {example.dimension for example in examples} == {None, "gender"}


def test_an_edit_is_a_span_with_what_replaces_it(tmp_path: Path) -> None:
    edit = {
        "id": "b",
        "text": "The brilliant tool.",
        "start": 4,
        "end": 13,
        "replacement": "",
        "note": "article",
    }
    write(tmp_path / "edits/bad.jsonl.gz", [{**edit, "verdict": "needless"}, {**edit, "verdict": "ugly"}])
    write(tmp_path / "edits/good.jsonl.gz", [{**edit, "verdict": "good"}])
    corpus = corpora.load("edits", tmp_path)
    bad, good = list(corpus)
    assert corpus.skipped == {"unknown label": 1}
    assert (bad.id, bad.pair, bad.extra["verdict"]) == ("bad-1", "b", "needless")
    assert good.spans
    assert (good.spans[0].span, good.spans[0].fix) == (Span(4, 13), "")
    assert [example.id for example in corpora.load("edits/good", tmp_path)] == ["good-1"]
