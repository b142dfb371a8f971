"""All finished parts into one corpus: duplicates out, the latest revision of a source kept, a manifest beside it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.lab.wiki.keeping import kept_rows
from unslant.lab.wiki.settings import HarvestSettings
from unslant.lab.wiki.store import PartTask, committed

__all__ = ["MANIFEST", "PAIRS", "merge"]

PAIRS, MANIFEST = "pairs.parquet", "manifest.json"
_ROWS_A_GROUP = 10_000
_SIGNS_A_GROUP = 4_000_000
"""Of sentences; a group of rows is held in memory until it is written."""
_NUMBERS = ("page", "revision", "parent")
_COLUMNS = (
    *("id", "source", "target", "wiki", "language", "page", "title", "revision", "parent", "timestamp"),
    *("comment", "licence", "attribution", "split"),
)


def merge(
    out: Path, tasks: Sequence[PartTask], records: Sequence[Mapping[str, Any]], settings: HarvestSettings
) -> dict[str, Any]:
    """Write the corpus and its manifest, and return the manifest; the same parts give the same bytes."""
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(record["counts"])
    del counts["pairs"]
    splits: Counter[str] = Counter()
    kept = kept_rows(tasks, settings.without, counts)
    committed(out / PAIRS, lambda file: _write(file, kept, splits))
    manifest = {
        "schema": 1,
        "settings": settings.to_dict(),
        "settings_digest": settings.digest(),
        "parts": list(records),
        "counts": dict(sorted(counts.items())),
        "pairs": splits.total(),
        "splits": dict(sorted(splits.items())),
        "problems": [
            {"part": record["name"], **record["problem"]} for record in records if record["problem"]
        ],
        "licence": settings.licence,
        "digest": {PAIRS: _digest(out / PAIRS)},
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    committed(out / MANIFEST, lambda file: file.write(text.encode()))
    return manifest


def _write(file: Any, rows: Iterator[dict[str, Any]], splits: Counter[str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("the harvest", "pyarrow", "corpora") from None

    schema = pa.schema([(name, pa.int64() if name in _NUMBERS else pa.string()) for name in _COLUMNS])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        batch: list[dict[str, Any]] = []
        signs = 0
        for row in rows:
            splits[row["split"]] += 1
            batch.append(row)
            signs += len(row["source"]) + len(row["target"])
            if len(batch) == _ROWS_A_GROUP or signs > _SIGNS_A_GROUP:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch, signs = [], 0
        if batch:
            writer.write_table(pa.Table.from_pylist(batch, schema))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
