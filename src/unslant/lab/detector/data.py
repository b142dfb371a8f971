"""The texts of a recipe: loads them once, splits them, and excludes duplicates of held-out data."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Edit, Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, part_of
from unslant.lab.corpora.own_files import FileDataset, is_file_name
from unslant.lab.corpora.splits import assign_splits, find_overlap, find_splits
from unslant.lab.detector.rows import TrainingSample
from unslant.text.diff import diff_words
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edits
from unslant.text.words import split_words

if TYPE_CHECKING:
    from unslant.lab.corpora import Card, Dataset
    from unslant.lab.detector.recipe import Folds, Part, Recipe

_WITH_FIXES = ("editor", "editor_extra", "editor_active", "genres", "own", "contrast")
"""Corpora in which editors wrote a fix for the words they marked."""


def fold_splits(examples: Sequence[Example], folds: Folds) -> dict[str, str]:
    """Return the split of each id: the held-out fold is ``test``, a share of the rest is ``dev``.

    Folds are stratified by label and keep equal texts together; they depend only on the texts, so that training and
    evaluation use the same folds.
    """
    parts = {str(number): 1 / folds.count for number in range(folds.count)}
    part = assign_splits(examples, parts, keep=()) if folds.fold is not None else {}
    rest = [example for example in examples if part.get(example.id) != str(folds.fold)]
    inner = assign_splits(rest, {"train": 1 - folds.dev, "dev": folds.dev}, keep=()) if folds.dev else {}
    return {
        example.id: "test" if part.get(example.id, "") == str(folds.fold) else inner.get(example.id, "train")
        for example in examples
    }


@dataclass
class Data:
    """Loads and caches the corpora of a recipe."""

    recipe: Recipe
    folder: str | Path | None = None
    """The folder of the corpora; None for the default locations."""
    used: dict[str, Card] = field(default_factory=dict)
    """The cards of all training corpora."""
    dropped: Counter[str] = field(default_factory=Counter)
    """How many texts of each corpus were excluded because they occur in held-out data."""
    _examples: dict[str, list[Example]] = field(default_factory=dict)
    _splits: dict[str, dict[str, str]] = field(default_factory=dict)
    _blocked: dict[str, frozenset[str]] = field(default_factory=dict)
    _targets: dict[str, dict[str, str]] = field(default_factory=dict)

    def samples(self, parts: Sequence[Part], *, training: bool) -> list[TrainingSample]:
        """Return the samples of the parts, in file order; for training, without held-out texts."""
        found: list[TrainingSample] = []
        if training:
            for name in {part.name for part in parts}:
                self.dropped[name] = 0
        for part in parts:
            chosen = [
                TrainingSample(example, part, split, rewritten=self._edited_text(example, part.name))
                for example in (self.with_changes(part.name) if part.changed else self.examples(part.name))
                if ((split := self.splits(part.name)[example.id]) in part.splits or not part.splits)
                and (not part.sides or example.side in part.sides)
            ]
            if training:
                blocked = self.held_out_duplicates(part.name)
                kept = [sample for sample in chosen if sample.example.id not in blocked]
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
        if is_file_name(name):
            return FileDataset(name, self.recipe.column_map(name))
        return corpora.load(name, self.folder)

    def examples(self, name: str) -> list[Example]:
        """Return all texts of a corpus."""
        if name not in self._examples:
            self._examples[name] = list(self._open(name))
        return self._examples[name]

    def with_changes(self, name: str) -> list[Example]:
        """Return all texts of a corpus, with spans on the words that an edit removed."""
        key = f"{name}\0changed"
        if key not in self._examples:
            self._examples[key] = mark_changes(self.examples(name))
        return self._examples[key]

    def _edited_text(self, example: Example, name: str) -> str | None:
        """Return the edited text: a slanted source becomes its target, a neutral text stays unchanged.

        Where editors marked words and wrote fixes, these are applied.
        """
        if name.partition("/")[0] in _WITH_FIXES:
            return apply_fixes(example)
        if example.label is None or not example.pair or example.side not in ("source", "target"):
            return None
        if not example.label:
            return example.text
        if name not in self._targets:
            self._targets[name] = {
                example.pair: example.text
                for example in self.examples(name)
                if example.pair and example.side == "target"
            }
        return self._targets[name].get(example.pair) if example.side == "source" else None

    def splits(self, name: str) -> dict[str, str]:
        """Return the split of each id: by folds, as published, or 8:1:1."""
        if name not in self._splits:
            examples = self.examples(name)
            folds = self.recipe.folds
            if folds is not None and folds.corpus == name:
                self._splits[name] = fold_splits(examples, folds)
            elif name == EDITOR:
                # training must not use what is set aside for calibration
                self._splits[name] = {example.id: part_of(example) for example in examples}
            else:
                self._splits[name] = find_splits(examples)
        return self._splits[name]

    def held_out_duplicates(self, name: str) -> frozenset[str]:
        """Return the ids of exact and near duplicates of held-out texts of the guarded corpora."""
        if name not in self._blocked:
            texts = [example for example in self.examples(name) if not self._held_out(name, example)]
            found: set[str] = set()
            for guarded in self.recipe.guard:
                held = [example for example in self.examples(guarded) if self._held_out(guarded, example)]
                shared = find_overlap(held, texts)
                found.update(match.right for match in (*shared.exact, *shared.near))
            self._blocked[name] = frozenset(found)
        return self._blocked[name]

    def _held_out(self, name: str, example: Example) -> bool:
        if name not in self.recipe.guard:
            return False
        learned = any(part.name == name for stage in self.recipe.stages for part in stage.corpora)
        return not learned or self.splits(name)[example.id] in ("dev", "test")


def apply_fixes(example: Example) -> str | None:
    """Return the text with the fix of every marked span; None if a span has none, or if spans overlap."""
    marked = example.spans or ()
    edits = [
        Edit(labelled.span.start, labelled.span.end, labelled.fix)
        for labelled in marked
        if labelled.fix is not None
    ]
    if len(edits) < len(marked) or any(left.end > right.start for left, right in pairwise(edits)):
        return None
    return apply_edits(example.text, tidy_edits(example.text, edits))


def changed_spans(source: str, target: str) -> tuple[Span, ...]:
    """Return the spans of words in ``source`` that ``target`` lacks, ignoring case and white space.

    Spans of punctuation alone are left out: moving a comma does not change the wording.
    """
    words = split_words(source)
    spans = []
    for (first, last), _ in diff_words(words.plain, split_words(target).plain):
        if any(map(words.is_word, range(first, last))):
            spans.append(Span(words.spans[first][0], words.spans[last - 1][1]))
    return tuple(spans)


def mark_changes(examples: Sequence[Example]) -> list[Example]:
    """Add spans to the sources of pairs on the words their targets lack; targets get no spans, other texts stay."""
    targets = {
        example.pair: example.text for example in examples if example.pair and example.side == "target"
    }
    marked = []
    for example in examples:
        if example.spans is not None or example.pair not in targets:
            marked.append(example)
        elif example.side == "source":
            spans = changed_spans(example.text, targets[example.pair])
            marked.append(replace(example, spans=tuple(LabelledSpan(span) for span in spans)))
        else:
            marked.append(replace(example, spans=()))
    return marked
