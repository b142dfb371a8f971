"""Sentence pairs from corpora and files, without held-out texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from unslant.core.example import Example
from unslant.lab.corpora import Card, Dataset
from unslant.lab.corpora.catalogue import digest
from unslant.lab.corpora.own_files import is_file_name
from unslant.lab.corpora.tables import (
    CorpusMissing,
    DataProblem,
    RowDataset,
    TableRow,
    convert_rows,
    read_rows,
)
from unslant.lab.detector.data import Data
from unslant.lab.detector.recipe import Part


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence before and after an edit."""

    source: str
    target: str
    weight: float = 1.0
    """How often an epoch contains it."""


class PairFile(RowDataset):
    """A file with the columns ``source`` and ``target``, as written by ``unslant harvest``; read as a stream."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(str(path))
        self._path = Path(path)

    @property
    def card(self) -> Card:
        """The card, with the licences stated in the rows."""
        stated = sorted({example.licence for example in self} - {""})
        return Card(self.name, self._path.name, "", ", ".join(stated) or "not stated", "", "", "", ())

    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield both sides of each pair, and problems in between."""
        return convert_rows(read_rows(self._path, ("source", "target")), self._sides)

    def _sides(self, row: TableRow) -> Iterator[Example]:
        name = row.text("id") or str(row.number)
        for side, text in [(side, row.needed(side)) for side in ("source", "target")]:
            yield Example(
                id=f"{name}:{side}",
                text=text,
                source=self.name,
                licence=row.text("licence"),
                split=row.text("split") or None,
                label=side == "source",
                pair=name,
                side=side,
            )

    def fingerprint(self) -> str:
        """Return a digest of the file."""
        return digest(self._path)


class PairData(Data):
    """Loads and caches the pairs of a recipe."""

    def pairs(self, parts: Sequence[Part], *, training: bool) -> list[Pair]:
        """Return the complete pairs of the parts, in order; pairs with a held-out side are excluded."""
        found: list[Pair] = []
        for part in parts:
            sides: dict[str, dict[str, str]] = {}
            for sample in self.samples([part], training=training):
                example = sample.example
                if example.pair is not None and example.side is not None:
                    sides.setdefault(example.pair, {})[example.side] = " ".join(example.text.split())
            found += [
                Pair(pair["source"], pair["target"], part.weight) for pair in sides.values() if len(pair) == 2
            ]
        return found

    def _open(self, name: str) -> Dataset:
        if not is_file_name(name):
            return super()._open(name)
        if not Path(name).is_file():
            raise CorpusMissing(f"{name}: no such file; check the path")
        first = next((row for row in islice(read_rows(Path(name)), 1) if isinstance(row, TableRow)), None)
        if first is not None and {"source", "target"} <= first.values.keys():
            return PairFile(name)
        return super()._open(name)
