"""Predicts, from a hidden state, how it would differ if the same text stood after a prompt of the other side.

A classifier says from which side a state comes, but not how to leave that side. Its gradient points to where its own
verdict changes soonest, and that is hardly ever where the probabilities of words change. A text after two prompts shows
the way: its states after the one and after the other differ by what the prompt does to the next word. Two dense layers
learn this difference. Half of it leads to the state between the two sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, mse_loss

COUNTERPART = ("way.weight", "way.bias", "way_out.weight", "way_out.bias")
"""The names of the four tensors in a file."""
_INNER, _BATCH = 256, 256
_RATE, _DECAY, _DROPOUT = 1e-3, 0.05, 0.2
_PATIENCE = 3


@dataclass(frozen=True)
class Counterpart:
    """Two dense layers from a hidden state to a difference of hidden states."""

    weight: Tensor
    """(inner, width)."""
    bias: Tensor
    """(inner,)."""
    out_weight: Tensor
    """(width, inner)."""
    out_bias: Tensor
    """(width,)."""

    def __call__(self, hidden: Tensor) -> Tensor:
        """Return the expected difference to the state after the other side's prompt: (batch, width)."""
        return gelu(hidden @ self.weight.T + self.bias) @ self.out_weight.T + self.out_bias

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The four tensors, in the order of ``COUNTERPART``."""
        return self.weight, self.bias, self.out_weight, self.out_bias

    def to(self, device: torch.device | str) -> Counterpart:
        """Return it on another device."""
        return Counterpart(*(tensor.to(device) for tensor in self.tensors))


def fit_counterpart(
    seen: tuple[Tensor, Tensor], held_out: tuple[Tensor, Tensor], epochs: int, seed: int
) -> tuple[Counterpart, float]:
    """Learn from states and their counterparts; return the best network and the share of the difference it explains.

    Training ends when the error on the held-out states stops falling.
    """
    mean, spread = seen[0].mean(0), seen[0].std(0).clamp(min=1e-6)
    unit = (seen[1] - seen[0]).square().mean().sqrt().clamp(min=1e-12)
    inputs, targets = (seen[0] - mean) / spread, (seen[1] - seen[0]) / unit
    test_inputs, test_targets = (held_out[0] - mean) / spread, (held_out[1] - held_out[0]) / unit
    width = inputs.shape[1]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        first, out = nn.Linear(width, _INNER), nn.Linear(_INNER, width)
        drop = nn.Dropout(_DROPOUT)
        adam = torch.optim.AdamW([*first.parameters(), *out.parameters()], lr=_RATE, weight_decay=_DECAY)
        best: tuple[float, int, Counterpart] | None = None
        for epoch in range(epochs):
            for rows in torch.randperm(len(inputs)).split(_BATCH):
                adam.zero_grad()
                mse_loss(out(drop(gelu(first(drop(inputs[rows]))))), targets[rows]).backward()
                adam.step()
            with torch.no_grad():
                error = float(mse_loss(out(gelu(first(test_inputs))), test_targets))
                if best is None or error < best[0]:
                    weight = first.weight / spread
                    folded = (weight, first.bias - weight @ mean, out.weight * unit, out.bias * unit)
                    best = error, epoch, Counterpart(*(tensor.detach().clone() for tensor in folded))
            if epoch - best[1] >= _PATIENCE:
                break
    assert best is not None  # noqa: S101 - there is at least one epoch
    return best[2], 1 - best[0] / float(test_targets.square().mean().clamp(min=1e-12))
