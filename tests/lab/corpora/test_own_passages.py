"""The passages that were written for this project, and their reader."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.dataset import CorpusSource, verify
from unslant.lab.corpora.own_passages import mirrors, read_own_passages, split_of
from unslant.lab.corpora.tables import DataProblem
from unslant.lab.detector.data import apply_fixes

SPAN = {"text": "big", "nth": 1, "grade": "must", "kind": "framing", "technique": "praise", "fix": ""}


def _read(folder: Path, *spans: dict[str, Any]) -> list[Any]:
    row = {"id": "p1", "genre": "jobs", "country": "Kenya"}
    sentences = [{"text": "It rained.", "spans": []}, {"text": "A big, big win.", "spans": list(spans)}]
    path = folder / "own_passages_a.jsonl"
    path.write_text(json.dumps(row | {"sentences": sentences}) + "\n", "utf-8")
    return list(read_own_passages(CorpusSource(corpora.card("own"), folder)))


def test_the_marked_words_are_found_in_their_sentence(tmp_path: Path) -> None:
    first, second = _read(tmp_path, SPAN)
    assert (first.id, first.label, first.spans) == ("p1-0", False, ())
    assert (second.document, second.genre, second.extra["country"]) == ("p1", "jobs", "Kenya")
    (marked,) = second.spans
    assert (marked.span, marked.grade, marked.technique, marked.fix) == (Span(7, 10), "must", "praise", "")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"nth": 2}, "marked words not found"),
        ({"text": "small"}, "marked words not found"),
        ({"text": ""}, "marked words not found"),
        ({"grade": "perhaps"}, "unknown label"),
    ],
)
def test_a_span_that_cannot_be_used_is_named_with_its_row(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    (problem,) = [row for row in _read(tmp_path, SPAN | change) if isinstance(row, DataProblem)]
    assert (problem.file, problem.row, problem.reason) == ("own_passages_a.jsonl", 1, reason)


def test_the_corpus_ships_and_every_row_can_be_used(tmp_path: Path) -> None:
    corpus = corpora.load("own", tmp_path, strict=True)
    assert list(verify(corpus)) == []
    passages = defaultdict(list)
    for example in corpus:
        passages[example.document].append(example)
    assert all(2 <= len(sentences) <= 6 for sentences in passages.values())
    clean = [name for name, sentences in passages.items() if not any(item.label for item in sentences)]
    assert len(passages) >= 160
    assert len(clean) >= len(passages) / 3
    assert len({sentences[0].genre for sentences in passages.values()}) >= 10
    assert len({sentences[0].extra["country"] for sentences in passages.values()}) >= 8


def test_each_fix_reads_as_a_sentence() -> None:
    for example in corpora.load("own"):
        for chosen in {example.spans, *((span,) for span in example.spans or ())}:
            fixed = apply_fixes(replace(example, spans=chosen)) if chosen else None
            if not fixed:
                continue
            assert fixed[0].isupper() or not example.text[0].isupper(), fixed
            assert fixed[-1] == example.text[-1], fixed
            assert not re.search(r"  | [,.;:?!]|\ba [aeio]|\ban [b-df-gj-np-tv-z]", fixed), fixed


def test_a_passage_and_its_mirror_are_in_the_same_part() -> None:
    examples = list(corpora.load("own"))
    parts = {example.document: example.split for example in examples}
    for passage, first in mirrors().items():
        if passage in parts:
            assert parts[passage] == split_of(first)
    shares = Counter(parts.values())
    assert shares["train"] > shares["test"] + shares["dev"]
    assert min(shares["dev"], shares["test"]) > len(parts) / 10


def test_nothing_is_downloaded_for_a_corpus_that_ships(run: Callable[..., Any]) -> None:
    assert run("get", "own").output == "own ships with unslant: there is nothing to download.\n"
    assert "own " in run("list").output
