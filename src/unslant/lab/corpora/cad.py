"""The Contextual Abuse Dataset (Vidgen et al. 2021), in both its forms.

``cad`` reads the official splits with primary categories; ``cad/full`` the publisher's full file with targets,
rationales and context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import Card, dimension_map
from unslant.lab.corpora.dataset import Source
from unslant.lab.corpora.phrases import find_phrase, merged
from unslant.lab.corpora.problems import Problem
from unslant.lab.corpora.tables import Dialect, Row, csv_rows

__all__ = [
    "ABUSE",
    "CATEGORIES",
    "Judgement",
    "clean",
    "complete",
    "entry_id",
    "full_file",
    "judgements",
    "rows",
]

ABUSE = ("IdentityDirectedAbuse", "AffiliationDirectedAbuse", "PersonDirectedAbuse")
CATEGORIES = ("Neutral", *ABUSE, "CounterSpeech", "Slur")
_FULL = ("cad_v1_1.tsv", "cad_v1.tsv")
_TSV = Dialect("\t", quoting=False)
_NONE = ("", "NA", '"NA"', "na")
_SPLITS = ("train", "dev", "test")
_TARGET = "annotation_Target_top.level.category"
_JUDGED = ("annotation_Primary", "annotation_Secondary", "annotation_Context", "annotation_Target", _TARGET)
_FULL_COLUMNS = ("info_id", "info_thread.id", *_JUDGED, "annotation_highlighted", "split", "meta_text")


def full_file(folder: Path) -> Path | None:
    """Return the publisher's full file, if it is there; the corrected version before the first."""
    return next((folder / name for name in _FULL if (folder / name).is_file()), None)


def complete(card: Card, folder: Path) -> bool:
    """Say whether the form that the variant names is there."""
    if card.variant == "full":
        return full_file(folder) is not None
    return all((folder / f"cad_v1_1_{split}.tsv").is_file() for split in _SPLITS)


def clean(text: str) -> str:
    """Write line breaks as line breaks."""
    return re.sub(r" *\n *", "\n", text.replace("[linebreak]", "\n")).strip()


def entry_id(name: str) -> str:
    """Return what a post's title and body share."""
    return name.removesuffix("-post").removesuffix("-title")


def rows(source: Source) -> Iterator[Example | Problem]:
    """Yield one example per entry."""
    return _full(source) if source.card.variant == "full" else _primary(source)


def _label(categories: list[str]) -> bool | None:
    if any(name in ABUSE or name == "Slur" for name in categories):
        return True
    # Counter speech answers abuse: it was judged neither abusive nor neutral.
    return False if categories == ["Neutral"] else None


def _primary(source: Source) -> Iterator[Example | Problem]:
    for split in _SPLITS:
        for row in csv_rows(source.path(f"cad_v1_1_{split}.tsv"), ("id", "text", "labels"), _TSV):
            if isinstance(row, Problem):
                yield row
                continue
            categories = row.text("labels").split(",")
            if unknown := [name for name in categories if name not in CATEGORIES]:
                yield row.problem("unknown label", unknown[0])
            elif not clean(row.text("text")):
                yield row.problem("empty text")
            else:
                yield Example(
                    id=row.text("id"),
                    text=clean(row.text("text")),
                    source=source.name,
                    licence=source.licence,
                    split=split,
                    label=_label(categories),
                    page=entry_id(row.text("id")),
                    extra={"categories": ",".join(categories)},
                )


@dataclass(frozen=True, slots=True)
class Judgement:
    """One row of the full file: what annotators said of one target in one entry."""

    entry: str
    thread: str
    split: str
    text: str
    category: str
    context: str | None
    """``CurrentContent`` or ``PreviousContent``: what the judgement rests on."""
    target: str | None
    dimension: str | None
    rationale: str | None
    span: Span | None
    """Where the rationale stands; None if it is not a stretch of the text."""


def judgements(path: Path) -> Iterator[Judgement | Problem]:
    """Yield the rows of the full file; entries that the publisher left out of the splits are named as problems."""
    for row in csv_rows(path, _FULL_COLUMNS, _TSV):
        if isinstance(row, Problem):
            yield row
        elif row.text("split") not in _SPLITS:
            yield row.problem("left out by the publisher", row.text("split"))
        elif row.text("annotation_Primary") not in CATEGORIES:
            yield row.problem("unknown label", row.text("annotation_Primary"))
        elif not clean(row.text("meta_text")):
            yield row.problem("empty text")
        else:
            yield from _judgement(row)


def _judgement(row: Row) -> Iterator[Judgement | Problem]:
    text = clean(row.text("meta_text"))
    rationale = _value(row, "annotation_highlighted")
    span = find_phrase(text, clean(rationale)) if rationale else None
    if rationale and span is None:
        yield row.problem("rationale not in its text")
    category = (_value(row, _TARGET) or "").strip().lower()
    dimensions = dimension_map("cad")
    if category and category not in dimensions:
        yield row.problem("unknown target category", category)
    yield Judgement(
        entry=row.text("info_id"),
        thread=row.text("info_thread.id"),
        split=row.text("split"),
        text=text,
        category=row.text("annotation_Primary"),
        context=_value(row, "annotation_Context"),
        target=_value(row, "annotation_Target"),
        dimension=dimensions.get(category),
        rationale=rationale,
        span=span,
    )


def _value(row: Row, column: str) -> str | None:
    value = row.text(column)
    return None if value in _NONE else value.strip('"')


def _full(source: Source) -> Iterator[Example | Problem]:
    path = full_file(source.folder)
    assert path is not None, "found before it was opened"  # noqa: S101
    entries: dict[str, list[Judgement]] = {}
    for row in judgements(path):
        if isinstance(row, Problem):
            yield row
        else:
            # The judgements of one entry need not be neighbours in the file.
            entries.setdefault(row.entry, []).append(row)
    for found in entries.values():
        yield _entry(found, source)


def _entry(found: list[Judgement], source: Source) -> Example:
    first = found[0]
    categories = sorted({judgement.category for judgement in found})
    dimensions = sorted({judgement.dimension for judgement in found if judgement.dimension})
    spans = merged([judgement.span for judgement in found if judgement.span])
    marked = bool(spans) or categories == ["Neutral"]
    return Example(
        id=first.entry,
        text=first.text,
        source=source.name,
        licence=source.licence,
        split=first.split,
        label=_label(categories),
        spans=tuple(LabelledSpan(span) for span in spans) if marked else None,
        dimension=dimensions[0] if len(dimensions) == 1 else None,
        page=first.thread,
        extra={
            "categories": ",".join(categories),
            "dimensions": ",".join(dimensions),
            "targets": ",".join(sorted({judgement.target for judgement in found if judgement.target})),
            "context": first.context,
        },
    )
