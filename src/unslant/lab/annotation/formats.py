"""Annotations in plain tables, BRAT standoff and doccano exports.

Offsets are code points in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unslant.core.errors import InputError, UnknownName
from unslant.core.files import read_text
from unslant.core.types import Span
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.corpora.tables import DataProblem, TableRow, read_jsonl, read_rows

_FIELDS = ("item", "annotator", "label", "task", "batch", "text", "start", "end")
_NEEDED = ("item", "annotator", "label")
_ANNOTATOR = ("annotator", "username", "annotation_approver")
_BOUND = re.compile(r"T\S*\t(?P<label>\S+) (?P<ranges>\d+ \d+(?:;\d+ \d+)*)\t(?P<quote>.*)")
_KNOWN = re.compile(r"[TREAMN#*]\S*\t|\*\t|#\S*\t")


@dataclass(frozen=True, slots=True)
class AnnotationOptions:
    """How annotations are read."""

    format: str | None = None
    """A key of ``FORMATS``; None: detected from the file."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """For tables: which column holds the item, annotator, label, task, batch, text, start or end."""
    labels: frozenset[str] = frozenset()
    """The labels that may occur; empty: any."""
    data: Path | None = None
    """The folder of the registered corpora."""


class SeenJudgements:
    """Detects a second judgement of the same item by the same annotator."""

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], int | None] = {}

    def check(self, annotation: Annotation, file: str, row: int | None) -> DataProblem | None:
        """Return the problem if this annotator has already judged this, else remember it."""
        key = (
            annotation.task,
            annotation.item,
            annotation.annotator,
            annotation.span,
            annotation.label if annotation.span else None,
        )
        if key in self._first:
            first = self._first[key]
            place = f" in row {first}" if first is not None else ""
            judged = f"{annotation.task} of the item {annotation.item}{place}"
            detail = f"annotator {annotation.annotator} already judged {judged}"
            return DataProblem(file, row, "duplicate judgement", detail)
        self._first[key] = row
        return None


def read_table(path: Path, reading: AnnotationOptions) -> Iterator[Annotation | DataProblem]:
    """Yield the annotations of a file with one row per judgement."""
    for name in reading.columns:
        if name not in _FIELDS:
            raise UnknownName("field of an annotation", name, _FIELDS)
    columns = {name: reading.columns.get(name, name) for name in _FIELDS}
    seen = SeenJudgements()
    for row in read_rows(path, [columns[name] for name in _NEEDED]):
        if isinstance(row, DataProblem):
            yield row
            if row.fatal:
                return
            continue
        annotation = _table_judgement(row, columns)
        if isinstance(annotation, Annotation) and (problem := seen.check(annotation, row.file, row.number)):
            yield problem
        elif annotation is not None:
            yield annotation


def _table_judgement(row: TableRow, columns: Mapping[str, str]) -> Annotation | DataProblem | None:
    value = {name: row.text(column) for name, column in columns.items()}
    for name in ("item", "annotator"):
        if not value[name]:
            return row.problem(f"no {name}", f"the column {columns[name]} is empty")
    span: Span | None = None
    if value["start"] or value["end"]:
        found = parse_span(value["text"] or None, value["start"], value["end"])
        if isinstance(found, str):
            return row.problem("span outside the text", found)
        span = found
    elif not value["label"] and columns["start"] not in row.values:
        return None
    return Annotation(
        value["item"],
        value["annotator"],
        value["label"],
        value["task"] or columns["label"],
        value["batch"] or None,
        value["text"],
        span,
    )


def parse_span(text: str | None, start: object, end: object) -> Span | str:
    """Return the span, or what is wrong with it; text None: its length is not known."""
    try:
        first, last = int(str(start)), int(str(end))
    except ValueError:
        return f"{start!r} to {end!r} are not whole numbers"
    if not 0 <= first < last:
        return f"{first} to {last} is empty or reversed"
    if text is not None and last > len(text):
        return f"{first} to {last}, and the text has {len(text)} code points"
    return Span(first, last)


def read_brat(path: Path, _: AnnotationOptions) -> Iterator[Annotation | DataProblem]:
    """Yield the annotations of a folder of annotators' folders, of one annotator's folder, or of one file."""
    seen = SeenJudgements()
    for file in sorted(path.rglob("*.ann")) if path.is_dir() else [path]:
        name = f"{file.parent.name}/{file.name}"
        try:
            text = read_text(file.with_suffix(".txt"))
            lines = read_text(file).splitlines()
        except InputError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                yield DataProblem(name, None, "no text", f"{file.stem}.txt should be in the same folder")
            elif isinstance(error.__cause__, UnicodeDecodeError):
                yield DataProblem(name, None, "mixed encodings", "not UTF-8; save the file as UTF-8")
            else:
                yield DataProblem(name, None, "cannot be read", str(error))
            continue
        marked = False
        for number, line in enumerate(lines, 1):
            for mark in _brat_spans(line, text, name, number):
                if isinstance(mark, DataProblem):
                    yield mark
                    continue
                marked = True
                whole = Annotation(file.stem, file.parent.name, mark[1], "spans", None, text, mark[0])
                yield seen.check(whole, name, number) or whole
        if not marked:
            yield Annotation(file.stem, file.parent.name, NOTHING, "spans", None, text)


def _brat_spans(line: str, text: str, file: str, number: int) -> Iterator[tuple[Span, str] | DataProblem]:
    if not line.strip() or (not line.startswith("T") and _KNOWN.match(line)):
        return
    match = _BOUND.fullmatch(line)
    if match is None:
        yield DataProblem(
            file, number, "not a line of BRAT", "a text-bound line is: T1<tab>Label start end<tab>text"
        )
        return
    spans: list[Span] = []
    for range_ in match["ranges"].split(";"):
        span = parse_span(text, *range_.split())
        if isinstance(span, str):
            yield DataProblem(file, number, "span outside the text", span)
            return
        spans.append(span)
    # BRAT writes the quoted text on one line, parts joined by a space.
    quote = " ".join(text[span.start : span.end] for span in spans)
    if quote.split() != match["quote"].split():
        yield DataProblem(
            file, number, "span and quotation differ", "the text was changed after it was annotated"
        )
        return
    for span in spans:
        yield span, match["label"]


def read_doccano(path: Path, _: AnnotationOptions) -> Iterator[Annotation | DataProblem]:
    """Yield the annotations of a file, or of all files in a folder; the annotator is the file's name or a field."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    seen = SeenJudgements()
    for file in files:
        for row in read_jsonl(file):
            if isinstance(row, DataProblem):
                yield row
            else:
                yield from _doccano_judgements(row, file.stem, seen)


