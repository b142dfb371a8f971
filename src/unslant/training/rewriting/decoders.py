"""Two ways of writing word by word while attending to a source; both say where they attended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn

__all__ = ["AttentiveLSTM", "AttentiveTransformer", "State", "Written"]

State: TypeAlias = tuple[Tensor, ...]
"""What a decoder remembers; the first dimension of each tensor is the sentence."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a decoder holds at its steps."""

    hidden: Tensor
    """(batch, steps, width)"""
    attention: Tensor
    """(batch, steps, words): where it looked; each row sums to 1."""


class AttentiveLSTM(nn.Module):
    """Luong's decoder: the general score, and what was attended to goes into the next step (input feeding)."""

    def __init__(self, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        self._width, self._layers = width, layers
        self.cells = nn.LSTM(2 * width, width, layers, batch_first=True, dropout=dropout)
        self.score = nn.Linear(width, width, bias=False)
        self.mix = nn.Linear(2 * width, width, bias=False)
        self.start = nn.Linear(width, width)

    def begin(self, states: Tensor, mask: Tensor) -> State:
        """Begin from the mean of the source."""
        shares = mask.to(states.dtype).unsqueeze(-1)
        middle = (states * shares).sum(dim=1) / shares.sum(dim=1).clamp(min=1)
        hidden = torch.tanh(self.start(middle)).unsqueeze(1).repeat(1, self._layers, 1)
        return hidden, torch.zeros_like(hidden), torch.zeros_like(middle)

    def length(self, state: State) -> int:  # noqa: ARG002
        """Places do not matter to it."""
        return 0

    def step(self, word: Tensor, states: Tensor, mask: Tensor, state: State) -> tuple[Written, State]:
        """Take a step with the embedded last word, (batch, 1, width)."""
        hidden, cell, feed = state
        memory = (hidden.transpose(0, 1).contiguous(), cell.transpose(0, 1).contiguous())
        out, (hidden, cell) = self.cells(torch.cat([word, feed.unsqueeze(1)], dim=-1), memory)
        scores = self.score(out) @ states.transpose(1, 2)  # (batch, 1, words)
        attention = torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -1e9), dim=-1)
        mixed = torch.tanh(self.mix(torch.cat([attention @ states, out], dim=-1)))
        after = (hidden.transpose(0, 1), cell.transpose(0, 1), mixed.squeeze(1))
        return Written(mixed, attention), after

    def write(self, words: Tensor, states: Tensor, mask: Tensor) -> Written:
        """Take all steps, one after another: each needs the attention of the one before."""
        state = self.begin(states, mask)
        hidden, attention = [], []
        for at in range(words.shape[1]):
            written, state = self.step(words[:, at : at + 1], states, mask, state)
            hidden.append(written.hidden)
            attention.append(written.attention)
        return Written(torch.cat(hidden, dim=1), torch.cat(attention, dim=1))


class _Layer(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.own = nn.MultiheadAttention(width, heads, dropout, batch_first=True)
        self.other = nn.MultiheadAttention(width, heads, dropout, batch_first=True)
        self.inner = nn.Sequential(
            nn.Linear(width, 4 * width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(4 * width, width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.drop = nn.Dropout(dropout)

    def forward(self, words: Tensor, before: Tensor, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Read ``words``, the last of ``before``; return them and where they looked in the source."""
        many, all_ = words.shape[1], before.shape[1]
        later = torch.ones(many, all_, dtype=torch.bool).triu(all_ - many + 1)
        normed, whole = self.norms[0](words), self.norms[0](before)
        words = words + self.drop(self.own(normed, whole, whole, attn_mask=later, need_weights=False)[0])
        found, attention = self.other(self.norms[1](words), states, states, key_padding_mask=~mask)
        words = words + self.drop(found)
        return words + self.drop(self.inner(self.norms[2](words))), attention


class AttentiveTransformer(nn.Module):
    """A Transformer's decoder; its attention to the source is that of the last layer, averaged over heads."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_Layer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def begin(self, states: Tensor, mask: Tensor) -> State:  # noqa: ARG002
        """Begin with nothing written: one tensor a layer."""
        return tuple(states.new_zeros(len(states), 0, states.shape[-1]) for _ in self.layers)

    def length(self, state: State) -> int:
        """How much was written."""
        return state[0].shape[1]

    def step(self, word: Tensor, states: Tensor, mask: Tensor, state: State) -> tuple[Written, State]:
        """Take a step with the embedded last word, (batch, 1, width)."""
        after, attention = [], states.new_zeros(0)
        for layer, before in zip(self.layers, state, strict=True):
            whole = torch.cat([before, word], dim=1)
            after.append(whole)
            word, attention = layer(word, whole, states, mask)
        return Written(self.norm(word), attention), tuple(after)

    def write(self, words: Tensor, states: Tensor, mask: Tensor) -> Written:
        """Take all steps at once; none sees a later one."""
        return self.step(words, states, mask, self.begin(states, mask))[0]
