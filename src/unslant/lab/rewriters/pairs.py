"""Sentence pairs out of corpora and files, kept apart from what they will be measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from unslant.core.example import Example
from unslant.lab.corpora import Card, Dataset
from unslant.lab.corpora.dataset import digest
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.corpora.problems import CorpusMissing, DataProblem, skip_problems
from unslant.lab.corpora.tables import TableRow, read_rows
from unslant.lab.detector.data import Data
from unslant.lab.detector.recipe import Part

__all__ = ["Pair", "PairData", "PairFile"]

_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".xlsx")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence before and after an edit."""

    source: str
    target: str
    weight: float = 1.0
    """How often it is seen in an epoch."""


class PairFile:
    """A file with the columns ``source`` and ``target``, as ``unslant harvest`` writes it; read as a stream."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._skipped: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The path as it was given."""
        return str(self._path)

    @property
    def card(self) -> Card:
        """What is known of it: the licences that its rows state."""
        stated = sorted({one.licence for one in self} - {""})
        return Card(self.name, self._path.name, "", ", ".join(stated) or "not stated", "", "", "", ())

    @property
    def skipped(self) -> Mapping[str, int]:
        """What the last reading left out, counted by reason."""
        return dict(self._skipped)

    def __iter__(self) -> Iterator[Example]:
        self._skipped = Counter()
        return skip_problems(self.rows(), self.name, False, self._skipped)

    def rows(self) -> Iterator[Example | DataProblem]:
        """Yield both sides of each pair, and what could not be used in between."""
        for row in read_rows(self._path, ("source", "target")):
            if isinstance(row, DataProblem):
                yield row
            elif not row.text("source").strip() or not row.text("target").strip():
                yield row.problem("empty text")
            else:
                yield from self._sides(row)

    def _sides(self, row: TableRow) -> Iterator[Example]:
        name = row.text("id") or str(row.number)
        for side in ("source", "target"):
            yield Example(
                id=f"{name}:{side}",
                text=row.text(side),
                source=self.name,
                licence=row.text("licence"),
                split=row.text("split") or None,
                label=side == "source",
                pair=name,
                side=side,
            )

    def fingerprint(self) -> str:
        """Return a digest over the file."""
        return digest(self._path)


class PairData(Data):
    """Reads the pairs of a recipe, and remembers what it read."""

    def pairs(self, parts: Sequence[Part], *, training: bool) -> list[Pair]:
        """Return the pairs of the parts, in order; a pair of which one side is missing or kept out is left out."""
        found: list[Pair] = []
        for part in parts:
            sides: dict[str, dict[str, str]] = {}
            for sample in self.samples([part], training=training):
                example = sample.example
                if example.pair is not None and example.side is not None:
                    sides.setdefault(example.pair, {})[example.side] = " ".join(example.text.split())
            found += [
                Pair(one["source"], one["target"], part.weight) for one in sides.values() if len(one) == 2
            ]
        return found

    def _open(self, name: str) -> Dataset:
        if Path(name).suffix not in _SUFFIXES and not name.endswith(".jsonl.gz"):
            return super()._open(name)
        if not Path(name).is_file():
            raise CorpusMissing(f"there is no file {name}; check the path")
        first = next((one for one in islice(read_rows(Path(name)), 1) if isinstance(one, TableRow)), None)
        if first is not None and {"source", "target"} <= first.values.keys():
            return PairFile(name)
        return FileDataset(name)
