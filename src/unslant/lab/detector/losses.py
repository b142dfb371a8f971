"""Losses over labelled items only.

Each takes weights of the same shape as the labels, with 0 for items without a label. Without any label, the loss and
its gradient are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

__all__ = [
    "Target",
    "choice_loss",
    "distribution_loss",
    "pair_loss",
    "soft_choice_loss",
    "soft_yes_no_loss",
    "yes_no_loss",
]


class Target(NamedTuple):
    """The labels of a head and their weights."""

    values: Tensor
    weights: Tensor


def _mean(losses: Tensor, weights: Tensor) -> Tensor:
    # Divide by the number of labels, not by the sum of weights: a text with half the weight has half the gradient.
    return (losses * weights).sum() / (weights > 0).sum().clamp(min=1)


def yes_no_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the binary cross-entropy of independent labels, each between 0 and 1."""
    losses = functional.binary_cross_entropy_with_logits(logits, target.values, reduction="none")
    return _mean(losses, target.weights)


def choice_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the cross-entropy over the last axis; labels are class indices, and negative ones have weight 0."""
    classes = logits.shape[-1]
    losses = functional.cross_entropy(
        logits.reshape(-1, classes), target.values.reshape(-1).clamp(min=0), reduction="none"
    )
    return _mean(losses.view_as(target.weights), target.weights)


def distribution_loss(logits: Tensor, target: Target) -> Tensor:
    """Compute the cross-entropy over the last axis against probabilities, which are one-hot for hard labels."""
    losses = -(target.values * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return _mean(losses, target.weights)


def soft_yes_no_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Compute the binary cross-entropy against a teacher's logits; minimal if both agree."""
    wanted = torch.sigmoid(teacher.values / temperature)
    losses = functional.binary_cross_entropy_with_logits(logits / temperature, wanted, reduction="none")
    # A temperature shrinks gradients by its square (Hinton et al. 2015).
    return _mean(losses, teacher.weights) * temperature**2


def soft_choice_loss(logits: Tensor, teacher: Target, temperature: float) -> Tensor:
    """Compute the cross-entropy against a teacher's distribution over the last axis; minimal if both agree."""
    wanted = torch.softmax(teacher.values / temperature, dim=-1)
    losses = -(wanted * torch.log_softmax(logits / temperature, dim=-1)).sum(dim=-1)
    return _mean(losses, teacher.weights) * temperature**2


def pair_loss(logits: Tensor, sources: Tensor, targets: Tensor) -> Tensor:
    """Rank each source above its target; ``sources`` and ``targets`` are rows of the batch."""
    if not len(sources):
        return logits.sum() * 0
    return functional.softplus(logits[targets] - logits[sources]).mean()
