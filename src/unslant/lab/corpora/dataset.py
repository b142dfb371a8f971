"""A corpus as everybody sees it: examples, one at a time, with what is known of it."""

from __future__ import annotations

import hashlib
import importlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

from unslant.core.example import Example
from unslant.lab.corpora.catalogue import Card, DataFile
from unslant.lab.corpora.problems import Problem, usable

__all__ = ["Corpus", "Dataset", "Source", "digest"]


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

    def rows(self) -> Iterator[Example | Problem]:
        """Yield the examples, and what could not be used in between."""
        ...

    def fingerprint(self) -> str:
        """Return a digest over the files: the same data, the same digest."""
        ...


@dataclass(frozen=True)
class Source:
    """Where a corpus lies: what a reader needs to know."""

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
        """Return where a file of the corpus is or would be."""
        return self.folder / name

    @cached_property
    def present(self) -> tuple[DataFile, ...]:
        """The files that are there."""
        return tuple(file for file in self.card.files if self.path(file.name).is_file())


class Corpus:
    """A registered corpus, read from a folder."""

    def __init__(self, source: Source, *, strict: bool = False) -> None:
        self._source = source
        self._strict = strict
        self._skipped: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The registered name."""
        return self._source.name

    @property
    def card(self) -> Card:
        """What is known of it."""
        return self._source.card

    @property
    def source(self) -> Source:
        """Where it lies."""
        return self._source

    @property
    def skipped(self) -> Mapping[str, int]:
        """What the last reading left out, counted by reason."""
        return dict(self._skipped)

    def rows(self) -> Iterator[Example | Problem]:
        """Yield the examples, and what could not be used in between."""
        module = importlib.import_module(f"unslant.lab.corpora.{self.card.module}")
        rows: Iterator[Example | Problem] = module.rows(self._source)
        return rows

    def __iter__(self) -> Iterator[Example]:
        self._skipped = Counter()
        return usable(self.rows(), self.name, self._strict, self._skipped)

    def fingerprint(self) -> str:
        """Return a digest over the files that are there: the same data, the same digest."""
        whole = hashlib.sha256()
        for file in self._source.present:
            whole.update(f"{file.name}\0{digest(self._source.path(file.name))}\n".encode())
        return whole.hexdigest()


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
