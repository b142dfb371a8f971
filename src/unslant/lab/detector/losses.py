"""Losses that count only what is labelled.

Each takes weights of the same shape as the labels: 0 where nobody has judged. Where nothing at all is labelled the
loss is 0 and moves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

__all__ = [
    "Target",
    "choice_loss",
    "consistency_loss",
    "pair_loss",
    "soft_choice_loss",
    "soft_yes_no_loss",
    "yes_no_loss",
]


class Target(NamedTuple):
    """What a head should say, and how much each part of it counts."""

    values: Tensor
    weights: Tensor


def _mean(losses: Tensor, weights: Tensor) -> Tensor:
    # Divided by the number of labels, not the sum of weights: a text that counts half moves half as much.
    return (losses * weights).sum() / (weights > 0).sum().clamp(min=1)


def yes_no_loss(logits: Tensor, target: Target) -> Tensor:
    """Cross-entropy of independent yes-or-no questions; a label may be a share between 0 and 1."""
    losses = functional.binary_cross_entropy_with_logits(logits, target.values, reduction="none")
    return _mean(losses, target.weights)


def choice_loss(logits: Tensor, target: Target) -> Tensor:
    """Cross-entropy of one choice among the last axis; labels are whole numbers, read as 0 where they do not count."""
    classes = logits.shape[-1]
    losses = functional.cross_entropy(
        logits.reshape(-1, classes), target.values.reshape(-1).clamp(min=0), reduction="none"
    )
    return _mean(losses.view_as(target.weights), target.weights)


def soft_yes_no_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Cross-entropy against a teacher's logits, both flattened; smallest where the two agree."""
    wanted = torch.sigmoid(teacher.values / temperature)
    losses = functional.binary_cross_entropy_with_logits(logits / temperature, wanted, reduction="none")
    # Flattening shrinks gradients by the square of the temperature (Hinton et al. 2015).
    return _mean(losses, teacher.weights) * temperature**2


def soft_choice_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Cross-entropy against a teacher's distribution over the last axis; smallest where the two agree."""
    wanted = torch.softmax(teacher.values / temperature, dim=-1)
    losses = -(wanted * torch.log_softmax(logits / temperature, dim=-1)).sum(dim=-1)
    return _mean(losses, teacher.weights) * temperature**2


def pair_loss(logits: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    """The wish that each source scores above its target; ``sources`` and ``targets`` are rows of the batch."""
    if not len(sources):
        return logits.sum() * 0
    return functional.softplus(logits[targets] - logits[sources]).mean()


def consistency_loss(logits: Tensor, originals: Tensor, copies: Tensor) -> Tensor:
    """The squared difference of probability between a text and its counterfactual copy; 0 where they agree."""
    if not len(originals):
        return logits.sum() * 0
    probabilities = torch.sigmoid(logits)
    return (probabilities[originals] - probabilities[copies]).square().mean()
