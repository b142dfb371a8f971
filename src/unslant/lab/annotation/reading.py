"""Annotations from files: raw corpora, Label Studio, doccano, BRAT and plain tables.

Everything that cannot be used is reported with its file and row, all at once. A judgement that was left blank is a
gap, not an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from unslant.core.errors import UnknownName
from unslant.lab.annotation.formats import AnnotationOptions, read_brat, read_doccano, read_table
from unslant.lab.annotation.label_studio import read_label_studio
from unslant.lab.corpora.dataset import NOTHING, Annotation
from unslant.lab.corpora.tables import CorpusError, DataProblem, TableRow, read_rows

FORMATS: Mapping[str, Callable[[Path, AnnotationOptions], Iterator[Annotation | DataProblem]]] = {
    "brat": read_brat,
    "doccano": read_doccano,
    "label-studio": read_label_studio,
    "table": read_table,
}
"""The reader of each format; ``table`` is a CSV, TSV, JSON lines, Parquet or Excel file with named columns."""

_SHOWN = 5


def read_annotations(source: str | Path, reading: AnnotationOptions | None = None) -> list[Annotation]:
    """Read all annotations of a registered raw corpus (such as ``babe/sg1``), a file or a folder."""
    reading = reading or AnnotationOptions()
    path = Path(source)
    if not path.exists() or (path.suffix == ".xlsx" and path.stem.startswith("raw_labels_")):
        return _read_raw(str(source), path, reading)
    form = reading.format or detect_format(path)
    if form not in FORMATS:
        raise UnknownName("format of annotations", form, FORMATS)
    return _check_annotations(FORMATS[form](path, reading), path, reading)


def _read_raw(source: str, path: Path, reading: AnnotationOptions) -> list[Annotation]:
    from unslant.lab.corpora import raw_annotations
    from unslant.lab.corpora.catalogue import names

    if path.exists():
        variant = path.stem.removeprefix("raw_labels_").lower()
        return _separate_repeats(raw_annotations(f"babe/{variant}", path.resolve().parent.parent))
    if source not in names():
        raise CorpusError(
            f"{source} is neither a file, a folder nor a corpus with raw annotations; "
            "the corpora are babe/sg1, babe/sg2 and babe/mbic"
        )
    return _separate_repeats(raw_annotations(source, reading.data))


def _separate_repeats(found: Iterable[Annotation]) -> list[Annotation]:
    """Keep a second judgement of the same sentence as an item of its own: SG2 has one, typed in two ways."""
    seen: set[tuple[str, str, str]] = set()
    result: list[Annotation] = []
    for annotation in found:
        key = (annotation.task, annotation.item, annotation.annotator)
        again = annotation.task != "words" and key in seen
        seen.add(key)
        result.append(replace(annotation, item=f"{annotation.item}#2") if again else annotation)
    return result


def _check_annotations(
    found: Iterable[Annotation | DataProblem], path: Path, reading: AnnotationOptions
) -> list[Annotation]:
    annotations: list[Annotation] = []
    problems: list[DataProblem] = []
    for annotation in found:
        if isinstance(annotation, DataProblem):
            problems.append(annotation)
        elif reading.labels and annotation.label not in reading.labels and annotation.label != NOTHING:
            known = ", ".join(sorted(reading.labels))
            problems.append(
                DataProblem(
                    path.name,
                    None,
                    "unknown label",
                    f"{annotation.label!r} of {annotation.item}; known: {known}",
                )
            )
        else:
            annotations.append(annotation)
    raise_problems(problems)
    if not annotations:
        raise CorpusError(f"{path}: no annotations in it")
    return annotations


def raise_problems(problems: Sequence[DataProblem]) -> None:
    """Raise one error that names the problems, if there are any."""
    if problems:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise CorpusError("; ".join(map(str, problems[:_SHOWN])) + more)


def detect_format(path: Path) -> str:
    """Detect the format by the name and, for JSON lines, by the first row."""
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
        first = next(read_rows(path), None)
        plain = isinstance(first, TableRow) and {"item", "annotator"} <= first.values.keys()
        return "table" if plain else "doccano"
    return "table"
