"""All finished parts as one corpus: duplicates removed, the latest revision of a source kept, a manifest beside it.

Memory does not grow with the number of rows: rows are distributed over files by the digest of their source, so that
equal sources lie in one file; each file is judged by itself, and the verdicts are noted by the number of the row. The
files have no names: a run that is killed leaves none behind.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from unslant.core.errors import MissingExtra
from unslant.lab.wiki.parts import PartTask, read_part, write_atomically
from unslant.lab.wiki.settings import HarvestSettings

__all__ = ["MANIFEST", "PAIRS", "PART_BYTES", "keep_rows", "merge_parts"]

PART_BYTES = 64_000_000
"""Bytes of rows whose digests are held at a time; they take less than that."""
_MOST_FILES = 200
"""Beyond, files grow: a process may open no more than 256 on some systems."""
_REASONS = {b"d": "duplicate", b"s": "superseded"}
_Rank = tuple[str, int, str]


def keep_rows(
    tasks: Sequence[PartTask], without: frozenset[str], counts: Counter[str], part_bytes: int = PART_BYTES
) -> Iterator[dict[str, Any]]:
    """Yield the rows that stay, in order: of equal pairs the latest, and of equal sources the latest edit."""
    if not tasks:
        return
    size = sum(task.rows.stat().st_size for task in tasks)
    with ExitStack() as stack:
        files = [
            stack.enter_context(TemporaryFile(dir=tasks[0].folder))
            for _ in range(min(_MOST_FILES, 1 + size // part_bytes))
        ]
        for number, row in enumerate(_read_rows(tasks)):
            source, pair, rank = _digests(row)
            line = json.dumps([number, source, pair, *rank]).encode() + b"\n"
            files[int(source[:8], 16) % len(files)].write(line)
        notes = stack.enter_context(TemporaryFile(dir=tasks[0].folder))
        for file in files:
            for number, note in _find_left_out(file, without):
                notes.seek(number)
                notes.write(note)
            file.close()
        notes.seek(0)
        for row in _read_rows(tasks):
            if reason := _REASONS.get(notes.read(1)):
                counts[reason] += 1
            else:
                yield row


def _read_rows(tasks: Sequence[PartTask]) -> Iterator[dict[str, Any]]:
    for task in tasks:
        yield from read_part(task)


def _find_left_out(file: IO[bytes], without: frozenset[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each row that goes, and why."""
    by_source: dict[str, tuple[_Rank, str]] = {}
    by_pair: dict[str, _Rank] = {}
    for _, source, pair, rank in _read_entries(file):
        by_source[source] = max(by_source.get(source, (rank, pair)), (rank, pair))
        by_pair[pair] = max(by_pair.get(pair, rank), rank)
    for number, source, pair, rank in _read_entries(file):
        if by_pair.get(pair) != rank and "duplicate" not in without:
            yield number, b"d"
        elif by_source[source][1] != pair and "superseded" not in without:
            yield number, b"s"
        else:
            by_pair.pop(pair, None)  # the same row in two parts is a duplicate, too


def _read_entries(file: IO[bytes]) -> Iterator[tuple[int, str, str, _Rank]]:
    file.seek(0)
    for line in file:
        number, source, pair, *rank = json.loads(line)
        yield number, source, pair, (rank[0], rank[1], rank[2])


def _digests(row: Mapping[str, Any]) -> tuple[str, str, _Rank]:
    source = hashlib.blake2b(row["source"].encode("utf-8", "surrogatepass"), digest_size=12)
    pair = source.copy()
    pair.update(b"\0" + row["target"].encode("utf-8", "surrogatepass"))
    return source.hexdigest(), pair.hexdigest(), (row["timestamp"], row["revision"], row["id"])


PAIRS, MANIFEST = "pairs.parquet", "manifest.json"
_ROWS_A_GROUP = 10_000
_SIGNS_A_GROUP = 4_000_000
"""Of sentences; a group of rows is held in memory until it is written."""
_NUMBERS = ("page", "revision", "parent")
_COLUMNS = (
    *("id", "source", "target", "wiki", "language", "page", "title", "revision", "parent", "timestamp"),
    *("comment", "licence", "attribution", "split"),
)


def merge_parts(
    out: Path, tasks: Sequence[PartTask], records: Sequence[Mapping[str, Any]], settings: HarvestSettings
) -> dict[str, Any]:
    """Write the corpus and its manifest, and return the manifest; the same parts give the same bytes."""
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(record["counts"])
    del counts["pairs"]
    splits: Counter[str] = Counter()
    kept = keep_rows(tasks, settings.without, counts)
    write_atomically(out / PAIRS, lambda file: _write_parquet(file, kept, splits))
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
    write_atomically(out / MANIFEST, lambda file: file.write(text.encode()))
    return manifest


def _write_parquet(file: Any, rows: Iterator[dict[str, Any]], splits: Counter[str]) -> None:
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
