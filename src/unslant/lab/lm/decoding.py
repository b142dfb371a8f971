"""The loop that writes texts token by token, with a seam for those who change the logits on the way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from unslant.core.generation import Sampling
from unslant.lab.lm.sampling import Dice, choose

__all__ = ["Decoding", "Guide", "Steering", "Written", "write"]


@dataclass(frozen=True, slots=True)
class Decoding:
    """Where a batch of texts stands: what was read, and what the model expects next."""

    cache: Any
    """Keys and values of every token so far."""
    mask: Tensor
    """1 for tokens, 0 for padding: (batch, length)."""
    position: Tensor
    """Where the next token of each text stands: (batch,)."""
    hidden: Tensor
    """The state that the model's head turned into the logits: (batch, width)."""
    logits: Tensor
    """(batch, vocabulary)."""

    def fork(self, times: int) -> Decoding:
        """Return a state with every text ``times`` over, so that a shared beginning is read only once."""
        cache = copy.deepcopy(self.cache)
        cache.batch_repeat_interleave(times)
        rest = (self.mask, self.position, self.hidden, self.logits)
        return Decoding(cache, *(one.repeat_interleave(times, dim=0) for one in rest))


class Guide(Protocol):
    """Follows one batch of texts and changes what is drawn next."""

    def logits(self, state: Decoding) -> Tensor:
        """Return the logits to draw from, in place of the state's: (batch, vocabulary)."""
        ...


Steering = Callable[[Sequence[int], Sampling], Guide]
"""Makes a guide for a batch, from the seeds of its texts and the sampling."""


@dataclass(frozen=True, slots=True)
class Written:
    """The tokens of one text and why it ends there."""

    tokens: list[int]
    reason: str


def write(
    step: Callable[[Decoding, Tensor], Decoding],
    state: Decoding,
    dice: Dice,
    sampling: Sampling,
    *,
    ends: frozenset[int] = frozenset(),
    stopped: Callable[[int, list[int]], bool] | None = None,
    guide: Guide | None = None,
) -> list[Written]:
    """Draw tokens until every text is as long as asked for, has ended, or is stopped."""
    tokens: list[list[int]] = [[] for _ in range(len(state.mask))]
    reasons = [""] * len(tokens)
    barred = sorted(ends) if sampling.to_length else []
    for count in range(1, sampling.max_tokens + 1):
        logits = state.logits if guide is None else guide.logits(state)
        if barred:
            logits = logits.index_fill(1, torch.tensor(barred, device=logits.device), -torch.inf)
        drawn = choose(logits, dice.roll(), sampling)  # (batch,)
        for row, token in enumerate(drawn.tolist()):
            if not reasons[row]:
                reasons[row] = _ended(row, token, tokens[row], ends, stopped)
        if all(reasons) or count == sampling.max_tokens:
            break
        state = step(state, drawn)
    return [Written(one, reason or "length") for one, reason in zip(tokens, reasons, strict=True)]


def _ended(
    row: int,
    token: int,
    tokens: list[int],
    ends: frozenset[int],
    stopped: Callable[[int, list[int]], bool] | None,
) -> str:
    if token in ends:
        return "end"
    tokens.append(token)
    return "stop" if stopped is not None and stopped(row, tokens) else ""
