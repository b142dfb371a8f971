"""The whole harvest: plan the parts, process them here, in several processes or on Ray, and merge them into a corpus.

Merging removes duplicates, keeps the latest revision of a source and writes a manifest. Its memory does not grow with
the number of rows: rows are distributed over files by the digest of their source, so that equal sources lie in one
file; each file is judged by itself, and the verdicts are noted by the number of the row. The files have no names: a
run that is killed leaves none behind.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from unslant.core.errors import InputError, MissingExtra
from unslant.lab.corpora.catalogue import digest
from unslant.lab.wiki.dump import HarvestError
from unslant.lab.wiki.parts import (
    PartTask,
    harvest_part,
    lock_folder,
    read_finished,
    read_part,
    write_atomically,
)
from unslant.lab.wiki.settings import HarvestSettings
from unslant.parallel import Engine, Work, run

PART_BYTES = 64_000_000
"""Bytes of rows whose digests are held at a time; the digests take less."""
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
    """Yield the number of each row to remove, and why."""
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
        "digest": {PAIRS: digest(out / PAIRS)},
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


PartOutcome = tuple[dict[str, Any] | None, str]
"""The record of a part, or the reason why it has none."""
_RETRIES = 1


def _try_part(task: PartTask, advance: Callable[[int], None] | None = None) -> PartOutcome:
    """Process a part, and retry it once; a part that fails again is reported, and the others continue."""
    why = ""
    for _ in range(1 + _RETRIES):
        try:
            return harvest_part(task, advance), ""
        except InputError:
            raise
        except Exception as error:  # after hours of work, one part must not take the others down
            why = f"{type(error).__name__}: {error}"
    return None, why


def _part_worker() -> Callable[[PartTask], PartOutcome]:
    return _try_part


def _lost(why: str) -> PartOutcome:
    return None, why


def harvest(
    dumps: Sequence[str | Path],
    out: str | Path,
    settings: HarvestSettings | None = None,
    engine: Engine | None = None,
    advance: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Write ``pairs.parquet`` and ``manifest.json`` into ``out``, and return the manifest.

    Parts that an earlier run finished are reused. A part with a problem is named in the manifest under ``problems``;
    the rest goes on. ``advance`` is called with the number of bytes read since the last call. On Ray, dumps and ``out``
    must have the same path everywhere.
    """
    settings, engine, out = settings or HarvestSettings(), engine or Engine(), Path(out)
    folder = out / "parts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarvestError(f"{out}: {error.strerror}; give a folder that can be written to") from None
    tasks = _plan_parts(dumps, folder, settings)
    with lock_folder(out):
        for left in (*folder.glob(".*.tmp"), *out.glob(".*.tmp")):
            left.unlink(missing_ok=True)  # of a run that was killed
        records = _process_parts(tasks, engine, advance or (lambda _: None))
        there = [task for task in tasks if read_finished(task)]
        return merge_parts(out, there, [records[task.name] for task in tasks], settings)


def _process_parts(
    tasks: Sequence[PartTask], engine: Engine, advance: Callable[[int], None]
) -> dict[str, dict[str, Any]]:
    """Process the unfinished parts, and return the record of each, by its name."""
    records: dict[str, dict[str, Any]] = {}
    open_tasks: list[PartTask] = []
    for task in tasks:
        if (record := read_finished(task)) is None:
            open_tasks.append(task)
        else:
            records[task.name] = record
            advance(_size(task))
    open_tasks.sort(key=_size, reverse=True)  # a large part started last would keep one worker busy alone
    elsewhere = engine.name == "ray" or (engine.workers or 1) > 1
    # only in this process can a part say how far it is
    work = Work(_part_worker if elsewhere else lambda: partial(_try_part, advance=advance), lost=_lost)
    for task, (record, why) in run(engine, work, ((task, task) for task in open_tasks)) if open_tasks else ():
        if record is None:
            problem = {"reason": "failed", "message": f"{task.name}: {why}; run again to try once more"}
            unknown = dict.fromkeys(("bytes", "sha256", "site"))
            record = {"name": task.name, **unknown, "counts": {}, "problem": problem}
        elif elsewhere:
            advance(_size(task))
        records[task.name] = record
    return records


def _size(task: PartTask) -> int:
    with suppress(OSError):
        return Path(task.path).stat().st_size
    return 0


def _plan_parts(dumps: Sequence[str | Path], folder: Path, settings: HarvestSettings) -> list[PartTask]:
    """Return the parts in the order of their names, numbers by value, so that no order of arguments matters."""
    names = [Path(dump).name for dump in dumps]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise HarvestError(f"{twice[0]}: given twice, or two parts of the same name; rename one")
    plain = settings.to_dict()
    tasks = [PartTask(str(Path(dump).resolve()), str(folder.resolve()), plain) for dump in dumps]
    return sorted(tasks, key=lambda task: _by_number(task.name))


def _by_number(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
