"""The sequence-to-sequence network that all systems from scratch share: LSTM or Transformer, with or without copying.

An editor reads a sentence (:meth:`Editor.read`), then writes word by word. In training all steps are taken at once
(:meth:`Editor.write`), in the search one at a time (:meth:`Editor.step`); both give the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unslant.lab.rewriters.batch import Batch, Sources
from unslant.lab.rewriters.decoders import AttentiveLSTM, AttentiveTransformer, State, Written
from unslant.lab.rewriters.words import PADDING

__all__ = ["Editor", "EditorPlan"]

_TINY = 1e-9
_LEAN = 2.0
"""How far an editor that follows its source leans to copying before it has learned anything."""


@dataclass(frozen=True, slots=True)
class EditorPlan:
    """The shape of an editor."""

    kind: str
    """``lstm`` or ``transformer``."""
    vocabulary: int
    width: int = 256
    layers: int = 2
    heads: int = 4
    dropout: float = 0.3
    copy: bool = False
    join: bool = False
    follow: bool = False


class Editor(nn.Module):
    """Reads a sentence and writes another."""

    def __init__(self, plan: EditorPlan) -> None:
        super().__init__()
        self.plan = plan
        self.embedding = nn.Embedding(plan.vocabulary, plan.width, padding_idx=PADDING)
        nn.init.normal_(self.embedding.weight, std=plan.width**-0.5)
        self.drop = nn.Dropout(plan.dropout)
        between = plan.dropout if plan.layers > 1 else 0.0
        if plan.kind == "lstm":
            self.encoder: nn.Module = nn.LSTM(
                plan.width,
                plan.width // 2,
                plan.layers,
                batch_first=True,
                dropout=between,
                bidirectional=True,
            )
            self.decoder: AttentiveLSTM | AttentiveTransformer = AttentiveLSTM(
                plan.width, plan.layers, between, follow=plan.follow
            )
        else:
            layer = nn.TransformerEncoderLayer(
                plan.width, plan.heads, 4 * plan.width, plan.dropout, batch_first=True, norm_first=True
            )
            self.encoder = nn.TransformerEncoder(layer, plan.layers, enable_nested_tensor=False)
            self.decoder = AttentiveTransformer(plan.width, plan.layers, plan.heads, plan.dropout)
        self.bias = nn.Parameter(torch.zeros(plan.vocabulary))
        self.gate = nn.Linear(plan.width, 1) if plan.copy else None
        if self.gate is not None and plan.follow:
            nn.init.constant_(self.gate.bias, _LEAN)
        self.joint = nn.Parameter(torch.zeros(plan.width)) if plan.join else None

    def _embedded(self, numbers: Tensor, first: int = 0) -> Tensor:
        found = self.embedding(numbers) * math.sqrt(self.plan.width)
        if self.plan.kind == "transformer":
            found = found + _places(numbers.shape[1], self.plan.width, first)
        return self.drop(found)  # (batch, words, width)

    def read(self, sources: Sources, slant: Tensor | None = None) -> Tensor:
        """Return what is known of each word, (batch, words, width).

        ``slant``, (batch, words), is how likely each word slants. It comes in through the join embedding: each word's
        state is moved along one learned direction, the further the likelier the word slants.
        """
        embedded = self._embedded(sources.known)
        if self.plan.kind == "lstm":
            packed = nn.utils.rnn.pack_padded_sequence(
                embedded, sources.mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
            )
            states, _ = nn.utils.rnn.pad_packed_sequence(
                self.encoder(packed)[0], batch_first=True, total_length=embedded.shape[1]
            )
        else:
            states = self.encoder(embedded, src_key_padding_mask=~sources.mask)
        if self.joint is not None and slant is not None:
            states = states + slant.unsqueeze(-1) * self.joint
        return states

    def begin(self, states: Tensor, mask: Tensor) -> State:
        """Return the state before the first word."""
        return self.decoder.begin(states, mask)

    def write(self, batch: Batch, states: Tensor) -> Written:
        """Return what the decoder holds at every step, each step knowing the right words before it."""
        mask = batch.sources.mask
        return self.decoder.write(self._embedded(batch.given), states, mask)

    def step(self, last: Tensor, states: Tensor, mask: Tensor, state: State) -> tuple[Written, State]:
        """Take one step after the word ``last``, (batch,)."""
        first = self.decoder.length(state)
        return self.decoder.step(self._embedded(last.unsqueeze(1), first), states, mask, state)

    def losses(self, written: Written, batch: Batch, smoothing: float = 0.0) -> Tensor:
        """Return how unlikely every wanted word was, (batch, steps); smoothing mixes in all words alike."""
        known = self._known(written.hidden)
        right = self._right(known, written, batch)
        return -right if not smoothing else -(1 - smoothing) * right - smoothing * known.mean(dim=-1)

    def _right(self, known: Tensor, written: Written, batch: Batch) -> Tensor:
        wanted = batch.wanted
        inside = wanted < self.plan.vocabulary
        of_word = known.gather(-1, (wanted * inside).unsqueeze(-1)).squeeze(-1)
        if self.gate is None:
            return of_word
        copying = torch.sigmoid(self.gate(written.hidden)).squeeze(-1)
        same = batch.sources.own.unsqueeze(1) == wanted.unsqueeze(-1)  # (batch, steps, words)
        copied = (written.attention * same).sum(dim=-1) * copying
        both = of_word.exp() * inside * (1 - copying) + copied
        return (both + _TINY).log()

    def distribution(self, written: Written, own: Tensor, most: int) -> Tensor:
        """Return the log probability of every word that can come next, (batch, vocabulary + strangers)."""
        known = self._known(written.hidden[:, -1])
        if self.gate is None:
            return known
        copying = torch.sigmoid(self.gate(written.hidden[:, -1]))  # (batch, 1)
        chances = torch.cat([known.exp() * (1 - copying), known.new_zeros(len(known), most)], dim=1)
        return (chances.scatter_add(1, own, written.attention[:, -1] * copying) + _TINY).log()

    def _known(self, hidden: Tensor) -> Tensor:
        return torch.log_softmax(hidden @ self.embedding.weight.T + self.bias, dim=-1)


def _places(length: int, width: int, first: int) -> Tensor:
    """Return sinusoids that tell places apart, (length, width)."""
    at = torch.arange(first, first + length).unsqueeze(1)
    waves = at * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([waves.sin(), waves.cos()], dim=-1).flatten(1)
