"""All finished parts into one corpus: duplicates out, the latest revision of a source kept, a manifest beside it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.harvest.settings import HarvestSettings
from unslant.harvest.store import PartTask, committed, rows_of_part

__all__ = ["MANIFEST", "PAIRS", "merge"]

PAIRS, MANIFEST = "pairs.parquet", "manifest.json"
_ROWS_A_GROUP = 10_000
_Rank = tuple[str, int, str]
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
    kept = _kept(tasks, settings.without, counts)
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


def _kept(
    tasks: Sequence[PartTask], without: frozenset[str], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows that stay: of equal pairs the latest, and of equal sources the latest edit."""
    by_source: dict[bytes, tuple[_Rank, bytes]] = {}
    by_pair: dict[bytes, _Rank] = {}
    for task in tasks:
        for row in rows_of_part(task):
            source, pair, rank = _digests(row)
            by_source[source] = max(by_source.get(source, (rank, pair)), (rank, pair))
            by_pair[pair] = max(by_pair.get(pair, rank), rank)
    for task in tasks:
        for row in rows_of_part(task):
            source, pair, rank = _digests(row)
            if by_pair.get(pair) != rank and "duplicate" not in without:
                counts["duplicate"] += 1
            elif by_source[source][1] != pair and "superseded" not in without:
                counts["superseded"] += 1
            else:
                by_pair.pop(pair, None)  # the same row in two parts is a duplicate, too
                yield row


def _digests(row: Mapping[str, Any]) -> tuple[bytes, bytes, _Rank]:
    source = hashlib.blake2b(row["source"].encode("utf-8", "surrogatepass"), digest_size=12)
    pair = source.copy()
    pair.update(b"\0" + row["target"].encode("utf-8", "surrogatepass"))
    return source.digest(), pair.digest(), (row["timestamp"], row["revision"], row["id"])


def _write(file: Any, rows: Iterator[dict[str, Any]], splits: Counter[str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MissingExtra("the harvest", "pyarrow", "corpora") from None

    schema = pa.schema([(name, pa.int64() if name in _NUMBERS else pa.string()) for name in _COLUMNS])
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        batch: list[dict[str, Any]] = []
        for row in rows:
            splits[row["split"]] += 1
            batch.append(row)
            if len(batch) == _ROWS_A_GROUP:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        if batch:
            writer.write_table(pa.Table.from_pylist(batch, schema))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
