"""The labels that ship, joined to copies of the text."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from unslant.core.taxonomy import techniques
from unslant.lab import corpora
from unslant.lab.corpora import editor
from unslant.lab.corpora.editor import LABELLED, SPAN_FIELDS, join_labels, read_labels, read_natural


def test_the_labels_hold_no_text_but_the_fixes() -> None:
    sentences = [sentence for passage in read_labels("editor") for sentence in passage["sentences"]]
    assert len(sentences) == 12_149 + 776 + 1_564
    assert sum(len(sentence.get("spans", ())) for sentence in sentences) == 7_210
    allowed = {"id", "document", "example", "length", "sha256", "start", "spans", "second"}
    assert {key for sentence in sentences for key in sentence} == allowed
    for sentence in sentences:
        for span in sentence.get("spans", ()):
            found = dict(zip(SPAN_FIELDS, span, strict=True))
            assert 0 <= found["start"] < found["end"] <= sentence["length"]
            assert found["grade"] in ("must", "may")
            assert found["technique"] in techniques()


def test_labels_meet_their_text_and_a_different_copy_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = "The council met on Monday. The legendary mayor spoke."
    folder = tmp_path / "ptc"
    folder.mkdir()
    with gzip.open(folder / "articles.jsonl.gz", "wt") as file:
        file.write(json.dumps({"id": "7", "text": article}) + "\n")

    def labels(text: str, start: int, **more: object) -> dict[str, object]:
        sha256 = hashlib.sha256(text.encode()).hexdigest()[:16]
        return {
            "id": str(start),
            "document": "7",
            "start": start,
            "length": len(text),
            "sha256": sha256,
            **more,
        }

    span = [4, 14, "must", "framing", "praise", ""]
    passage = {
        "source": "ptc",
        "genre": "news",
        "leaning": None,
        "outlet": None,
        "connected": True,
        "split": "dev",
        "sentences": [
            labels("The council met on Monday.", 0),
            labels("The legendary mayor spoke.", 27, spans=[span]),
            labels("The legendary major spoke.", 27),
        ],
    }
    monkeypatch.setattr(editor, "read_labels", lambda _corpus: iter([passage]))
    joined = join_labels("editor", tmp_path, tmp_path / "editor")
    assert (joined.sentences, joined.missing) == ({"ptc": 2}, {"ptc": 1})
    clean, slanted = corpora.load("editor", tmp_path)
    assert (clean.text, clean.spans) == ("The council met on Monday.", ())
    assert slanted.spans is not None
    (marked,) = slanted.spans
    assert slanted.text[marked.span.start : marked.span.end] == "legendary "
    assert (marked.grade, marked.technique, marked.fix) == ("must", "praise", "")


@pytest.mark.shared
def test_the_labels_rebuild_the_corpus_but_for_documentation(shared_data: Path, tmp_path: Path) -> None:
    joined = join_labels("editor", shared_data, tmp_path / "editor")
    assert joined.missing == {"docs": 948}
    ours = {example.id: example for example in corpora.load("editor", tmp_path)}
    theirs = {example.id: example for example in corpora.load("editor", shared_data)}
    assert Counter(example.genre for example in ours.values())["news"] == 11_621
    for name, example in ours.items():
        assert (example.text, example.spans, example.second) == (
            theirs[name].text,
            theirs[name].spans,
            theirs[name].second,
        )


@pytest.mark.parametrize("corpus", LABELLED)
def test_labels_never_overlap_within_a_sentence(corpus: str) -> None:
    for passage in read_labels(corpus):
        for sentence in passage["sentences"]:
            spans = [span[:2] for span in sentence.get("spans", ())]
            assert all(left[1] <= right[0] for left, right in pairwise(sorted(spans)))


@pytest.mark.parametrize("corpus", ["editor_extra", "editor_selected", "editor_natural"])
def test_other_passages_are_for_training_and_come_from_other_documents(corpus: str) -> None:
    extra = list(read_labels(corpus))
    assert {passage["split"] for passage in extra} == {"train"}
    documents = {sentence["document"] for passage in extra for sentence in passage["sentences"]}
    measured = {
        sentence["document"]
        for passage in read_labels("editor")
        for sentence in passage["sentences"]
        if passage["split"] != "train"
    }
    assert not documents & measured


@pytest.mark.shared
def test_extra_labels_meet_their_text(shared_data: Path, tmp_path: Path) -> None:
    joined = join_labels("editor_extra", shared_data, tmp_path / "editor_extra")
    assert set(joined.missing) == {"docs"}
    assert sum(joined.sentences.values()) == 14_417


@pytest.mark.shared
def test_selected_passages_come_from_both_sides_alike(shared_data: Path, tmp_path: Path) -> None:
    joined = join_labels("editor_selected", shared_data, tmp_path / "editor_selected")
    assert not joined.missing
    assert sum(joined.sentences.values()) == 3_184
    sides = Counter(passage["leaning"] for passage in read_labels("editor_selected"))
    assert sides["left"] == sides["right"]


@pytest.mark.shared
def test_natural_passages_meet_their_text_in_order(shared_data: Path) -> None:
    passages = read_natural([shared_data])
    assert len(passages) == 742
    assert sum(len(passage.marked) for passage in passages) == 2_183
    for passage in passages:
        assert all(passage.text[span.span.start : span.span.end].strip() for span in passage.marked)
    said = [
        (passage.leaning, passage.text[s.span.start : s.span.end])
        for passage in passages
        for s in passage.marked
    ]
    assert {leaning for leaning, _ in said} == {"left", "center", "right"}


def test_natural_passages_without_a_copy_of_their_text_are_none(tmp_path: Path) -> None:
    assert read_natural([tmp_path]) == []
