"""Datasets: examples read one at a time, judgements of single annotators, and what is known about a corpus."""

from __future__ import annotations

import hashlib
import importlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab.corpora.catalogue import Card, DataFile, digest
from unslant.lab.corpora.tables import (
    DataProblem,
    RowDataset,
    TableRow,
    TableRows,
    convert_rows,
    read_rows,
)

NOTHING = ""
"""The label of an annotator who looked at an item and marked no span in it."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One judgement, before any majority was taken."""

    item: str
    """The id of what was judged; for a registered corpus, that of its example."""
    annotator: str
    label: str
    """The judgement, in the annotators' words; for ``words`` one marked word or phrase."""
    task: str
    """The question, such as ``bias``, ``opinion``, ``words`` or the name of a field in a form."""
    batch: str | None = None
    text: str = ""
    """The item itself."""
    span: Span | None = None
    """The position in the text, for tasks that mark spans."""


@runtime_checkable
class Dataset(Protocol):
    """Examples that can be read again and again, with a card and a digest over the files."""

    @property
    def name(self) -> str:
        """The registered name, or the path of the user's own file."""
        ...

    @property
    def card(self) -> Card:
        """What is known of it."""
        ...

    @property
    def skipped(self) -> Mapping[str, int]:
        """What the last reading left out, counted by reason."""
        ...

    def __iter__(self) -> Iterator[Example]: ...

    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield the examples, and what could not be used in between."""
        ...

    def fingerprint(self) -> str:
        """Return a digest over the files: the same data, the same digest."""
        ...


@dataclass(frozen=True)
class CorpusSource:
    """The card and the folder of a corpus: what a reader needs."""

    card: Card
    folder: Path

    @property
    def name(self) -> str:
        """The name that the examples carry."""
        return self.card.name

    @property
    def licence(self) -> str:
        """The licence that the examples carry."""
        return self.card.licence

    def path(self, name: str) -> Path:
        """Return the path of a file of the corpus, whether it exists or not."""
        return self.folder / name

    def example(self, name: str, text: str, **fields: Any) -> Example:
        """Return an example of this corpus, with its name and licence filled in."""
        return Example(id=name, text=text, source=self.name, licence=self.licence, **fields)

    @cached_property
    def present(self) -> tuple[DataFile, ...]:
        """The files that are there."""
        return tuple(file for file in self.card.files if self.path(file.name).is_file())


Reader = Callable[[CorpusSource], Iterator[Example | DataProblem]]
Converter = Callable[[TableRow, CorpusSource], Iterator[Example | DataProblem]]


def reads(
    file: str, *columns: str, read: Callable[[Path, Sequence[str]], TableRows] = read_rows
) -> Callable[[Converter], Reader]:
    """Make the reader of a corpus from what turns a row of its file into examples."""

    def decorate(convert: Converter) -> Reader:
        @wraps(convert)
        def read_corpus(source: CorpusSource) -> Iterator[Example | DataProblem]:
            return convert_rows(read(source.path(file), columns), lambda row: convert(row, source))

        return read_corpus

    return decorate


class Corpus(RowDataset):
    """A registered corpus, read from a folder."""

    def __init__(self, source: CorpusSource, *, strict: bool = False) -> None:
        super().__init__(source.name, strict=strict)
        self.source, self.card = source, source.card

    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield the examples, and what could not be used in between."""
        module, _, function = self.card.reader.partition(":")
        reader = getattr(importlib.import_module(f"unslant.lab.corpora.{module}"), function)
        rows: Iterator[Example | DataProblem] = reader(self.source)
        return rows

    def fingerprint(self) -> str:
        """Return a digest over the files that are there: the same data, the same digest."""
        whole = hashlib.sha256()
        for file in self.source.present:
            whole.update(f"{file.name}\0{digest(self.source.path(file.name))}\n".encode())
        return whole.hexdigest()


def verify(dataset: Dataset) -> Iterator[DataProblem]:
    """Yield everything that is wrong, with file and row: digests, unreadable rows, duplicate ids."""
    if isinstance(dataset, Corpus):
        yield from _check_digests(dataset)
    seen = _SeenIds()
    for row in dataset.rows():
        if isinstance(row, DataProblem):
            yield row
        elif (first := seen.add(row)) is not None:
            yield DataProblem(
                dataset.name, None, "duplicate id", f"{row.id}, example {first} and {seen.count}"
            )


def _check_digests(corpus: Corpus) -> Iterator[DataProblem]:
    for file in corpus.source.present:
        found = digest(corpus.source.path(file.name))
        if file.sha256 and found != file.sha256:
            detail = f"SHA-256 is {found[:12]}…, expected {file.sha256[:12]}…"
            yield DataProblem(file.name, None, "not the version that the loader was written for", detail)


class _SeenIds:
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
