"""The feature-based baseline of Spinde et al. 2021: classifies words; a sentence with a biased word is biased.

A word is described by the word lists of the literature that contain it (hedges, factives, assertives, opinion words
and so on, read from the folder ``lexicons`` of the data), by its form, its place and its neighbours' lists, not by
itself. A logistic regression over the marked words of the training folds gives its probability; a word counts as biased
at or above the threshold with the best F1 over the words of the training folds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.catalogue import data_folders
from unslant.lab.detector.data import fold_splits
from unslant.lab.detector.recipe import Folds
from unslant.lab.evaluation.held_out import FOLDS, Fold, Lineage, Setting
from unslant.lab.stats.regression import newton_logistic
from unslant.neural.decoder import PredictedSpan, Prediction
from unslant.text.words import ALPHANUMERIC

Numbers = NDArray[np.float64]

# Not text.words.COMPOUND: an underscore is no part of a word here.
_WORD = re.compile(rf"{ALPHANUMERIC.pattern}(?:['\u2019-]{ALPHANUMERIC.pattern})*")
_ENDINGS = ("ly", "ed", "ing", "est", "ous", "ful", "ive", "ist", "ism", "able", "s")
_PENALTY = 1.0
_ROUNDS = 12


@dataclass(frozen=True)
class WordLists:
    """The word lists of a folder, by the name of their file."""

    words: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, data: str | Path | None) -> WordLists:
        """Read the folder ``lexicons``; a line is a word, and what follows a space is left out."""
        folder = next(
            (place / "lexicons" for place in data_folders(data) if (place / "lexicons").is_dir()), None
        )
        if folder is None:
            raise ConfigError(
                "the feature baseline needs the folder 'lexicons' with word lists beside the corpora"
            )
        found = {}
        for path in sorted(folder.glob("*.txt")):
            if not path.name.startswith("README"):
                lines = path.read_text("utf-8", "replace").splitlines()
                found[path.stem] = frozenset(
                    line.split()[0].lower()
                    for line in lines
                    if line.strip() and not line.startswith(("#", ";"))
                )
        return cls(found)

    def rows(self, text: str) -> tuple[list[Span], Numbers]:
        """Return the words of a text and the features of each, (words, features)."""
        matches = list(_WORD.finditer(text))
        inside = np.array(
            [[match.group().lower() in words for words in self.words.values()] for match in matches],
            dtype=float,
        ).reshape(len(matches), len(self.words))
        blank = np.zeros((1, len(self.words)))
        before, after = np.concatenate([blank, inside[:-1]]), np.concatenate([inside[1:], blank])
        form = [self._form(match.group(), at, len(matches)) for at, match in enumerate(matches)]
        shape = np.array(form, dtype=float).reshape(len(matches), 5 + len(_ENDINGS))
        return [Span(*match.span()) for match in matches], np.concatenate(
            [inside, before[: len(matches)], after[: len(matches)], shape], axis=1
        )

    @staticmethod
    def _form(word: str, at: int, count: int) -> list[float]:
        endings = [float(word.lower().endswith(ending)) for ending in _ENDINGS]
        return [1.0, at / count, len(word) / 10, float(word[0].isupper()), float(word.isupper()), *endings]


class FeatureModel:
    """The regression, fitted to all folds but the held-out one."""

    heads = ""
    answers = frozenset({"sentence", "spans"})

    def __init__(self, lists: WordLists, examples: Sequence[Example], held_out: Fold) -> None:
        self._lists, self._examples, self._held_out = lists, examples, held_out
        self.name = "features"
        self.lineage = Lineage(folds=(held_out,))

    @cached_property
    def _fitted(self) -> tuple[Numbers, float]:
        values, labels = [], []
        for example in self._examples:
            if example.spans is None:
                continue
            words, rows = self._lists.rows(example.text)
            values.append(rows)
            labels += [any(word.overlaps(marked.span) for marked in example.spans) for word in words]
        features, right = np.concatenate(values), np.array(labels, dtype=float)
        weights = newton_logistic(features, right, np.full(features.shape[1], _PENALTY), _ROUNDS)
        return weights, _threshold(_chances(features, weights), right)

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Mark the words at or above the threshold; a text with a marked word is biased."""
        weights, threshold = self._fitted
        found = []
        for text in texts:
            words, rows = self._lists.rows(text)
            chances = _chances(rows, weights)
            spans = tuple(
                PredictedSpan(word, None, float(chance))
                for word, chance in zip(words, chances, strict=True)
                if chance >= threshold
            )
            found.append(Prediction(slanted=bool(spans), spans=spans))
        return found


def _chances(features: Numbers, weights: Numbers) -> Any:
    return 1 / (1 + np.exp(-features @ weights))


def _threshold(chances: Numbers, right: Numbers) -> float:
    """Return the threshold with the best F1 over words."""
    order = np.argsort(-chances)
    hits = np.cumsum(right[order])
    scores = 2 * hits / (np.arange(1, len(order) + 1) + right.sum())
    return float(chances[order[int(scores.argmax())]])


def feature_folds(corpus: str, setting: Setting) -> list[FeatureModel]:
    """Return one model per fold, each fitted to the other folds."""
    examples = list(corpora.load(corpus, setting.data))
    lists = WordLists.read(setting.data)
    found = []
    for fold in range(FOLDS):
        splits = fold_splits(examples, Folds(corpus, FOLDS, fold, dev=0.0))
        rest = [example for example in examples if splits[example.id] != "test"]
        found.append(FeatureModel(lists, rest, Fold(corpus, FOLDS, fold)))
    return found
