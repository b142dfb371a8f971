"""Two ways of writing word by word while attending to a source; both say where they attended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn

__all__ = ["AttentiveLSTM", "AttentiveTransformer", "State", "Written"]

State: TypeAlias = tuple[Tensor, ...]
"""What a decoder remembers; the first dimension of each tensor is the sentence."""

_BACK, _AHEAD = 2, 8
"""How far from the word that was looked at last the next one is expected, in words."""
_ELSEWHERE = 1e-3
"""The share of attention that is expected anywhere."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a decoder holds at its steps."""

    hidden: Tensor
    """(batch, steps, width)"""
    attention: Tensor
    """(batch, steps, words): where it looked; each row sums to 1."""


class AttentiveLSTM(nn.Module):
    """Luong's decoder: the general score, and what was attended to goes into the next step (input feeding).

    One that follows prefers the word after the one it looked at last. How much, and how often an edit leaps over so
    many words, it learns; that is a handful of numbers.
    """

    def __init__(self, width: int, layers: int, dropout: float, *, follow: bool = False) -> None:
        super().__init__()
        self._layers, self._dropout = layers, dropout
        self.cells = nn.LSTM(2 * width, width, layers, batch_first=True, dropout=dropout)
        self.score = nn.Linear(width, width, bias=False)
        self.mix = nn.Linear(2 * width, width, bias=False)
        self.start = nn.Linear(width, width)
        self.pull = nn.Parameter(torch.ones(())) if follow else None
        # two back, ..., the next word, ..., eight ahead: mostly the next, else rather near than far
        leaps = [*[-6.5] * (_BACK + 1), 0.0, *(-3.2 - 0.4 * far for far in range(2, _AHEAD + 1))]
        self.leaps = nn.Parameter(torch.tensor(leaps)) if follow else None

    def begin(self, states: Tensor, mask: Tensor) -> State:
        """Begin from the mean of the source."""
        shares = mask.to(states.dtype).unsqueeze(-1)
        middle = (states * shares).sum(dim=1) / shares.sum(dim=1).clamp(min=1)
        hidden = torch.tanh(self.start(middle)).unsqueeze(1).repeat(1, self._layers, 1)
        begun = (hidden, torch.zeros_like(hidden), torch.zeros_like(middle))
        if self.leaps is None:
            return begun
        # as if the word before the first had been looked at
        before = nn.functional.pad(torch.softmax(self.leaps, dim=0)[_BACK + 1 :], (0, mask.shape[1]))
        return (*begun, before[: mask.shape[1]].expand(len(mask), -1))

    def length(self, state: State) -> int:  # noqa: ARG002
        """Places do not matter to it."""
        return 0

    def step(self, word: Tensor, states: Tensor, mask: Tensor, state: State) -> tuple[Written, State]:
        """Take a step with the embedded last word, (batch, 1, width)."""
        hidden, cell, feed, *expected = state
        out, hidden, cell = self._turn(torch.cat([word.squeeze(1), feed], dim=-1), hidden, cell)
        out = out.unsqueeze(1)
        scores = self.score(out) @ states.transpose(1, 2)  # (batch, 1, words)
        if self.pull is not None:
            scores = scores + self.pull * (expected[0] + _ELSEWHERE).log().unsqueeze(1)
        attention = torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -1e9), dim=-1)
        mixed = torch.tanh(self.mix(torch.cat([attention @ states, out], dim=-1)))
        after: State = (hidden, cell, mixed.squeeze(1))
        if self.leaps is not None:
            shares = torch.softmax(self.leaps, dim=0).flip(0).view(1, 1, -1)
            around = nn.functional.pad(attention, (_AHEAD, _BACK))
            after = (*after, nn.functional.conv1d(around, shares).squeeze(1))
        return Written(mixed, attention), after

    def _turn(self, given: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Let each layer take one step; calling the whole module for every word costs twice as much."""
        hiddens, cells = [], []
        for layer, weights in enumerate(self.cells.all_weights):
            if layer:
                given = nn.functional.dropout(given, self._dropout, self.training)
            given, inner = torch.lstm_cell(given, (hidden[:, layer], cell[:, layer]), *weights)
            hiddens.append(given)
            cells.append(inner)
        return given, torch.stack(hiddens, dim=1), torch.stack(cells, dim=1)

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
