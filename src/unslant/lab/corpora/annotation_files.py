"""Annotations out of files: raw corpora, Label Studio, doccano, BRAT, and plain tables.

Whatever cannot be used is named with its file and row, all of it at once; nothing is passed over in silence. A
judgement that was left blank is a gap, not an error.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from unslant.core.errors import UnknownName
from unslant.core.types import Span
from unslant.lab.corpora.annotation import NOTHING, Annotation
from unslant.lab.corpora.problems import CorpusError, Problem
from unslant.lab.corpora.tables import Row, rows_of

__all__ = ["FORMATS", "Reading", "Seen", "detect", "read_annotations"]

FORMATS: Mapping[str, str] = {
    "brat": "unslant.lab.corpora.brat:read",
    "doccano": "unslant.lab.corpora.doccano:read",
    "label-studio": "unslant.lab.corpora.label_studio:read",
    "table": "unslant.lab.corpora.annotation_files:table",
}
"""Where each format is read; ``table`` is a CSV, TSV, JSON lines, Parquet or Excel file with named columns."""

_FIELDS = ("item", "annotator", "label", "task", "batch", "text", "start", "end")
_NEEDED = ("item", "annotator", "label")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read."""

    format: str | None = None
    """A key of ``FORMATS``; None: told by the file."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """For tables: which column holds the item, annotator, label, task, batch, text, start or end."""
    labels: frozenset[str] = frozenset()
    """The labels that may occur; empty: any."""
    data: Path | None = None
    """Where registered corpora are looked for."""


class Seen:
    """Notices who judges what twice."""

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], int | None] = {}

    def again(self, one: Annotation, file: str, row: int | None) -> Problem | None:
        """Return the problem if this annotator has already judged this, else remember it."""
        key = (one.task, one.item, one.annotator, one.span, one.label if one.span else None)
        if key in self._first:
            first = self._first[key]
            place = f" in row {first}" if first is not None else ""
            detail = f"annotator {one.annotator} already judged {one.task} of the item {one.item}{place}"
            return Problem(file, row, "duplicate judgement", detail)
        self._first[key] = row
        return None


def read_annotations(source: str | Path, reading: Reading | None = None) -> list[Annotation]:
    """Read all annotations of a registered raw corpus (such as ``babe/sg1``), a file or a folder."""
    reading = reading or Reading()
    path = Path(source)
    if not path.exists() or (path.suffix == ".xlsx" and path.stem.startswith("raw_labels_")):
        return _raw(str(source), path, reading)
    form = reading.format or detect(path)
    if form not in FORMATS:
        raise UnknownName("format of annotations", form, FORMATS)
    module, _, name = FORMATS[form].partition(":")
    found: Iterable[Annotation | Problem] = getattr(importlib.import_module(module), name)(path, reading)
    return _checked(found, path, reading)


def _raw(source: str, path: Path, reading: Reading) -> list[Annotation]:
    from unslant.lab.corpora import raw_annotations
    from unslant.lab.corpora.catalogue import names

    if path.exists():
        variant = path.stem.removeprefix("raw_labels_").lower()
        return _apart(raw_annotations(f"babe/{variant}", path.resolve().parent.parent))
    if source not in names():
        raise CorpusError(
            f"{source} is neither a file, a folder nor a corpus with raw annotations; "
            "the corpora are babe/sg1, babe/sg2 and babe/mbic"
        )
    return _apart(raw_annotations(source, reading.data))


def _apart(found: Iterable[Annotation]) -> list[Annotation]:
    """Keep a second judgement of the same sentence as an item of its own: SG2 has one, typed in two ways."""
    seen: set[tuple[str, str, str]] = set()
    result: list[Annotation] = []
    for one in found:
        key = (one.task, one.item, one.annotator)
        again = one.task != "words" and key in seen
        seen.add(key)
        result.append(replace(one, item=f"{one.item}#2") if again else one)
    return result


def _checked(found: Iterable[Annotation | Problem], path: Path, reading: Reading) -> list[Annotation]:
    annotations: list[Annotation] = []
    problems: list[Problem] = []
    for one in found:
        if isinstance(one, Problem):
            problems.append(one)
        elif reading.labels and one.label not in reading.labels and one.label != NOTHING:
            known = ", ".join(sorted(reading.labels))
            problems.append(
                Problem(path.name, None, "unknown label", f"{one.label!r} of {one.item}; known: {known}")
            )
        else:
            annotations.append(one)
    raise_for(problems)
    if not annotations:
        raise CorpusError(f"{path}: no annotations in it")
    return annotations


def raise_for(problems: Sequence[Problem]) -> None:
    """Raise one error that names the problems, if there are any."""
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise CorpusError("; ".join(map(str, problems[:_SHOWN])) + more)


def detect(path: Path) -> str:
    """Tell the format by the name, and for JSON lines by the first row."""
    if path.is_dir():
        if any(path.rglob("*.ann")):
            return "brat"
        if any(path.glob("*.jsonl")):
            return "doccano"
        raise CorpusError(f"{path}: neither .ann files (BRAT) nor .jsonl files (doccano) in it")
    if path.suffix == ".ann":
        return "brat"
    if path.suffix == ".json":
        return "label-studio"
    if path.suffix in (".jsonl", ".ndjson"):
        first = next(rows_of(path), None)
        plain = isinstance(first, Row) and {"item", "annotator"} <= first.values.keys()
        return "table" if plain else "doccano"
    return "table"


def table(path: Path, reading: Reading) -> Iterator[Annotation | Problem]:
    """Yield the annotations of a file with one row per judgement."""
    for name in reading.columns:
        if name not in _FIELDS:
            raise UnknownName("field of an annotation", name, _FIELDS)
    columns = {name: reading.columns.get(name, name) for name in _FIELDS}
    seen = Seen()
    for row in rows_of(path, [columns[name] for name in _NEEDED]):
        if isinstance(row, Problem):
            yield row
            if row.fatal:
                return
            continue
        one = _judgement(row, columns)
        if isinstance(one, Annotation) and (problem := seen.again(one, row.file, row.number)):
            yield problem
        elif one is not None:
            yield one


def _judgement(row: Row, columns: Mapping[str, str]) -> Annotation | Problem | None:
    value = {name: row.text(column) for name, column in columns.items()}
    for name in ("item", "annotator"):
        if not value[name]:
            return row.problem(f"no {name}", f"the column {columns[name]} is empty")
    span: Span | None = None
    if value["start"] or value["end"]:
        found = span_in(value["text"] or None, value["start"], value["end"])
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


def span_in(text: str | None, start: object, end: object) -> Span | str:
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
