from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab.corpora.corpus_files import write_csv
from unslant.lab import corpora
from unslant.lab.corpora.abuse import build_cad_sets
from unslant.lab.papers.bauer.figures import compare_sizes

NA = '"NA"'


def judged(name: str, text: str, primary: str = "Neutral", **more: Any) -> dict[str, Any]:
    row = {"id": "cad_1", "info_id": name, "info_thread.id": "7", "annotation_Primary": primary}
    row |= {"annotation_Secondary": NA, "annotation_Context": NA, "annotation_Target": NA}
    row |= {
        "annotation_Target_top.level.category": NA,
        "annotation_highlighted": NA,
        "split": "test",
        "meta_text": text,
    }
    return row | more


def against(target: str, dimension: str, rationale: str) -> dict[str, str]:
    return {
        "annotation_Target": target,
        "annotation_Target_top.level.category": dimension,
        "annotation_highlighted": rationale,
        "annotation_Context": "CurrentContent",
    }


@pytest.fixture
def full(tmp_path: Path) -> Path:
    identity, affiliation = "IdentityDirectedAbuse", "AffiliationDirectedAbuse"
    rows = [
        judged(
            "a",
            'Well. [linebreak] All  teachers are "dull".',
            affiliation,
            **against("teachers", "profession", "Teachers are"),
        ),
        judged("b", "Calm."),
        judged(
            "c", "The old are slow and bakers too.", identity, **against("old", "age", "The old are slow")
        ),
        judged("b2", "Calm too."),
        judged(
            "c",
            "The old are slow and bakers too.",
            affiliation,
            **against("bakers", "profession", "bakers too"),
        ),
        judged("d", "No quotation here.", identity, **against("x", "gender", "elsewhere")),
        judged("e", "Words " * 200, identity, **against("x", "gender", "Words Words"), split="train"),
        judged("f", "Short words.", identity, **against("x", "gender", "Short"), split="train"),
        judged("g", "", split="exclude_empty"),
        judged("h", "You are odd.", "PersonDirectedAbuse", annotation_highlighted="odd"),
        judged("i", "Heavy.", identity, **against("x", "weight class", "Heavy")),
        judged("j", "Do not say so.", "CounterSpeech"),
    ]
    write_csv(tmp_path / "cad" / "cad_v1_1.tsv", rows, "\t", quote=False)
    return tmp_path


def test_the_full_file_gives_targets_rationales_and_context(full: Path) -> None:
    corpus = corpora.load("cad/full", full)
    found = {example.id: example for example in corpus}
    first = found["a"]
    assert first.text == 'Well.\nAll  teachers are "dull".'
    assert first.spans
    span = first.spans[0].span
    assert first.text[span.start : span.end] == "teachers are"
    assert (first.dimension, first.extra["targets"], first.extra["context"]) == (
        "profession",
        "teachers",
        "CurrentContent",
    )
    assert (first.document, first.split, first.label) == ("7", "test", True)
    assert (found["c"].dimension, found["c"].extra["dimensions"]) == (None, "age,profession")
    assert len(found["c"].spans or ()) == 2
    assert (found["b"].label, found["b"].spans) == (False, ())
    assert (found["d"].spans, found["j"].label) == (None, None)
    assert corpus.skipped == {
        "rationale not in its text": 1,
        "left out by the publisher": 1,
        "unknown target category": 1,
    }


def test_the_four_sets_follow_the_filters(full: Path) -> None:
    examples = list(corpora.load("cad/full", full))
    sets = build_cad_sets(examples)
    assert {example.id for example in sets["diagnosis"] if example.label} == {"a", "c"}
    assert {example.id for example in sets["diagnosis"] if not example.label} == {"b", "b2"}
    assert [(example.id, example.dimension) for example in sets["identification"]] == [("a", "profession")]
    assert [example.id for example in sets["extraction"]] == ["a"]
    assert sets["rephrasing"] == sets["extraction"]
    train = build_cad_sets(examples, part="train")
    assert [example.id for example in train["identification"]] == ["f"]


def test_sizes_stand_beside_the_published_ones(full: Path) -> None:
    rows = {row.name: row for row in compare_sizes(build_cad_sets(corpora.load("cad/full", full)))}
    assert rows["diagnosis (evaluation)"].published == 1209
    assert rows["identification: profession (evaluation)"].published == 59
    assert rows["identification: profession (evaluation)"].ours == 1
    total = sum(row.published or 0 for name, row in rows.items() if ": " in name)
    assert total == rows["identification (evaluation)"].published == 580


def test_the_splits_give_diagnosis_and_group(tmp_path: Path) -> None:
    rows = [
        {"id": "a-post", "text": 'One [linebreak] "two', "labels": "IdentityDirectedAbuse"},
        {"id": "b", "text": "Two", "labels": "Neutral"},
        {"id": "c", "text": "Three", "labels": "AffiliationDirectedAbuse,IdentityDirectedAbuse"},
        {"id": "d", "text": "Four", "labels": "PersonDirectedAbuse"},
        {"id": "e", "text": "Five", "labels": "CounterSpeech"},
        {"id": "f", "text": "Six", "labels": "Odd"},
        {"id": "g", "text": "Seven", "labels": "Neutral"},
    ]
    for split in ("train", "dev", "test"):
        named = [row | {"id": f"{split}-{row['id']}"} for row in rows]
        write_csv(tmp_path / "cad" / f"cad_v1_1_{split}.tsv", named, "\t", quote=False)
    corpus = corpora.load("cad", tmp_path)
    found = list(corpus)
    assert (found[0].text, found[0].document, found[0].label) == ('One\n"two', "train-a", True)
    assert [example.label for example in found[:6]] == [True, False, True, True, None, False]
    assert corpus.skipped == {"unknown label": 3}
    sets = build_cad_sets(found)
    assert sum(bool(example.label) for example in sets["diagnosis"]) == 4
    assert len(sets["diagnosis"]) == 8
    assert [example.extra["group"] for example in sets["group"]] == ["identity", "person"] * 2
    assert {row.why for row in compare_sizes(sets)} == {
        "this copy has no rationales or dimensions to filter by"
    }


def test_the_neutral_half_is_drawn_with_a_seed(full: Path) -> None:
    examples = list(corpora.load("cad/full", full))
    assert build_cad_sets(examples, seed=3) == build_cad_sets(examples, seed=3)
