"""Predictions for text that a model has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora.splits import find_splits
from unslant.lab.detector.data import fold_splits
from unslant.lab.detector.recipe import Folds
from unslant.lab.evaluation.lineage import EVERYTHING, Fold
from unslant.lab.evaluation.models import Prediction, SentenceModel
from unslant.lab.stats.bootstrap import Resampling

__all__ = ["FOLDS", "Answer", "Setting", "ask", "folded", "part_of", "single"]

FOLDS = 5
"""The number of folds in the publication's cross-validation."""
_STEP = 512


def _silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How to measure."""

    data: str | Path | None = None
    """The folder of the corpora; None: the usual places."""
    resampling: Resampling = field(default_factory=Resampling)
    progress: Callable[[str, int, int], None] = _silent
    """Called with what is running, how much is done, and the total."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A text with its labels in the corpus, and the model's prediction."""

    example: Example
    prediction: Prediction
    fold: int = 0


def single(models: Sequence[SentenceModel], task: str) -> SentenceModel:
    """Return the only model; several make sense only for cross-validation."""
    if len(models) != 1:
        raise ConfigError(
            f"{task!r} measures one model, and the folder holds {len(models)}; name the folder of one of them"
        )
    return models[0]


def ask(
    model: SentenceModel, examples: Sequence[Example], corpus: str, setting: Setting, fold: int = 0
) -> list[Answer]:
    """Return a model's predictions for the examples, in order."""
    found: list[Answer] = []
    for start in range(0, len(examples), _STEP):
        some = examples[start : start + _STEP]
        predictions = model.predict([example.text for example in some], corpus)
        found += [
            Answer(example, prediction, fold) for example, prediction in zip(some, predictions, strict=True)
        ]
        setting.progress(f"{model.name}, {corpus}", len(found), len(examples))
    return found


def part_of(corpus: str, setting: Setting, split: str = "test") -> list[Example]:
    """Return a split of a corpus: as published, or the same 8:1:1 split that training uses."""
    examples = list(corpora.load(corpus, setting.data))
    splits = find_splits(examples)
    return [example for example in examples if splits[example.id] == split]


def folded(models: Sequence[SentenceModel], corpus: str, setting: Setting) -> list[Answer]:
    """Return each model's predictions for the fold that it was trained without.

    A single model that has seen nothing of the corpus predicts all folds.
    """
    examples = list(corpora.load(corpus, setting.data))
    found: list[Answer] = []
    if len(models) == 1 and models[0].lineage.fold_of(corpus) is None:
        model = models[0]
        model.lineage.check(model.name, corpus, EVERYTHING)
        for fold in range(FOLDS):
            found += ask(model, _part(examples, Fold(corpus, FOLDS, fold)), corpus, setting, fold)
        return found
    taken: dict[Fold, str] = {}
    for model in models:
        held = model.lineage.fold_of(corpus)
        if held is None:
            raise ConfigError(f"{model.name}: its card names no fold of {corpus} that it was trained without")
        if held in taken:
            raise ConfigError(f"{model.name}: holds out the same fold as {taken[held]}; keep one of them")
        taken[held] = model.name
        model.lineage.check(model.name, corpus, held)
        found += ask(model, _part(examples, held), corpus, setting, held.fold)
    return found


def _part(examples: Sequence[Example], held: Fold) -> list[Example]:
    splits = fold_splits(examples, Folds(held.corpus, held.count, held.fold))
    return [example for example in examples if splits[example.id] == "test" and example.label is not None]
