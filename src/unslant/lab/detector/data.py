"""The texts of a recipe: read once, split, and kept apart from what they will be measured on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora import Card, Dataset
from unslant.lab.corpora.overlap import find_overlap
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.corpora.splits import assign_splits, find_splits
from unslant.lab.detector.changes import mark_changes
from unslant.lab.detector.recipe import Folds, Part, Recipe
from unslant.lab.detector.rows import Sample

__all__ = ["Data", "fold_splits"]


def fold_splits(examples: Sequence[Example], folds: Folds) -> dict[str, str]:
    """Return the split of each id: the held-out part is ``test``, a share of the rest ``dev``.

    Parts are stratified by label and keep equal texts together; they depend on the texts alone, so that training and
    evaluation cut alike.
    """
    parts = {str(number): 1 / folds.count for number in range(folds.count)}
    part = assign_splits(examples, parts, keep=()) if folds.fold is not None else {}
    rest = [one for one in examples if part.get(one.id) != str(folds.fold)]
    inner = assign_splits(rest, {"train": 1 - folds.dev, "dev": folds.dev}, keep=()) if folds.dev else {}
    return {
        one.id: "test" if part.get(one.id, "") == str(folds.fold) else inner.get(one.id, "train")
        for one in examples
    }


@dataclass
class Data:
    """Reads the corpora of a recipe and remembers what it read."""

    recipe: Recipe
    folder: str | Path | None = None
    """Where the corpora lie; None: where they are usually found."""
    used: dict[str, Card] = field(default_factory=dict)
    """The cards of all corpora that were learned from."""
    dropped: Counter[str] = field(default_factory=Counter)
    """How many texts of each corpus were kept out because held-out data has them too."""
    _examples: dict[str, list[Example]] = field(default_factory=dict)
    _splits: dict[str, dict[str, str]] = field(default_factory=dict)
    _blocked: dict[str, frozenset[str]] = field(default_factory=dict)
    _targets: dict[str, dict[str, str]] = field(default_factory=dict)

    def samples(self, parts: Sequence[Part], *, training: bool) -> list[Sample]:
        """Return what the parts name, in the order of the files; for training, without what is guarded."""
        found: list[Sample] = []
        if training:
            for name in {part.name for part in parts}:
                self.dropped[name] = 0
        for part in parts:
            chosen = [
                Sample(example, part, split, rewritten=self._rewritten(example, part.name))
                for example in (self.marked(part.name) if part.changed else self.examples(part.name))
                if ((split := self.splits(part.name)[example.id]) in part.splits or not part.splits)
                and (not part.sides or example.side in part.sides)
            ]
            if training:
                blocked = self.blocked(part.name)
                kept = [one for one in chosen if one.example.id not in blocked]
                self.dropped[part.name] += len(chosen) - len(kept)
                chosen = kept
                self.used[part.name] = self._open(part.name).card
            if part.limit is not None and part.limit < len(chosen):
                rng = random.Random(f"{self.recipe.seed}/{part.name}")  # noqa: S311
                places = sorted(rng.sample(range(len(chosen)), part.limit))
                chosen = [chosen[at] for at in places]
            found += chosen
        return found

    def _open(self, name: str) -> Dataset:
        if Path(name).suffix in (".jsonl", ".csv", ".tsv", ".parquet", ".xlsx"):
            return FileDataset(name)
        return corpora.load(name, self.folder)

    def examples(self, name: str) -> list[Example]:
        """Return all texts of a corpus."""
        if name not in self._examples:
            self._examples[name] = list(self._open(name))
        return self._examples[name]

    def marked(self, name: str) -> list[Example]:
        """Return all texts of a corpus, the words that an edit took away marked."""
        key = f"{name}\0changed"
        if key not in self._examples:
            self._examples[key] = mark_changes(self.examples(name))
        return self._examples[key]

    def _rewritten(self, example: Example, name: str) -> str | None:
        """Return what a pair says of a text: a slanted source becomes its target, what is neutral stays."""
        if example.label is None or not example.pair or example.side not in ("source", "target"):
            return None
        if not example.label:
            return example.text
        if name not in self._targets:
            self._targets[name] = {
                one.pair: one.text for one in self.examples(name) if one.pair and one.side == "target"
            }
        return self._targets[name].get(example.pair) if example.side == "source" else None

    def splits(self, name: str) -> dict[str, str]:
        """Return the split of each id: by folds, as published, or 8:1:1."""
        if name not in self._splits:
            examples = self.examples(name)
            folds = self.recipe.folds
            if folds is not None and folds.corpus == name:
                self._splits[name] = fold_splits(examples, folds)
            else:
                self._splits[name] = find_splits(examples)
        return self._splits[name]

    def blocked(self, name: str) -> frozenset[str]:
        """Return the ids that held-out data of a guarded corpus has too, to the letter or nearly."""
        if name not in self._blocked:
            texts = _texts(name, [one for one in self.examples(name) if not self._held_out(name, one)])
            found: set[str] = set()
            for guarded in self.recipe.guard:
                held = [one for one in self.examples(guarded) if self._held_out(guarded, one)]
                shared = find_overlap(_texts(guarded, held), texts)
                found.update(match.right for match in (*shared.exact, *shared.near))
            self._blocked[name] = frozenset(found)
        return self._blocked[name]

    def _held_out(self, name: str, example: Example) -> bool:
        if name not in self.recipe.guard:
            return False
        learned = any(part.name == name for stage in self.recipe.stages for part in stage.corpora)
        return not learned or self.splits(name)[example.id] in ("dev", "test")


def _texts(name: str, examples: Sequence[Example]) -> Dataset:
    return cast("Dataset", _Texts(name, examples))


class _Texts:
    """Some texts of a corpus, as far as the search for duplicates asks."""

    def __init__(self, name: str, examples: Sequence[Example]) -> None:
        self.name = name
        self._examples = examples

    def __iter__(self) -> Iterator[Example]:
        return iter(self._examples)
