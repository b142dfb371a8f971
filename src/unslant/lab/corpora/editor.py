"""The editors' corpus, contrast pairs and judged edits: what an editor would change, leave alone or reject.

docs/data.md defines the annotation: an editor reads every sentence in its context and marks the minimal words that they
would ask the writer to change, with a grade, a kind, a technique and a fix.

The labels of four corpora are ours and ship with unslant (:data:`LABELLED`; ``NAME_labels.jsonl.gz``, Apache-2.0).
The text is not: it comes from AllSides articles, the Propaganda Techniques Corpus, WIKIBIAS and Wikipedia neutrality
edits, each under its own terms. Every sentence is named by its document, its offset and length there, and the beginning
of its SHA-256, so that a different copy is noticed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.example import Example, LabelledSpan
from unslant.core.taxonomy import kinds, techniques
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import card, dimension_map
from unslant.lab.corpora.tables import (
    CorpusMissing,
    DataProblem,
    TableRow,
    UnusableRow,
    convert_rows,
    read_jsonl,
    span_in,
)

if TYPE_CHECKING:
    from unslant.lab.corpora.dataset import CorpusSource

GRADES = ("must", "may")
VERDICTS = (
    *("good", "ungrammatical", "loses-fact", "changes-meaning", "not-neutral", "needless", "swaps-side"),
)
"""How an edit was judged: good, or the first thing that is wrong with it."""

_PASSAGE = ("source", "genre", "connected", "sentences")
_SHARED = ("source", "genre", "leaning", "outlet", "connected")
_LEANINGS = (None, "left", "center", "right")


def read_editor(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per sentence, passage by passage, so that its neighbours are its context.

    The sentences of a passage share their ``document``, unless ``extra["connected"]`` is false: then they were put
    together from several documents, and the neighbours are no context.
    """
    for file in source.card.files:
        split = file.name.partition(".")[0]
        rows = read_jsonl(source.path(file.name), _PASSAGE)
        yield from convert_rows(rows, partial(_passage, split=split, source=source))


def _passage(row: TableRow, split: str, source: CorpusSource) -> Iterator[Example | DataProblem]:
    shared = {
        "split": split,
        "genre": row.text("genre"),
        "leaning": row.choice("leaning", _LEANINGS),
        "outlet": row.text("outlet") or None,
        "extra": {"origin": row.text("source"), "connected": bool(row.values["connected"])},
    }
    for sentence in row.values["sentences"]:
        try:
            spans = labelled_spans(sentence["spans"], sentence["text"])
            second = labelled_spans(sentence["second"], sentence["text"]) if "second" in sentence else None
            name, text, document = sentence["id"], sentence["text"], sentence["document"]
        except (KeyError, TypeError) as error:
            yield row.problem("wrong columns", f"a sentence without {error}")
        except UnusableRow as error:
            yield row.problem(*error.args)
        else:
            yield source.example(
                name,
                text,
                label=bool(spans),
                spans=spans,
                kinds=frozenset(labelled.kind for labelled in spans if labelled.kind),
                second=second,
                document=document,
                **shared,
            )


def labelled_spans(items: Sequence[Mapping[str, Any]], text: str) -> tuple[LabelledSpan, ...]:
    """Return the marked spans of a text in order; ``UnusableRow`` says what is wrong with one."""
    return tuple(sorted((_labelled_span(item, text) for item in items), key=lambda labelled: labelled.span))


def _labelled_span(item: Mapping[str, Any], text: str) -> LabelledSpan:
    known = (("grade", GRADES), ("kind", kinds()), ("technique", techniques()))
    for name, values in known:
        if item[name] not in values:
            raise UnusableRow("unknown label", f"{name} {item[name]!r}")
    span = span_in(text, item["start"], item["end"])
    return LabelledSpan(span, item["kind"], technique=item["technique"], grade=item["grade"], fix=item["fix"])


