"""A file of pairs into a file of examples that training reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.lab.corpora.problems import CorpusMissing, Problem
from unslant.lab.corpora.tables import Row, rows_of
from unslant.lab.wiki.parsing import find_parser
from unslant.lab.wiki.problems import HarvestError
from unslant.lab.wiki.store import committed
from unslant.lab.wiki.weak_labels import LabelledPair, drop_least_likely, label_pair, relabel

__all__ = ["LabelSettings", "label_file", "write_examples"]

_CARRIED = ("split", "page", "licence", "attribution")


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """How to label."""

    threshold: float | None = None
    """From which probability on words are taken for slanted; None: the one that ships."""
    drop: float = 0.0
    """The share of pairs to leave out, those with the least confidence."""
    relabel: bool = False
    """Whether the checker may take labels back."""
    parser: str = "none"
    """What says whether two phrases are one constituent: ``auto``, ``none`` or ``spacy:MODEL``."""


def label_file(path: Path, settings: LabelSettings) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    """Return the examples, two a pair, and a summary; a row without source and target is counted and left out."""
    if not path.is_file():
        raise CorpusMissing(f"there is no file {path}; check the path")
    parser = find_parser(settings.parser)
    kept: list[LabelledPair] = []
    origin: dict[int, Row] = {}
    unusable = 0
    for row in rows_of(path, ("source", "target")):
        if isinstance(row, Problem):
            if row.fatal:
                raise HarvestError(f"{row}; pairs need the columns source and target")
            unusable += 1
        elif not row.text("source").strip() or not row.text("target").strip():
            unusable += 1
        else:
            pair = label_pair(row.text("source"), row.text("target"), settings.threshold, parser)
            origin[id(pair)] = row
            kept.append(pair)
    total = len(kept)
    likely = drop_least_likely(kept, settings.drop)
    rows = [origin[id(pair)] for pair in likely]
    final = list(relabel(likely, _checker())) if settings.relabel else likely
    summary = {
        "pairs": len(final),
        "slanted": sum(pair.label for pair in final),
        "spans": sum(len(pair.spans) for pair in final),
        "dropped": total - len(final),
        "unusable": unusable,
        "parser": parser.name if parser else "none",
    }
    return _examples(final, rows), summary


def _checker() -> Any:
    """Return what the checker makes of a text: its highest probability, or without a model whether a rule finds it."""
    from unslant.api import check

    def judge(texts: list[str]) -> list[float]:
        reports = [check(text) for text in texts]
        given = [
            [one.probability for one in report.sentences if one.probability is not None] for report in reports
        ]
        return [
            max(known, default=float(bool(report.findings)))
            for known, report in zip(given, reports, strict=True)
        ]

    return judge


def _examples(pairs: Sequence[LabelledPair], rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for pair, row in zip(pairs, rows, strict=True):
        name = row.text("id") or str(row.number)
        shared = {"pair": name, **{key: row.text(key) for key in _CARRIED if row.text(key)}}
        spans = [{"start": span.start, "end": span.end} for span in pair.spans]
        yield {
            "id": f"{name}:source",
            "text": pair.source,
            "label": int(pair.label),
            "spans": spans,
            "side": "source",
            **shared,
            "confidence": round(pair.confidence, 4),
            "edits": [edit.to_dict() for edit in pair.edits],
        }
        yield {
            "id": f"{name}:target",
            "text": pair.target,
            "label": 0,
            "spans": [],
            "side": "target",
            **shared,
            "confidence": round(pair.confidence, 4),
            "edits": [],
        }


def write_examples(rows: Iterator[dict[str, Any]], out: Path) -> None:
    """Write examples as JSON lines or Parquet, as the name of the file says."""
    if out.suffix == ".jsonl":
        committed(
            out,
            lambda file: file.writelines(
                json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows
            ),
        )
        return
    if out.suffix != ".parquet":
        raise HarvestError(f"{out}: name it .jsonl or .parquet")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("writing Parquet", "pyarrow", "corpora") from None
    # spans and edits as JSON text: the reader of own files takes them so, and empty lists need no guessed type
    flat = [{**row, "spans": json.dumps(row["spans"]), "edits": json.dumps(row["edits"])} for row in rows]
    committed(out, lambda file: pq.write_table(pa.Table.from_pylist(flat), file))
