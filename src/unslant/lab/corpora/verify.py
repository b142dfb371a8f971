"""Checking a corpus: digests, and every row."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from unslant.core.example import Example
from unslant.lab.corpora.dataset import Corpus, Dataset, digest
from unslant.lab.corpora.problems import Problem

__all__ = ["verify"]


def verify(dataset: Dataset) -> Iterator[Problem]:
    """Yield everything that is wrong, with file and row: digests, unreadable rows, duplicate ids."""
    if isinstance(dataset, Corpus):
        yield from _digests(dataset)
    seen = _Seen()
    for row in dataset.rows():
        if isinstance(row, Problem):
            yield row
        elif (first := seen.add(row)) is not None:
            yield Problem(dataset.name, None, "duplicate id", f"{row.id}, example {first} and {seen.count}")


def _digests(corpus: Corpus) -> Iterator[Problem]:
    for file in corpus.source.present:
        found = digest(corpus.source.path(file.name))
        if file.sha256 and found != file.sha256:
            detail = f"SHA-256 is {found[:12]}…, expected {file.sha256[:12]}…"
            yield Problem(file.name, None, "not the version that the loader was written for", detail)


class _Seen:
    """Remembers ids in a temporary database on disk, so that a file of any size can be checked."""

    def __init__(self) -> None:
        # An empty name is SQLite's for a private database that spills to disk and vanishes when closed.
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE seen (id BLOB PRIMARY KEY, number INTEGER) WITHOUT ROWID")
        self.count = 0

    def add(self, example: Example) -> int | None:
        """Return the number of the example that had the same id, if one had."""
        self.count += 1
        key = hashlib.blake2b(example.id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        cursor = self._database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (key, self.count))
        if cursor.rowcount:
            return None
        first: int = self._database.execute("SELECT number FROM seen WHERE id = ?", (key,)).fetchone()[0]
        return first
