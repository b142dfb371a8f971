"""The decoding loop: draws tokens from logits, which a guide may change before each draw."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from unslant.core.generation import Sampling


class Dice:
    """One stream of uniform numbers per text, so that a text does not depend on its neighbours."""

    def __init__(self, seeds: Sequence[int], stream: str = "tokens") -> None:
        # the standard library hashes a string seed in the same way everywhere
        self._streams = [random.Random(f"{stream}:{seed}") for seed in seeds]  # noqa: S311

    def roll(self) -> Tensor:
        """Return the next number of each stream, in [0, 1)."""
        return torch.tensor([stream.random() for stream in self._streams], dtype=torch.float64)  # (batch,)


def restrict_logits(logits: Tensor, sampling: Sampling) -> Tensor:
    """Apply temperature, top-k and top-p: tokens that cannot be drawn get minus infinity; the order stays."""
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


def draw_tokens(logits: Tensor, rolls: Tensor, sampling: Sampling) -> Tensor:
    """Return the token at which each text's cumulative probability passes its roll."""
    if sampling.temperature == 0:
        return logits.argmax(1)
    if 0 < sampling.top_k < logits.shape[1] and sampling.top_p == 1:
        # the same draw as below, without another pass over the vocabulary
        values, places = logits.topk(sampling.top_k, dim=1)
        places, order = places.sort(dim=1)
        return places.gather(1, _find_passed(values.gather(1, order) / sampling.temperature, rolls))[:, 0]
    return _find_passed(restrict_logits(logits, sampling), rolls)[:, 0]


def _find_passed(logits: Tensor, rolls: Tensor) -> Tensor:
    total = logits.double().softmax(1).cumsum(1)
    # rounding at the end must not point beyond the last token
    found = torch.searchsorted(total, rolls.to(total.device)[:, None] * total[:, -1:], right=True)
    return found.clamp(max=logits.shape[1] - 1)


@dataclass(frozen=True, slots=True)
class Decoding:
    """The state of a batch of texts: the cache of what was read, and the logits of the next token."""

    cache: Any
    """Keys and values of every token so far."""
    mask: Tensor
    """1 for tokens, 0 for padding: (batch, length)."""
    position: Tensor
    """The position of the next token of each text: (batch,)."""
    hidden: Tensor
    """The last hidden state, from which the head computed the logits: (batch, width)."""
    logits: Tensor
    """(batch, vocabulary)."""

    def fork(self, times: int) -> Decoding:
        """Return a state with every text repeated ``times``, so that a shared prefix is read only once."""
        cache = copy.deepcopy(self.cache)
        cache.batch_repeat_interleave(times)
        rest = (self.mask, self.position, self.hidden, self.logits)
        return Decoding(cache, *(tensor.repeat_interleave(times, dim=0) for tensor in rest))


class Guide(Protocol):
    """Changes the logits of one batch of texts before each draw."""

    def logits(self, state: Decoding) -> Tensor:
        """Return the logits to draw from, in place of the state's: (batch, vocabulary)."""
        ...


Steering = Callable[[Sequence[int], Sampling], Guide]
"""Makes a guide for a batch, from the seeds of its texts and the sampling."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The tokens of one text and the reason why it ends."""

    tokens: list[int]
    reason: str


def decode(
    step: Callable[[Decoding, Tensor], Decoding],
    state: Decoding,
    dice: Dice,
    sampling: Sampling,
    *,
    ends: frozenset[int] = frozenset(),
    stopped: Callable[[int, list[int]], bool] | None = None,
    guide: Guide | None = None,
) -> list[DecodedText]:
    """Draw tokens until every text has reached its maximum length, has ended, or is stopped."""
    tokens: list[list[int]] = [[] for _ in range(len(state.mask))]
    reasons = [""] * len(tokens)
    barred = sorted(ends) if sampling.to_length else []
    for count in range(1, sampling.max_tokens + 1):
        logits = state.logits if guide is None else guide.logits(state)
        if barred:
            logits = logits.index_fill(1, torch.tensor(barred, device=logits.device), -torch.inf)
        drawn = draw_tokens(logits, dice.roll(), sampling)  # (batch,)
        for row, token in enumerate(drawn.tolist()):
            if not reasons[row]:
                reasons[row] = _end_reason(row, token, tokens[row], ends, stopped)
        if all(reasons) or count == sampling.max_tokens:
            break
        state = step(state, drawn)
    return [
        DecodedText(drawn_tokens, reason or "length")
        for drawn_tokens, reason in zip(tokens, reasons, strict=True)
    ]


def _end_reason(
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
