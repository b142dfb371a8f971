"""Draws tokens from logits, each text by its own random numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch import Tensor

from unslant.core.generation import Sampling

__all__ = ["Dice", "choose", "restricted"]


class Dice:
    """One stream of uniform numbers per text, so that a text does not depend on its neighbours."""

    def __init__(self, seeds: Sequence[int], stream: str = "tokens") -> None:
        # a string seed is hashed by the standard library in a way that is the same everywhere
        self._streams = [random.Random(f"{stream}:{seed}") for seed in seeds]  # noqa: S311

    def roll(self) -> Tensor:
        """Return the next number of every stream, in [0, 1)."""
        return torch.tensor([stream.random() for stream in self._streams], dtype=torch.float64)  # (batch,)


def restricted(logits: Tensor, sampling: Sampling) -> Tensor:
    """Return tempered logits in which what cannot be drawn is minus infinity; the order stays as it was."""
    logits = logits / (sampling.temperature or 1.0)  # (batch, vocabulary)
    if sampling.temperature == 0:
        keep = torch.zeros_like(logits, dtype=torch.bool).scatter_(1, logits.argmax(1, keepdim=True), True)
        return logits.masked_fill(~keep, -torch.inf)
    if 0 < sampling.top_k < logits.shape[1]:
        least = logits.topk(sampling.top_k, dim=1).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    if sampling.top_p < 1:
        ordered, places = logits.sort(dim=1, descending=True)
        before = ordered.softmax(1).cumsum(1) - ordered.softmax(1)
        logits = logits.masked_fill(
            (before >= sampling.top_p).scatter(1, places, before >= sampling.top_p), -torch.inf
        )
    return logits


def choose(logits: Tensor, rolls: Tensor, sampling: Sampling) -> Tensor:
    """Return the token at which each text's cumulative probability passes its roll."""
    if sampling.temperature == 0:
        return logits.argmax(1)
    if 0 < sampling.top_k < logits.shape[1] and sampling.top_p == 1:
        # the same draw as below, without looking at the whole vocabulary again
        values, places = logits.topk(sampling.top_k, dim=1)
        places, order = places.sort(dim=1)
        return places.gather(1, _passed(values.gather(1, order) / sampling.temperature, rolls))[:, 0]
    return _passed(restricted(logits, sampling), rolls)[:, 0]


def _passed(logits: Tensor, rolls: Tensor) -> Tensor:
    total = logits.double().softmax(1).cumsum(1)
    # what rounding leaves over 1 at the end must not point beyond the last token that can be drawn
    found = torch.searchsorted(total, rolls.to(total.device)[:, None] * total[:, -1:], right=True)
    return found.clamp(max=logits.shape[1] - 1)
