"""Heads at the text level: the probability of slant, its kinds, the group concerned, and opinion or fact."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from unslant.core.example import Example
from unslant.core.taxonomy import dimensions, kinds
from unslant.lab.detector.heads import DecodedRow, LayeredHead, Target
from unslant.lab.detector.rows import EncodedRow, is_doubtful
from unslant.lab.stats.metrics import best_threshold, calibration_error, f1, macro_f1
from unslant.neural.decoder import Prediction


@dataclass(frozen=True, slots=True)
class SentenceOptions:
    """The options of a sentence head."""

    soft: float = 0.0
    """The weight of the share of annotators: 0 for their majority only, 1 for the share only."""
    positive: float = 1.0
    """The weight of slanted texts."""
    negative: float = 1.0
    """The weight of neutral texts."""
    smoothing: float = 0.0
    """The label smoothing."""
    doubtful: float | None = None
    """The target probability of a text with only doubtful spans, which then counts in no metric; None for its label."""
    hidden: int = 0
    """The width of an additional layer; 0 for none."""


class SentenceHead(LayeredHead):
    """One logit per text."""

    Options = SentenceOptions
    labels: ClassVar[tuple[str, ...]] = ("slanted",)
    exclusive: ClassVar[bool] = False

    def target(self, example: Example) -> float | None:
        """Return the target probability; None without a label."""
        soft = self.options.soft
        if self.options.doubtful is not None and _is_doubtful(example):
            return self.options.doubtful
        if example.label is None:
            return example.share if soft else None
        hard = self.options.smoothing / 2 + float(example.label) * (1 - self.options.smoothing)
        return hard if example.share is None else (1 - soft) * hard + soft * example.share

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch,) probabilities and weights."""
        values, weights = [], []
        for row in rows:
            target = self.target(row.sample.example) if row.sample.teaches("sentence") else None
            values.append(target or 0.0)
            side = self.options.positive if (target or 0.0) >= 0.5 else self.options.negative
            weights.append(0.0 if target is None else side * row.sample.part.trust)
        return Target(torch.tensor(values), torch.tensor(weights))

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[EncodedRow], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Fit scale and offset of the logit, so that probabilities are calibrated."""
        judged = [
            (float(output), row) for output, row in zip(outputs, rows, strict=True) if self._is_judged(row)
        ]
        logits = [logit for logit, _ in judged]
        labels = [bool(row.sample.example.label) for _, row in judged]
        if len(set(labels)) < 2:
            return {}
        scale, offset = fit_platt(logits, labels)
        return {"scale": scale, "offset": offset, "threshold": 0.5}

    def _is_judged(self, row: EncodedRow) -> bool:
        example = row.sample.example
        excluded = self.options.doubtful is not None and _is_doubtful(example)
        return example.label is not None and row.sample.teaches("sentence") and not excluded

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return macro-F1, accuracy, calibration, and how often a source scores above its target."""
        judged = [row for row in decoded if self._is_judged(row.row)]
        if not judged:
            return {}
        labels = [bool(row.row.sample.example.label) for row in judged]
        guesses = [row.prediction.slanted for row in judged]
        found = {
            "macro_f1": macro_f1([int(label) for label in labels], [int(guess) for guess in guesses]),
            "accuracy": sum(a == b for a, b in zip(labels, guesses, strict=True)) / len(labels),
            "calibrated": 1
            - float(calibration_error([row.prediction.score for row in judged], labels).value or 0.0),
        }
        pairs = _pairs(decoded)
        if pairs:
            found["pairwise"] = sum(source > target for source, target in pairs) / len(pairs)
        return found


def _is_doubtful(example: Example) -> bool:
    return bool(example.spans) and all(is_doubtful(labelled) for labelled in example.spans or ())


def _pairs(decoded: Sequence[DecodedRow]) -> list[tuple[float, float]]:
    """Return the scores of both sides of each pair with a slanted source."""
    sides: dict[tuple[str, str], dict[str, float]] = {}
    slanted: set[tuple[str, str]] = set()
    for row in decoded:
        example = row.row.sample.example
        if example.pair is not None and example.side is not None and row.row.sample.teaches("sentence"):
            score = row.prediction.score
            sides.setdefault((example.source, example.pair), {})[example.side] = score
            if example.side == "source" and example.label:
                slanted.add((example.source, example.pair))
    return [
        (found["source"], found["target"])
        for pair, found in sides.items()
        if pair in slanted and len(found) == 2
    ]


_OPINIONS = {
    "Entirely factual": "factual",
    "Somewhat factual but also opinionated": "mixed",
    "Expresses writer\u2019s opinion": "opinion",
    "Expresses writer's opinion": "opinion",
}


@dataclass(frozen=True, slots=True)
class ChoiceOptions:
    """The options of a head with exclusive labels."""

    hidden: int = 0
    """The width of an additional layer; 0 for none."""


