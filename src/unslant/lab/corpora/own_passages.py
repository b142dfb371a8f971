"""Passages that were written for this project, in many genres and in the English of several countries.

Text and labels are ours and ship with unslant. A sentence is marked as in the editors' corpus, except that a span gives
the marked words instead of their position: ``text``, and ``nth`` (from 0) where the words occur more than once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.core.example import Example
from unslant.lab.corpora.dataset import CorpusSource
from unslant.lab.corpora.editor import labelled_spans
from unslant.lab.corpora.tables import DataProblem, TableRow, UnusableRow, convert_rows, read_jsonl

_PASSAGE = ("id", "genre", "country", "sentences")
_PARTS = ("train", "train", "train", "dev", "test")


def read_own_passages(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence, passage by passage."""
    for file in source.present:
        rows = read_jsonl(source.path(file.name), _PASSAGE)
        yield from convert_rows(rows, lambda row: _passage(row, source))


def split_of(passage: str) -> str:
    """Return the split of a passage, by its id: train (60 %), dev or test; mirrored passages share one."""
    digest = hashlib.sha256(mirrors().get(passage, passage).encode("utf-8")).hexdigest()
    return _PARTS[int(digest, 16) % len(_PARTS)]


@cache
def mirrors() -> Mapping[str, str]:
    """Return the first of the passages that say the same about two sides, by the id of each of them."""
    lines = files("unslant.lab.corpora").joinpath("own_mirrors.txt").read_text("utf-8").splitlines()
    groups = [line.split() for line in lines if not line.startswith("#")]
    return {passage: group[0] for group in groups for passage in group}


def _passage(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    passage = row.text("id")
    extra = {"origin": source.name, "connected": True, "country": row.text("country")}
    for number, sentence in enumerate(row.values["sentences"]):
        try:
            text = sentence["text"]
            spans = labelled_spans([_placed(item, text) for item in sentence["spans"]], text)
        except (KeyError, TypeError) as error:
            yield row.problem("wrong columns", f"a sentence without {error}")
        except UnusableRow as error:
            yield row.problem(*error.args)
        else:
            yield source.example(
                f"{passage}-{number}",
                text,
                label=bool(spans),
                spans=spans,
                kinds=frozenset(labelled.kind for labelled in spans if labelled.kind),
                document=passage,
                split=split_of(passage),
                genre=row.text("genre"),
                extra=extra,
            )


def _placed(item: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return a span with the position of its words."""
    words, start = item["text"], -1
    for _ in range((item.get("nth") or 0) + 1):
        start = text.find(words, start + 1)
        if start < 0 or not words:
            raise UnusableRow("marked words not found", f"{words!r} in {text!r}")
    return {**item, "start": start, "end": start + len(words)}
