"""Weights between those of two models: a model that has learned a part of what sets the second apart from the first."""

from __future__ import annotations

from pathlib import Path

import torch

from unslant.core.errors import ModelError
from unslant.lab.lm.causal import CausalModel


class Blend:
    """The line between the weights of two models of the same shape, in 32 bits."""

    def __init__(self, model: CausalModel, first: Path, second: Path) -> None:
        from unslant.lab.lm import open_model

        self._ends = [open_model(str(folder)).model.state_dict() for folder in (first, second)]  # type: ignore[attr-defined]
        self._model = model.model.float()
        if any(_shapes(end) != _shapes(self._model.state_dict()) for end in self._ends):
            raise ModelError(f"{first} and {second}: not models of the same shape.")

    @torch.no_grad()
    def apply(self, share: float) -> None:
        """Give the model the weights of the first end (share 0), of the second (share 1), or of a place between."""
        for name, value in self._model.state_dict().items():
            if value.is_floating_point():
                first, second = (end[name].float() for end in self._ends)
                value.copy_(torch.lerp(first, second, share))


def _shapes(weights: dict[str, torch.Tensor]) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in weights.items()}