def read_contrast(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the slanted and the clean sentence of each pair; the clean one has the reason in ``extra``.

    In the clean sentence the word stands at ``extra["start"]`` to ``extra["end"]``, unmarked.
    """
    wanted = source.card.variant or "all"
    for name in ("verbs", "modifiers", "people"):
        if wanted in ("all", name):
            rows = read_jsonl(source.path(f"{name}.jsonl.gz"), ("id", "slanted", "clean"))
            yield from convert_rows(rows, partial(_contrast_pair, source=source))


def read_senses(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield the pairs of :func:`read_contrast` that ship with unslant."""
    for file in source.card.files:
        rows = read_jsonl(source.path(file.name), ("id", "slanted", "clean"))
        yield from convert_rows(rows, partial(_contrast_pair, source=source))


def _contrast_pair(row: TableRow, source: CorpusSource) -> Iterator[Example | DataProblem]:
    slanted, clean = row.values["slanted"], row.values["clean"]
    dimension = row.text("dimension")
    try:
        labelled = _labelled_span(slanted, slanted["text"])
        dimensions = dimension_map("contrast")
        shared = {"pair": row.text("id"), "dimension": dimensions[dimension] if dimension else None}
        texts = slanted["text"], clean["text"]
        extra = {name: clean[name] for name in ("reason", "start", "end")}
    except (KeyError, TypeError) as error:
        raise UnusableRow("wrong columns", f"no {error}") from None
    word = {"word": row.text("word") or str(slanted.get("span", ""))}
    yield source.example(
        f"{row.text('id')}-slanted",
        texts[0],
        label=True,
        spans=(labelled,),
        kinds=frozenset(filter(None, [labelled.kind])),
        side="source",
        extra=word,
        **shared,
    )
    yield source.example(
        f"{row.text('id')}-clean",
        texts[1],
        label=False,
        spans=(),
        kinds=frozenset[str](),
        side="target",
        extra=word | extra,
        **shared,
    )


def read_edits(source: CorpusSource) -> Iterator[Example | DataProblem]:
    """Yield one example per judged edit: its span is what the edit replaces, its ``fix`` the replacement.

    The verdict is ``extra["verdict"]``. Edits of one sentence share ``pair``, the id of the sentence in ``editor``.
    """
    columns = ("id", "text", "start", "end", "replacement", "verdict")
    for name in ("bad", "good"):
        if source.card.variant in ("all", name):
            rows = read_jsonl(source.path(f"{name}.jsonl.gz"), columns)
            yield from convert_rows(rows, partial(_judged_edit, name=name, source=source))


def _judged_edit(row: TableRow, name: str, source: CorpusSource) -> Iterator[Example]:
    text, verdict = row.text("text"), row.choice("verdict", VERDICTS)
    span = span_in(text, row.values["start"], row.values["end"])
    yield source.example(
        f"{name}-{row.number}",
        text,
        split="train",
        spans=(LabelledSpan(span, fix=row.text("replacement")),),
        pair=row.text("id"),
        extra={"verdict": verdict, "note": row.text("note")},
    )


EDITOR = "editor"
"""The corpus that editors marked."""

OWN = "own"
"""The passages that were written for this project."""

CALIBRATION = "calibration"
"""The training documents that are kept for calibration: no network learns from them."""

GENRES = {
    "people": ("jobs", "hr", "school"),
    "promotion": ("press", "product", "tourism", "ngo", "biography", "ai"),
    "opinion": ("opinion",),
    "docs": ("documentation",),
    "encyclopedia": ("encyclopedia",),
    "news": ("news", "worldnews", "science", "notice", "blog"),
}
"""The genres that each profile is meant for."""

_PROFILES = {genre: profile for profile, genres in GENRES.items() for genre in genres}
EVERYTHING = "everything"
"""All passages of a corpus."""

_EVERY = 12
_JOINED, _APART = " ", "\n\n"


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A document of the corpus as running text, with what the editor marked."""

    id: str
    text: str
    marked: tuple[LabelledSpan, ...]
    """In positions of the text."""
    genre: str
    leaning: str | None
    origin: str
    """The corpus that the text comes from."""
    words: int

    @property
    def profile(self) -> str:
        """The name of the profile that the text belongs to by its genre."""
        return _PROFILES.get(self.genre, "news")


def part_of(example: Example) -> str:
    """Return the part that an example is used in: its split, or ``calibration`` for every twelfth training document."""
    digest = int(hashlib.sha256((example.document or "").encode()).hexdigest(), 16)
    return CALIBRATION if example.split == "train" and digest % _EVERY == 0 else example.split or ""


def read_passages(examples: Iterable[Example], part: str) -> Iterator[MarkedPassage]:
    """Join the sentences of each document, in order."""
    chosen = (example for example in examples if part in (EVERYTHING, part_of(example)))
    for document, group in groupby(chosen, key=lambda example: example.document):
        sentences = list(group)
        first = sentences[0]
        separator = _JOINED if first.extra.get("connected") else _APART
        text, marked = _join(((sentence.text, sentence.spans or ()) for sentence in sentences), separator)
        origin = str(first.extra.get("origin", ""))
        words = len(text.split())
        yield MarkedPassage(str(document), text, marked, first.genre or "", first.leaning, origin, words)


def _join(
    sentences: Iterable[tuple[str, Sequence[LabelledSpan]]], separator: str
) -> tuple[str, tuple[LabelledSpan, ...]]:
    """Join sentences, and return their spans by the positions in the whole text."""
    text, marked = "", []
    for sentence, spans in sentences:
        text += separator if text else ""
        for labelled in spans:
            place = Span(labelled.span.start + len(text), labelled.span.end + len(text))
            marked.append(replace(labelled, span=place))
        text += sentence
    return text, tuple(marked)


NATURAL = "editor_natural"
"""The passages of the same kind that were drawn at random, to fit what the product reports."""

LABELLED = (EDITOR, "editor_extra", "editor_selected", NATURAL)
"""The corpora whose labels ship with unslant."""


SPAN_FIELDS = ("start", "end", "grade", "kind", "technique", "fix")
"""What is stored about each marked span, in order."""


@dataclass(frozen=True, slots=True)
class Joined:
    """The result of joining labels and text."""

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

    Sentences of corpora that are not installed, or whose text differs, are left out and counted.
    """
    found: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    lines: dict[str, list[str]] = {file.name: [] for file in card(corpus).files}
    for passage, texts in _with_text(corpus, data):
        sentences = []
        for labels, text in texts:
            (missing if text is None else found)[passage["source"]] += 1
            if text is not None:
                sentences.append(_sentence(labels, text))
        if sentences:
            shared = {name: passage[name] for name in _SHARED}
            lines[f"{passage['split']}.jsonl.gz"].append(
                json.dumps({**shared, "sentences": sentences}, ensure_ascii=False)
            )
    out.mkdir(parents=True, exist_ok=True)
    for name, rows in lines.items():
        content = "".join(f"{row}\n" for row in rows).encode("utf-8")
        (out / name).write_bytes(gzip.compress(content, mtime=0))
    return Joined(dict(found), dict(missing))


def read_natural(folders: Sequence[Path]) -> list[MarkedPassage]:
    """Return the passages that were drawn at random and whose text is in one of these folders of corpora."""
    data = next((folder for folder in folders if (folder / "allsides").is_dir()), None)
    passages = []
    for passage, texts in _with_text(NATURAL, data) if data else ():
        sentences = [
            (text, labelled_spans(_spans(labels.get("spans", ())), text))
            for labels, text in texts
            if text is not None
        ]
        text, marked = _join(sentences, _JOINED)
        if text:
            name, shared = passage["sentences"][0]["document"], ("genre", "leaning", "source")
            genre, leaning, origin = (passage[key] for key in shared)
            passages.append(MarkedPassage(name, text, marked, genre, leaning, origin, len(text.split())))
    return passages


def _with_text(
    corpus: str, data: Path
) -> Iterator[tuple[dict[str, Any], list[tuple[dict[str, Any], str | None]]]]:
    """Yield each passage of labels, and its sentences with their text, as far as there is a copy of it."""
    find = _TextFinder(data)
    for passage in read_labels(corpus):
        yield passage, [(labels, find(passage["source"], labels)) for labels in passage["sentences"]]


def _sentence(labels: Mapping[str, Any], text: str) -> dict[str, Any]:
    sentence = {"id": labels["id"], "document": labels["document"], "text": text}
    sentence["spans"] = _spans(labels.get("spans", ()))
    if "second" in labels:
        sentence["second"] = _spans(labels["second"])
    return sentence


def _spans(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(SPAN_FIELDS, row, strict=True)) for row in rows]


class _TextFinder:
    """Finds sentences in the copies of the corpora that they come from; each corpus is read once."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._texts: dict[str, Mapping[str, str]] = {}

    def __call__(self, source: str, labels: Mapping[str, Any]) -> str | None:
        """Return the text of a sentence; None if there is no copy of it."""
        if source not in self._texts:
            self._texts[source] = self._read(source)
        text = self._texts[source].get(labels.get("example") or labels["document"])
        if text is None:
            return None
        start = labels.get("start", 0)
        sentence = text[start : start + labels["length"]]
        digest = hashlib.sha256(sentence.encode("utf-8", "surrogatepass")).hexdigest()
        return sentence if digest.startswith(labels["sha256"]) else None

    def _read(self, source: str) -> Mapping[str, str]:
        from unslant.lab import corpora

        path = self._data / "ptc" / "articles.jsonl.gz"
        if source == "ptc" and path.is_file():
            rows = (row for row in read_jsonl(path, ("id", "text")) if isinstance(row, TableRow))
            return {row.text("id"): row.text("text") for row in rows}
        if source not in ("allsides", "npov", "wikibias"):
            return {}
        try:
            return {example.id: example.text for example in corpora.load(source, self._data)}
        except CorpusMissing:
            return {}
