"""A user's own file as a corpus: JSON lines, CSV, TSV, Parquet or Excel, with a column map.

The file is read as a stream; a file of any size takes the memory of one row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, nearest
from unslant.core.example import Example, LabelledSpan
from unslant.core.taxonomy import dimensions, kinds
from unslant.lab.corpora.catalogue import Card, digest
from unslant.lab.corpora.tables import (
    CorpusMissing,
    DataProblem,
    RowDataset,
    TableRow,
    UnusableRow,
    convert_rows,
    read_rows,
    span_in,
)

_PLAIN = ("pair", "side", "split", "outlet", "topic", "leaning", "document", "genre")
FIELDS = ("id", "text", "label", "share", "spans", "kinds", "techniques", "dimension", *_PLAIN)
"""The fields that a file can have."""
_ZIPPED = (".jsonl", ".ndjson", ".csv", ".tsv")
_SUFFIXES = (*_ZIPPED, ".parquet", ".xlsx", *(f"{suffix}.gz" for suffix in _ZIPPED))
_LABELS: Mapping[str, bool | None] = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "biased", "slanted"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "non-biased", "neutral"), False),
    **dict.fromkeys(("", "none", "null", "nan", "no agreement"), None),
}


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """The columns of the fields; a field without an entry is in the column of the same name."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Field of :class:`Example` to column of the file."""
    labels: Mapping[str, bool | None] = field(default_factory=lambda: _LABELS)
    """What the values of the label column mean, in lower case."""

    def column(self, name: str) -> str:
        """Return the column that holds a field."""
        return self.names.get(name, name)


def is_file_name(name: str) -> bool:
    """Return whether a name is that of a file, not of a registered corpus."""
    return name.lower().endswith(_SUFFIXES)


def parse_columns(option: str) -> dict[str, str]:
    """Read ``text=sentence,label=is_biased``."""
    mapping: dict[str, str] = {}
    for part in filter(None, option.split(",")):
        name, equals, column = part.partition("=")
        if name.strip() not in FIELDS or not equals or not column.strip():
            close = nearest(name.strip(), FIELDS)
            hint = (
                f"did you mean {close!r}?"
                if close and close != name.strip()
                else f"fields: {', '.join(FIELDS)}"
            )
            raise ConfigError(f"--column: {part!r} is not FIELD=COLUMN; {hint}")
        mapping[name.strip()] = column.strip()
    return mapping


def parse_labels(option: str) -> dict[str, bool | None]:
    """Read ``subjective=1,objective=0,unsure=``: what each value of the label column means."""
    mapping: dict[str, bool | None] = {}
    for part in filter(None, option.split(",")):
        value, equals, meaning = part.partition("=")
        if not equals or meaning.strip() not in ("0", "1", ""):
            raise ConfigError(f"--label: {part!r} is not VALUE=1, VALUE=0 or VALUE=")
        mapping[value.strip().lower()] = None if meaning.strip() == "" else meaning.strip() == "1"
    return mapping


class FileDataset(RowDataset):
    """A user's own file; the first row that cannot be used is an error, unless ``strict`` is off."""

    def __init__(
        self,
        path: str | Path,
        columns: ColumnMap | None = None,
        *,
        licence: str = "not stated",
        strict: bool = True,
    ) -> None:
        self._path = Path(path)
        if not self._path.is_file():
            raise CorpusMissing(f"there is no file {path}; check the path")
        super().__init__(str(self._path), strict=strict)
        self._columns = columns or ColumnMap()
        self._licence = licence
        self.card = Card(self.name, self._path.name, "", licence, "", "", "", ())

    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield the examples, and what could not be used in between."""
        required = [self._columns.column("text"), *self._columns.names.values()]
        return convert_rows(read_rows(self._path, tuple(dict.fromkeys(required))), self._example)

    def fingerprint(self) -> str:
        """Return a digest over the file and the column map."""
        settings = json.dumps([dict(self._columns.names), dict(self._columns.labels)], sort_keys=True)
        return hashlib.sha256(f"{digest(self._path)}\n{settings}".encode()).hexdigest()

    def _example(self, row: TableRow) -> Iterator[Example]:
        text = row.needed(self._columns.column("text"))
        label = self._value(row, "label").strip().lower()
        if label not in self._columns.labels:
            raise UnusableRow("unknown label", label)
        spans = _spans(row.values.get(self._columns.column("spans")), text)
        second = _spans(row.values.get("second"), text)
        named = _kinds(row.values.get(self._columns.column("kinds")))
        techniques = _names(row.values.get(self._columns.column("techniques")))
        try:
            share = float(self._value(row, "share")) if self._value(row, "share") else None
        except ValueError as error:
            raise UnusableRow(str(error)) from None
        dimension = self._value(row, "dimension") or None
        if dimension and dimension not in dimensions():
            raise UnusableRow("unknown label", dimension)
        plain: dict[str, Any] = {name: self._value(row, name) or None for name in _PLAIN}
        yield Example(
            id=self._value(row, "id") or str(row.number),
            text=text,
            source=self.name,
            licence=self._licence,
            label=self._columns.labels[label],
            share=share,
            spans=spans,
            kinds=named,
            techniques=techniques,
            second=second,
            dimension=dimension,
            **plain,
        )

    def _value(self, row: TableRow, name: str) -> str:
        return row.text(self._columns.column(name))


def _spans(value: Any, text: str) -> tuple[LabelledSpan, ...] | None:
    if value is None or value == "":
        return None
    try:
        items = json.loads(value) if isinstance(value, str) else value
        marked = [
            item if isinstance(item, dict) else dict(zip(("start", "end", "kind"), item, strict=False))
            for item in items
        ]
        spans = [_span(given, text) for given in marked]
    except (TypeError, KeyError, json.JSONDecodeError):
        raise UnusableRow(
            "spans cannot be read", "write [[start, end], …] or [{start, end, kind}, …]"
        ) from None
    return tuple(sorted(spans, key=lambda labelled: labelled.span))


def _span(given: Mapping[str, Any], text: str) -> LabelledSpan:
    start, end, kind, grade = given["start"], given["end"], given.get("kind"), given.get("grade")
    span = span_in(text, start, end)
    if kind not in (None, *kinds()):
        raise UnusableRow("unknown label", kind)
    if grade not in (None, "must", "may"):
        raise UnusableRow("unknown label", grade)
    return LabelledSpan(span, kind, given.get("share"), given.get("technique"), grade, given.get("fix"))


def _names(value: Any) -> frozenset[str] | None:
    if value is None or value == "":
        return None
    return (
        frozenset(part.strip() for part in value.split(",")) if isinstance(value, str) else frozenset(value)
    )


def _kinds(value: Any) -> frozenset[str] | None:
    named = _names(value)
    if unknown := sorted(name for name in named or () if name not in kinds()):
        raise UnusableRow("unknown label", unknown[0])
    return named


def example_to_json(example: Example) -> dict[str, Any]:
    """Return an example as a row that this reader reads back."""
    row: dict[str, Any] = {}
    for item in fields(example):
        value = getattr(example, item.name)
        match item.name:
            case "spans" | "second" if value is not None:
                value = [_span_to_json(labelled) for labelled in value]
            case "kinds" | "techniques" if value is not None:
                value = sorted(value)
            case "extra":
                value = dict(value)
        if value is not None:
            row[item.name] = value
    return row


def _span_to_json(labelled: LabelledSpan) -> dict[str, Any]:
    given = {item.name: getattr(labelled, item.name) for item in fields(labelled) if item.name != "span"}
    return labelled.span.to_dict() | {name: value for name, value in given.items() if value is not None}
