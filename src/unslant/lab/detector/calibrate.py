"""Probabilities that are shares: of all that get 0.7, seven in ten should be slanted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

__all__ = ["calibration_error", "fit_platt"]


def fit_platt(logits: Sequence[float], labels: Sequence[bool]) -> tuple[float, float]:
    """Return scale and offset that make the logits most likely; the scale stays positive, so order is kept.

    Labels are drawn in by Platt's prior, so that a perfect separation does not ask for infinite certainty.
    """
    positives = sum(labels)
    high, low = (positives + 1) / (positives + 2), 1 / (len(labels) - positives + 2)
    x = torch.tensor(logits, dtype=torch.float64)
    wanted = torch.tensor([high if label else low for label in labels], dtype=torch.float64)
    # log of the scale, so that it cannot turn negative
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


def calibration_error(probabilities: Sequence[float], labels: Sequence[bool], bins: int = 10) -> float:
    """Expected calibration error: mean distance of confidence and share, over bins of equal width; 0 is best."""
    groups: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for chance, label in zip(probabilities, labels, strict=True):
        groups[min(int(chance * bins), bins - 1)].append((chance, label))
    total = 0.0
    for group in groups:
        total += abs(sum(chance for chance, _ in group) - sum(label for _, label in group))
    return total / max(len(labels), 1)
