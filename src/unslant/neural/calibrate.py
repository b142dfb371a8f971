"""From logits to calibrated probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_WORDS = ((0.9, "very likely"), (0.7, "likely"), (0.5, "rather likely"))


def sigmoid(logit: float) -> float:
    """Return the probability of a logit, without overflow for large ones."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    small = math.exp(logit)
    return small / (1 + small)


def softmax(logits: Sequence[float]) -> list[float]:
    """Return the probabilities of exclusive labels."""
    largest, exp = max(logits), math.exp
    powers = [exp(logit - largest) for logit in logits]
    total = sum(powers)
    return [power / total for power in powers]


def sentence_probability(logit: float, decision: Mapping[str, Any]) -> float:
    """Return the calibrated probability, by the fitted scale and offset.

    The threshold chosen on development data becomes one half; the order of sentences does not change.
    """
    scaled = float(decision.get("scale", 1.0)) * logit + float(decision.get("offset", 0.0))
    return even_odds(sigmoid(scaled), float(decision.get("threshold", 0.5)))


def even_odds(score: float, threshold: float) -> float:
    """Rescale scores from 0 to 1 so that ``threshold`` becomes one half; order, 0 and 1 do not change."""
    if not 0 < threshold < 1:
        return score
    if score < threshold:
        return 0.5 * score / threshold
    return 0.5 + 0.5 * (score - threshold) / (1 - threshold)


def describe_probability(probability: float) -> str:
    """Return a probability in words, such as ``very likely``."""
    return next((words for least, words in _WORDS if probability >= least), "possibly")


def percentage(probability: float) -> str:
    """Return a percentage that never claims certainty."""
    return f"{min(max(round(100 * probability), 1), 99)}%"
