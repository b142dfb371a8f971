"""doccano exports: JSON lines, one file per annotator (or one file with an annotator in each row).

Spans stand in ``label`` as ``[start, end, name]`` or in ``entities`` as objects; labels of the whole text stand in
``label`` as names. Offsets are code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.lab.corpora.annotation import NOTHING, Annotation
from unslant.lab.corpora.annotation_files import Seen, span_in
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Row, jsonl_rows

if TYPE_CHECKING:
    from unslant.lab.corpora.annotation_files import Reading

__all__ = ["read"]

_ANNOTATOR = ("annotator", "username", "annotation_approver")


def read(path: Path, _: Reading) -> Iterator[Annotation | Problem]:
    """Yield the annotations of a file, or of all files in a folder; the annotator is the file's name or a field."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    seen = Seen()
    for file in files:
        for row in jsonl_rows(file):
            if isinstance(row, Problem):
                yield row
            else:
                yield from _judgements(row, file.stem, seen)


def _judgements(row: Row, stem: str, seen: Seen) -> Iterator[Annotation | Problem]:
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
    found: list[Annotation | Problem] = []
    for mark in spans:
        start, end, label = _mark(mark)
        span = span_in(text, start, end)
        if isinstance(span, str):
            found.append(row.problem("span outside the text", span))
        else:
            found.append(Annotation(item, annotator, str(label), "spans", batch, text, span))
    if names:
        found.append(Annotation(item, annotator, "+".join(names), "label", batch, text))
    if not marks:
        found.append(Annotation(item, annotator, NOTHING, "spans", batch, text))
    for one in found:
        problem = seen.again(one, row.file, row.number) if isinstance(one, Annotation) else None
        yield problem or one


def _mark(mark: Any) -> tuple[object, object, object]:
    if isinstance(mark, dict):
        return mark.get("start_offset"), mark.get("end_offset"), mark.get("label")
    if isinstance(mark, list) and len(mark) == 3:
        return mark[0], mark[1], mark[2]
    return None, None, None
