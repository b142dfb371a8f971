"""The labels of the editors' corpora without their text, and how they are joined to copies of the text.

The labels are ours and ship with unslant (``editor_labels.jsonl.gz`` and ``editor_extra_labels.jsonl.gz``, Apache-2.0).
The text is not: it comes from AllSides articles, the Propaganda Techniques Corpus, WIKIBIAS and Wikipedia neutrality
edits, each under its own terms. Every sentence is named by its document, its offset and length there, and the beginning
of its SHA-256, so that a different copy is noticed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from unslant.lab.corpora.catalogue import card
from unslant.lab.corpora.problems import CorpusMissing
from unslant.lab.corpora.tables import TableRow, read_jsonl

__all__ = ["FIELDS", "LABELLED", "Joined", "join_labels", "read_labels"]

LABELLED = ("editor", "editor_extra")
"""The corpora whose labels ship with unslant."""


FIELDS = ("start", "end", "grade", "kind", "technique", "fix")
"""What is stored about each marked span, in order."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What came of joining labels and text."""

    sentences: Mapping[str, int]
    """Sentences whose text was found, by the corpus it comes from."""
    missing: Mapping[str, int]
    """Sentences whose text was not found."""


def read_labels(corpus: str) -> Iterator[dict[str, Any]]:
    """Yield the labels of a corpus, passage by passage."""
    content = files("unslant.lab.corpora").joinpath(f"{corpus}_labels.jsonl.gz").read_bytes()
    for line in gzip.decompress(content).decode("utf-8").splitlines():
        yield json.loads(line)


def join_labels(corpus: str, data: Path, out: Path) -> Joined:
    """Write a corpus to a folder, as ``corpora.load`` reads it, with the text of the copies in ``data``.

    Sentences of corpora that are not there, or whose text differs, are left out and counted.
    """
    find = _TextFinder(data)
    found: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    lines: dict[str, list[str]] = {file.name: [] for file in card(corpus).files}
    for passage in read_labels(corpus):
        source = passage["source"]
        sentences = []
        for labels in passage["sentences"]:
            text = find(source, labels)
            (missing if text is None else found)[source] += 1
            if text is not None:
                sentences.append(_sentence(labels, text))
        if sentences:
            shared = {name: passage[name] for name in ("source", "genre", "leaning", "outlet", "connected")}
            lines[f"{passage['split']}.jsonl.gz"].append(
                json.dumps({**shared, "sentences": sentences}, ensure_ascii=False)
            )
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in lines.items():
        content = "".join(f"{row}\n" for row in rows).encode("utf-8")
        (out / name).write_bytes(gzip.compress(content, mtime=0))
    return Joined(dict(found), dict(missing))


def _sentence(labels: Mapping[str, Any], text: str) -> dict[str, Any]:
    sentence = {"id": labels["id"], "document": labels["document"], "text": text}
    sentence["spans"] = _spans(labels.get("spans", ()))
    if "second" in labels:
        sentence["second"] = _spans(labels["second"])
    return sentence


def _spans(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(FIELDS, row, strict=True)) for row in rows]


class _TextFinder:
    """Finds sentences in the copies of the corpora that they come from; each corpus is read once."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._texts: dict[str, Mapping[str, str]] = {}
        self._readers: dict[str, Callable[[], Mapping[str, str]]] = {
            "allsides": lambda: self._examples("allsides"),
            "npov": lambda: self._examples("npov"),
            "ptc": self._articles,
            "wikibias": lambda: self._examples("wikibias"),
        }

    def __call__(self, source: str, labels: Mapping[str, Any]) -> str | None:
        """Return the text of a sentence; None if there is no copy of it."""
        if source not in self._readers:
            return None
        if source not in self._texts:
            self._texts[source] = self._readers[source]()
        text = self._texts[source].get(labels.get("example") or labels["document"])
        if text is None:
            return None
        start = labels.get("start", 0)
        sentence = text[start : start + labels["length"]]
        digest = hashlib.sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()
        return sentence if digest.startswith(labels["sha256"]) else None

    def _examples(self, name: str) -> Mapping[str, str]:
        from unslant.lab import corpora

        try:
            return {example.id: example.text for example in corpora.load(name, self._data)}
        except CorpusMissing:
            return {}

    def _articles(self) -> Mapping[str, str]:
        path = self._data / "ptc" / "articles.jsonl.gz"
        if not path.is_file():
            return {}
        rows = (row for row in read_jsonl(path, ("id", "text")) if isinstance(row, TableRow))
        return {row.text("id"): row.text("text") for row in rows}
