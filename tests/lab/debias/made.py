"""A debiaser and words for the tiny models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from unslant.lab.debias.counterpart import Counterpart
from unslant.lab.debias.debiaser import Debiaser, save_debiaser
from unslant.lab.debias.words import BiasWords

WORDS = BiasWords(("union", "nurse", "school"), ("border", "church", "tax"))


def debiaser(width: int = 32, seed: int = 0) -> Debiaser:
    """A debiaser that has learned nothing but has an opinion on everything."""
    random = torch.Generator().manual_seed(seed)

    def some(*shape: int) -> Any:
        return torch.randn(*shape, generator=random)

    return Debiaser(some(width, width) / 6, some(width) / 6, some(2, width) / 3, some(2) / 3)


def counterpart(width: int = 32, seed: int = 1) -> Counterpart:
    """A way to the other side that has learned nothing."""
    random = torch.Generator().manual_seed(seed)
    return Counterpart(
        torch.randn(8, width, generator=random),
        torch.zeros(8),
        torch.randn(width, 8, generator=random) / 2,
        torch.zeros(width),
    )


def debiaser_for(model: Any, folder: Path) -> Path:
    """The same, in a folder, made for this model."""
    save_debiaser(
        debiaser(model.head.weight.shape[1]), folder, {"model": model.name, "model_digest": model.digest()}
    )
    return folder