def _doccano_judgements(row: TableRow, stem: str, seen: SeenJudgements) -> Iterator[Annotation | DataProblem]:
    text = row.values.get("text", row.values.get("data"))
    marks = row.values.get("entities", row.values.get("label", row.values.get("labels")))
    if not isinstance(text, str) or not isinstance(marks, list):
        yield row.problem("wrong columns", "a doccano row has a text, and a list under label or entities")
        return
    annotator = next((row.text(name) for name in _ANNOTATOR if row.text(name)), stem)
    item = row.text("item") or row.text("id") or str(row.number)
    batch = row.text("batch") or None
    spans = [mark for mark in marks if not isinstance(mark, str)]
    names = sorted(mark for mark in marks if isinstance(mark, str))
    found: list[Annotation | DataProblem] = []
    for mark in spans:
        start, end, label = _doccano_span(mark)
        span = parse_span(text, start, end)
        if isinstance(span, str):
            found.append(row.problem("span outside the text", span))
        else:
            found.append(Annotation(item, annotator, str(label), "spans", batch, text, span))
    if names:
        found.append(Annotation(item, annotator, "+".join(names), "label", batch, text))
    if not marks:
        found.append(Annotation(item, annotator, NOTHING, "spans", batch, text))
    for annotation in found:
        problem = seen.check(annotation, row.file, row.number) if isinstance(annotation, Annotation) else None
        yield problem or annotation


def _doccano_span(mark: Any) -> tuple[object, object, object]:
    if isinstance(mark, dict):
        return mark.get("start_offset"), mark.get("end_offset"), mark.get("label")
    if isinstance(mark, list) and len(mark) == 3:
        return mark[0], mark[1], mark[2]
    return None, None, None
