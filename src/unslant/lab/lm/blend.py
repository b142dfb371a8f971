"""Weights between those of two models: a model that has learned a part of what sets the second apart from the first."""

from __future__ import annotations

from pathlib import Path

import torch

from unslant.core.errors import ModelError
from unslant.lab.lm.causal import CausalModel

__all__ = ["blend"]


def blend(model: CausalModel, first: Path, second: Path, share: float) -> None:
    """Give a model the weights of one folder (share 0), of another (share 1), or between the two, in 32 bits."""
    from unslant.lab.lm import open_model

    ends = [open_model(str(folder)).model.state_dict() for folder in (first, second)]  # type: ignore[attr-defined]
    model.model.float()
    own = model.model.state_dict()
    if any({name: value.shape for name, value in end.items()} != _shapes(own) for end in ends):
        raise ModelError(f"{first} and {second}: not models of the same shape.")
    with torch.no_grad():
        for name, value in own.items():
            if value.is_floating_point():
                value.copy_(torch.lerp(ends[0][name].float(), ends[1][name].float(), share))


def _shapes(weights: dict[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in weights.items()}
