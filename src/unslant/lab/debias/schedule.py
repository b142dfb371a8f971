"""The strength of calibration from token to token, and the divergence that decides it."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["divergence", "next_strength"]


def divergence(vanilla: Tensor, debiased: Tensor) -> Tensor:
    """Return KL(vanilla || debiased) of log probabilities over the last axis: 0 for equal policies, never less."""
    terms = vanilla.exp() * (vanilla - debiased)
    # what cannot happen adds nothing, though its logarithm is minus infinity
    return torch.where(vanilla == -torch.inf, 0.0, terms).sum(-1).clamp(min=0)


def next_strength(strength: Tensor, seen: Tensor, sigma: float, limits: tuple[float, float]) -> Tensor:
    """Return lambda for the next token: halved from 2 sigma on, doubled up to sigma/2, else as it is."""
    factor = torch.ones_like(strength)
    factor = torch.where(seen >= 2 * sigma, 0.5, factor)
    factor = torch.where(seen <= sigma / 2, 2.0, factor)
    return (strength * factor).clamp(*limits)
