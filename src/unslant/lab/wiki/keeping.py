"""Which rows stay when all parts are put together; the memory it takes does not grow with their number.

Rows are dealt out to files by the digest of their source, so that equal sources lie in one file; each file is judged by
itself, and the judgements are noted by the number of the row. The files have no names: a run that is killed leaves
none behind.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, Any

from unslant.lab.wiki.store import PartTask, rows_of_part

__all__ = ["PART_BYTES", "kept_rows"]

PART_BYTES = 64_000_000
"""Bytes of rows whose digests are held at a time; they take less than that."""
_MOST_FILES = 200
"""Beyond, files grow: a process may open no more than 256 on some systems."""
_REASONS = {b"d": "duplicate", b"s": "superseded"}
_Rank = tuple[str, int, str]


def kept_rows(
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
        for number, row in enumerate(_rows(tasks)):
            source, pair, rank = _digests(row)
            line = json.dumps([number, source, pair, *rank]).encode() + b"\n"
            files[int(source[:8], 16) % len(files)].write(line)
        notes = stack.enter_context(TemporaryFile(dir=tasks[0].folder))
        for file in files:
            for number, note in _left_out(file, without):
                notes.seek(number)
                notes.write(note)
            file.close()
        notes.seek(0)
        for row in _rows(tasks):
            if reason := _REASONS.get(notes.read(1)):
                counts[reason] += 1
            else:
                yield row


def _rows(tasks: Sequence[PartTask]) -> Iterator[dict[str, Any]]:
    for task in tasks:
        yield from rows_of_part(task)


def _left_out(file: IO[bytes], without: frozenset[str]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each row that goes, and why."""
    by_source: dict[str, tuple[_Rank, str]] = {}
    by_pair: dict[str, _Rank] = {}
    for _, source, pair, rank in _entries(file):
        by_source[source] = max(by_source.get(source, (rank, pair)), (rank, pair))
        by_pair[pair] = max(by_pair.get(pair, rank), rank)
    for number, source, pair, rank in _entries(file):
        if by_pair.get(pair) != rank and "duplicate" not in without:
            yield number, b"d"
        elif by_source[source][1] != pair and "superseded" not in without:
            yield number, b"s"
        else:
            by_pair.pop(pair, None)  # the same row in two parts is a duplicate, too


def _entries(file: IO[bytes]) -> Iterator[tuple[int, str, str, _Rank]]:
    file.seek(0)
    for line in file:
        number, source, pair, *rank = json.loads(line)
        yield number, source, pair, (rank[0], rank[1], rank[2])


def _digests(row: Mapping[str, Any]) -> tuple[str, str, _Rank]:
    source = hashlib.blake2b(row["source"].encode("utf-8", "surrogatepass"), digest_size=12)
    pair = source.copy()
    pair.update(b"\0" + row["target"].encode("utf-8", "surrogatepass"))
    return source.hexdigest(), pair.hexdigest(), (row["timestamp"], row["revision"], row["id"])
