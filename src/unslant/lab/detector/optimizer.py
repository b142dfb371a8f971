"""The optimizer: who learns how fast, when, and how its memory is kept without pickle."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from unslant.lab.detector.encoder import depths, freeze, trainable
from unslant.lab.detector.network import Network
from unslant.lab.detector.recipe import Stage

__all__ = ["load_memory", "make_optimizer", "memory", "set_rate"]


def make_optimizer(
    network: Network, stage: Stage, heads: tuple[str, ...], *, table: bool = True
) -> torch.optim.AdamW:
    """Return AdamW over what may learn in this stage; each group knows its own share of the learning rate.

    Without ``table``, the encoder's table of word pieces stays as it is.
    """
    freeze(network.encoder, stage.freeze)
    if not table:
        network.encoder.get_input_embeddings().weight.requires_grad_(False)  # type: ignore[operator,union-attr]
    for name, head in network.heads.items():
        head.requires_grad_(name in heads)
    places = depths(network.encoder)
    top = max(places.values(), default=0)
    groups: dict[tuple[float, float], list[Tensor]] = {}
    for name, parameter in trainable(network):
        inner = name.removeprefix("encoder.")
        in_encoder = name.startswith("encoder.")
        rate = (
            stage.lr * stage.layer_decay ** (top - places[inner])
            if in_encoder
            else stage.lr
            if stage.head_lr is None
            else stage.head_lr
        )
        # Biases and norms are few and centred already: decaying them only hurts.
        decay = stage.weight_decay if parameter.dim() > 1 else 0.0
        groups.setdefault((rate, decay), []).append(parameter)
    return torch.optim.AdamW(
        [
            {"params": some, "lr": rate, "weight_decay": decay, "rate": rate}
            for (rate, decay), some in groups.items()
        ],
        fused=True,
    )


def set_rate(optimizer: torch.optim.Optimizer, step: int, steps: int, warmup: float) -> None:
    """Set the learning rates of a step: up in a straight line to their full size, then down to 0."""
    rise = max(1, round(warmup * steps))
    share = (step + 1) / rise if step < rise else (steps - step) / max(1, steps - rise)
    for group in optimizer.param_groups:
        group["lr"] = group["rate"] * max(0.0, min(1.0, share))


def memory(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return what the optimizer remembers, as tensors with names."""
    state = optimizer.state_dict()["state"]
    return {
        f"{number}.{name}": torch.as_tensor(value).detach().clone().contiguous()
        for number, entry in state.items()
        for name, value in entry.items()
    }


def load_memory(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Give back what :func:`memory` returned."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = value
    whole = optimizer.state_dict()
    optimizer.load_state_dict({"state": state, "param_groups": whole["param_groups"]})