class _ChoiceHead(LayeredHead, ABC):
    """One of several labels per text."""

    Options = ChoiceOptions
    labels: ClassVar[tuple[str, ...]]
    exclusive: ClassVar[bool] = True

    @abstractmethod
    def name(self, row: EncodedRow) -> str | None:
        """Return the correct label; None if unknown."""

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch,) label indices and weights."""
        names = [self.name(row) for row in rows]
        values = [0 if name is None else self.labels.index(name) for name in names]
        weights = [
            0.0 if name is None else row.sample.part.trust for name, row in zip(names, rows, strict=True)
        ]
        return Target(torch.tensor(values), torch.tensor(weights))

    @abstractmethod
    def predicted(self, prediction: Prediction) -> str | None:
        """Return the predicted label; None if no label has a majority."""

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return macro-F1 over the labels that occur."""
        named = [(name, self.predicted(row.prediction)) for row in decoded if (name := self.name(row.row))]
        if not named:
            return {}
        truth = [self.labels.index(name) for name, _ in named]
        guess = [self.labels.index(name) if name in self.labels else -1 for _, name in named]
        return {"macro_f1": macro_f1(truth, guess)}


class DimensionHead(_ChoiceHead):
    """The group that the slant of a text concerns, if any."""

    labels: ClassVar[tuple[str, ...]] = ("none", *dimensions())

    def name(self, row: EncodedRow) -> str | None:
        """Return the dimension; None if the corpus names none."""
        if not row.sample.teaches("dimension"):
            return None
        return row.sample.example.dimension

    def predicted(self, prediction: Prediction) -> str | None:
        """Return the dimension; ``none`` if no dimension has a majority."""
        return prediction.dimension or "none"


class OpinionHead(_ChoiceHead):
    """Whether a text is factual, opinion or both."""

    labels: ClassVar[tuple[str, ...]] = ("factual", "mixed", "opinion")

    def name(self, row: EncodedRow) -> str | None:
        """Return the label that annotators agreed on."""
        if not row.sample.teaches("opinion"):
            return None
        return _OPINIONS.get(str(row.sample.example.extra.get("opinion")))

    def predicted(self, prediction: Prediction) -> str | None:
        """Return the label, if one has a majority."""
        return prediction.opinion


@dataclass(frozen=True, slots=True)
class KindsOptions:
    """The options of the heads for kinds."""

    conditional: bool = False
    """Whether to learn from slanted texts only; the probabilities are multiplied with those of the sentence head."""
    rare: float = 1.0
    """The weight of a kind that is present relative to one that is absent."""
    hidden: int = 0
    """The width of an additional layer; 0 for none."""


class KindsHead(LayeredHead):
    """Three logits per text."""

    Options = KindsOptions
    labels: ClassVar[tuple[str, ...]] = kinds()
    exclusive: ClassVar[bool] = False

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch, 3) labels and weights."""
        values, weights = torch.zeros(len(rows), 3), torch.zeros(len(rows), 3)
        for at, row in enumerate(rows):
            found = _kinds(row)
            if found is None or (self.options.conditional and not found):
                continue
            values[at] = torch.tensor([float(name in found) for name in self.labels])
            weights[at] = row.sample.part.trust
        return Target(values, torch.where(values > 0, weights * self.options.rare, weights))

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[EncodedRow], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose the threshold of each kind with the best F1."""
        judged = [
            (torch.sigmoid(output).tolist(), kinds)
            for output, row in zip(outputs, rows, strict=True)
            if (kinds := self._gold(row)) is not None
        ]
        probabilities, truth = [row for row, _ in judged], [kinds for _, kinds in judged]
        if not any(truth):
            return {}
        return {
            "thresholds": {
                name: best_threshold([name in kinds for kinds in truth], [row[at] for row in probabilities])
                for at, name in enumerate(self.labels)
                if any(name in kinds for kinds in truth)
            }
        }

    def _gold(self, row: EncodedRow) -> frozenset[str] | None:
        kinds = _kinds(row)
        return None if self.options.conditional and not kinds else kinds

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return the F1 of each kind that occurs and their mean; on slanted texts only, if conditional."""
        judged = [
            (kinds, row.prediction.kinds) for row in decoded if (kinds := self._gold(row.row)) is not None
        ]
        if not any(kinds for kinds, _ in judged):
            return {}
        scores: dict[str, float] = {}
        for name in self.labels:
            gold = [name in kinds for kinds, _ in judged]
            guess = [name in kinds for _, kinds in judged]
            if any(gold):
                scores[name] = f1(
                    sum(a and b for a, b in zip(gold, guess, strict=True)), sum(guess), sum(gold)
                )
        # the task is easier on slanted texts, so its metrics have other names
        before = "slanted_" if self.options.conditional else ""
        scores = {"macro_f1": sum(scores.values()) / len(scores), **scores}
        return {f"{before}{name}": value for name, value in scores.items()}


def _kinds(row: EncodedRow) -> frozenset[str] | None:
    if not row.sample.teaches("kinds"):
        return None
    return row.sample.example.kinds


def fit_platt(logits: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Return scale and offset of maximum likelihood; the scale is positive, so the order is kept.

    Platt's prior smooths the labels, so that perfect separation does not give infinite logits.
    """
    positives = sum(labels)
    high, low = (positives + 1) / (positives + 2), 1 / (len(labels) - positives + 2)
    x = torch.tensor(logits, dtype=torch.float64)
    wanted = torch.tensor([high if label else low for label in labels], dtype=torch.float64)
    # the logarithm of the scale, so that the scale stays positive
    parameters = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer: Any = torch.optim.LBFGS([parameters], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        fitted = x * parameters[0].exp() + parameters[1]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(fitted, wanted)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    optimizer.step(closure)
    log_scale, offset = parameters.detach().tolist()
    return math.exp(log_scale), float(offset)
