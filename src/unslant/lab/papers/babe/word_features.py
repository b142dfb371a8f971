"""The feature-based baseline of Spinde et al. 2021: classifies words; a sentence with a biased word is biased.

A word is described by the word lists of the literature that contain it, by its form, its place and its neighbours'
lists, not by itself. A logistic regression over the marked words of the training folds gives its probability; a word
counts as biased at or above the threshold with the best F1 over the words of the training folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.detector.data import fold_splits
from unslant.lab.detector.recipe import Folds
from unslant.lab.evaluation.held_out import FOLDS, Fold, Lineage, Setting
from unslant.lab.evaluation.word_lists import Numbers, WordLists
from unslant.lab.stats.regression import newton_logistic
from unslant.neural.decoder import PredictedSpan, Prediction

_PENALTY = 1.0
_ROUNDS = 12


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
