"""The sequence-to-sequence network of all systems trained from scratch: LSTM or Transformer, with or without copying.

An editor encodes a sentence (:meth:`Editor.read`), then decodes word by word. Training runs all steps at once
(:meth:`Editor.write`), beam search, which is batched, one at a time (:meth:`Editor.step`); both give the same result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor, nn

from unslant.lab.papers.wikibias.words import BEGIN, END, PADDING, UNKNOWN, PairBatch, SourceBatch

if TYPE_CHECKING:
    from unslant.lab.rewriters.systems import BeamSettings

_TINY = 1e-9
_COPY_BIAS = 2.0
"""The initial bias towards copying of an editor that follows its source."""


@dataclass(frozen=True, slots=True)
class EditorPlan:
    """The architecture of an editor."""

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
    """Encodes a sentence and decodes an edited one."""

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
            nn.init.constant_(self.gate.bias, _COPY_BIAS)
        self.joint = nn.Parameter(torch.zeros(plan.width)) if plan.join else None

    def _embed(self, numbers: Tensor, first: int = 0) -> Tensor:
        found = self.embedding(numbers) * math.sqrt(self.plan.width)
        if self.plan.kind == "transformer":
            found = found + _positions(numbers.shape[1], self.plan.width, first)
        return self.drop(found)  # (batch, words, width)

    def read(self, sources: SourceBatch, slant: Tensor | None = None) -> Tensor:
        """Return the encoder states, (batch, words, width).

        ``slant``, (batch, words), is the probability that each word is slanted. The join embedding adds it: each state
        is shifted along a learned direction, in proportion to the probability.
        """
        embedded = self._embed(sources.known)
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

    def begin(self, states: Tensor, mask: Tensor) -> DecoderState:
        """Return the state before the first word."""
        return self.decoder.begin(states, mask)

    def write(self, batch: PairBatch, states: Tensor) -> DecoderOutput:
        """Run the decoder on the target (teacher forcing)."""
        mask = batch.sources.mask
        return self.decoder.write(self._embed(batch.given), states, mask)

    def step(
        self, last: Tensor, states: Tensor, mask: Tensor, state: DecoderState
    ) -> tuple[DecoderOutput, DecoderState]:
        """Run one step after the word ``last``, (batch,)."""
        first = self.decoder.length(state)
        return self.decoder.step(self._embed(last.unsqueeze(1), first), states, mask, state)

    def losses(self, written: DecoderOutput, batch: PairBatch, smoothing: float = 0.0) -> Tensor:
        """Return the negative log-likelihood of each target word, (batch, steps), with label smoothing."""
        known = self._vocabulary_logs(written.hidden)
        right = self._target_logs(known, written, batch)
        return -right if not smoothing else -(1 - smoothing) * right - smoothing * known.mean(dim=-1)

    def _target_logs(self, known: Tensor, written: DecoderOutput, batch: PairBatch) -> Tensor:
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

    def distribution(self, written: DecoderOutput, own: Tensor, max_oov: int) -> Tensor:
        """Return the log probability of every next word, (batch, vocabulary + OOV words)."""
        known = self._vocabulary_logs(written.hidden[:, -1])
        if self.gate is None:
            return known
        copying = torch.sigmoid(self.gate(written.hidden[:, -1]))  # (batch, 1)
        probabilities = torch.cat([known.exp() * (1 - copying), known.new_zeros(len(known), max_oov)], dim=1)
        return (probabilities.scatter_add(1, own, written.attention[:, -1] * copying) + _TINY).log()

    def _vocabulary_logs(self, hidden: Tensor) -> Tensor:
        return torch.log_softmax(hidden @ self.embedding.weight.T + self.bias, dim=-1)


def _positions(length: int, width: int, first: int) -> Tensor:
    """Return sinusoidal position embeddings, (length, width)."""
    at = torch.arange(first, first + length).unsqueeze(1)
    waves = at * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([waves.sin(), waves.cos()], dim=-1).flatten(1)


DecoderState: TypeAlias = tuple[Tensor, ...]
"""The recurrent state of a decoder; the first dimension of each tensor is the batch."""

_BACK, _AHEAD = 2, 8
"""The range of the expected jump from the last attended word, in words."""
_ELSEWHERE = 1e-3
"""The attention that is expected at any other position."""


@dataclass(frozen=True, slots=True)
class DecoderOutput:
    """The states and attention of decoder steps."""

    hidden: Tensor
    """(batch, steps, width)"""
    attention: Tensor
    """(batch, steps, words): the attention; each row sums to 1."""


class AttentiveLSTM(nn.Module):
    """Luong's decoder with the general score and input feeding.

    With ``follow``, attention prefers the word after the last attended one; the strength of the preference and the
    distribution of jumps are learned parameters.
    """

    def __init__(self, width: int, layers: int, dropout: float, *, follow: bool = False) -> None:
        super().__init__()
        self._layers, self._dropout = layers, dropout
        self.cells = nn.LSTM(2 * width, width, layers, batch_first=True, dropout=dropout)
        self.score = nn.Linear(width, width, bias=False)
        self.mix = nn.Linear(2 * width, width, bias=False)
        self.start = nn.Linear(width, width)
        self.pull = nn.Parameter(torch.ones(())) if follow else None
        # from two words back to eight ahead: mostly the next word, otherwise rather near than far
        leaps = [*[-6.5] * (_BACK + 1), 0.0, *(-3.2 - 0.4 * far for far in range(2, _AHEAD + 1))]
        self.leaps = nn.Parameter(torch.tensor(leaps)) if follow else None

    def begin(self, states: Tensor, mask: Tensor) -> DecoderState:
        """Return the initial state, from the mean of the source."""
        shares = mask.to(states.dtype).unsqueeze(-1)
        middle = (states * shares).sum(dim=1) / shares.sum(dim=1).clamp(min=1)
        hidden = torch.tanh(self.start(middle)).unsqueeze(1).repeat(1, self._layers, 1)
        begun = (hidden, torch.zeros_like(hidden), torch.zeros_like(middle))
        if self.leaps is None:
            return begun
        # as if the decoder had attended to a word before the first one
        before = nn.functional.pad(torch.softmax(self.leaps, dim=0)[_BACK + 1 :], (0, mask.shape[1]))
        return (*begun, before[: mask.shape[1]].expand(len(mask), -1))

    def length(self, state: DecoderState) -> int:  # noqa: ARG002
        """Return 0: an LSTM has no position embeddings."""
        return 0

    def step(
        self, word: Tensor, states: Tensor, mask: Tensor, state: DecoderState
    ) -> tuple[DecoderOutput, DecoderState]:
        """Run one step with the embedded last word, (batch, 1, width)."""
        hidden, cell, feed, *expected = state
        out, hidden, cell = self._run_cells(torch.cat([word.squeeze(1), feed], dim=-1), hidden, cell)
        out = out.unsqueeze(1)
        scores = self.score(out) @ states.transpose(1, 2)  # (batch, 1, words)
        if self.pull is not None:
            scores = scores + self.pull * (expected[0] + _ELSEWHERE).log().unsqueeze(1)
        attention = torch.softmax(scores.masked_fill(~mask.unsqueeze(1), -1e9), dim=-1)
        mixed = torch.tanh(self.mix(torch.cat([attention @ states, out], dim=-1)))
        after: DecoderState = (hidden, cell, mixed.squeeze(1))
        if self.leaps is not None:
            shares = torch.softmax(self.leaps, dim=0).flip(0).view(1, 1, -1)
            around = nn.functional.pad(attention, (_AHEAD, _BACK))
            after = (*after, nn.functional.conv1d(around, shares).squeeze(1))
        return DecoderOutput(mixed, attention), after

    def _run_cells(self, given: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Run one step of each layer; calling the LSTM module for every word takes twice as long."""
        hiddens, cells = [], []
        for layer, weights in enumerate(self.cells.all_weights):
            if layer:
                given = nn.functional.dropout(given, self._dropout, self.training)
            given, inner = torch.lstm_cell(given, (hidden[:, layer], cell[:, layer]), *weights)
            hiddens.append(given)
            cells.append(inner)
        return given, torch.stack(hiddens, dim=1), torch.stack(cells, dim=1)

    def write(self, words: Tensor, states: Tensor, mask: Tensor) -> DecoderOutput:
        """Run all steps in sequence, because each needs the attention of the previous one."""
        state = self.begin(states, mask)
        hidden, attention = [], []
        for at in range(words.shape[1]):
            written, state = self.step(words[:, at : at + 1], states, mask, state)
            hidden.append(written.hidden)
            attention.append(written.attention)
        return DecoderOutput(torch.cat(hidden, dim=1), torch.cat(attention, dim=1))


class _DecoderLayer(nn.Module):
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
        """Transform ``words``, the last of ``before``; return them and their attention over the source."""
        many, all_ = words.shape[1], before.shape[1]
        later = torch.ones(many, all_, dtype=torch.bool).triu(all_ - many + 1)
        normed, whole = self.norms[0](words), self.norms[0](before)
        words = words + self.drop(self.own(normed, whole, whole, attn_mask=later, need_weights=False)[0])
        found, attention = self.other(self.norms[1](words), states, states, key_padding_mask=~mask)
        words = words + self.drop(found)
        return words + self.drop(self.inner(self.norms[2](words))), attention


class AttentiveTransformer(nn.Module):
    """A Transformer decoder; its source attention is that of the last layer, averaged over heads."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(_DecoderLayer(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def begin(self, states: Tensor, mask: Tensor) -> DecoderState:  # noqa: ARG002
        """Return the empty state: one tensor per layer."""
        return tuple(states.new_zeros(len(states), 0, states.shape[-1]) for _ in self.layers)

    def length(self, state: DecoderState) -> int:
        """Return the number of decoded words."""
        return state[0].shape[1]

    def step(
        self, word: Tensor, states: Tensor, mask: Tensor, state: DecoderState
    ) -> tuple[DecoderOutput, DecoderState]:
        """Run one step with the embedded last word, (batch, 1, width)."""
        after, attention = [], states.new_zeros(0)
        for layer, before in zip(self.layers, state, strict=True):
            whole = torch.cat([before, word], dim=1)
            after.append(whole)
            word, attention = layer(word, whole, states, mask)
        return DecoderOutput(self.norm(word), attention), tuple(after)

    def write(self, words: Tensor, states: Tensor, mask: Tensor) -> DecoderOutput:
        """Run all steps at once with a causal mask."""
        return self.step(words, states, mask, self.begin(states, mask))[0]


_NEVER = -1e9
_MAX_GROWTH = 10
"""How many words a hypothesis may exceed its source by."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A candidate output."""

    ids: tuple[int, ...]
    attended: tuple[int, ...]
    """The source position with the highest attention for each word."""
    score: float


@dataclass
class _Finished:
    """The finished hypotheses of one sentence."""

    done: list[Hypothesis] = field(default_factory=list)

    def best(self, size: int) -> list[Hypothesis]:
        return sorted(self.done, key=lambda hypothesis: -hypothesis.score)[:size]


@torch.no_grad()
def search(
    editor: Editor, sources: SourceBatch, states: Tensor, beams: BeamSettings
) -> list[list[Hypothesis]]:
    """Return the best hypotheses of each sentence, best first; at least one each."""
    many, size = len(sources.words), beams.size
    rows = torch.arange(many).repeat_interleave(size)
    states, mask, own = states[rows], sources.mask[rows], sources.own[rows]
    memory = editor.begin(states, mask)
    scores = torch.full((many, size), _NEVER)
    scores[:, 0] = 0.0  # all beams of a sentence start equal: only the first may continue
    last = torch.full((many * size,), BEGIN)
    ids = torch.zeros(many * size, 0, dtype=torch.long)
    attended = torch.zeros(many * size, 0, dtype=torch.long)
    found = [_Finished() for _ in range(many)]
    limits = [len(words) + _MAX_GROWTH for words in sources.words]
    for length in range(1, max(limits) + 1):
        shown = torch.where(last < editor.plan.vocabulary, last, UNKNOWN)
        written, memory = editor.step(shown, states, mask, memory)
        log_probabilities = editor.distribution(written, own, sources.max_oov)
        log_probabilities[:, [PADDING, BEGIN]] = _NEVER
        total = (scores.view(-1, 1) + log_probabilities).view(many, -1)
        # twice the beam size: even if a full beam ends here, enough hypotheses continue
        best, flat = total.topk(2 * size, dim=1)
        width = log_probabilities.shape[1]
        parents, words = flat // width, flat % width
        where = written.attention[:, -1].argmax(dim=-1)
        keep = _finish(best, parents, words, found, (ids, attended, length, size, beams.length_penalty))
        chosen = (torch.arange(many).unsqueeze(1) * size + parents.gather(1, keep)).flatten()
        last = words.gather(1, keep).flatten()
        scores = best.gather(1, keep)
        ids = torch.cat([ids[chosen], last.unsqueeze(1)], dim=1)
        attended = torch.cat([attended[chosen], where[chosen].unsqueeze(1)], dim=1)
        memory = tuple(tensor[chosen] for tensor in memory)
        if all(
            len(finished.done) >= size or length >= limit
            for finished, limit in zip(found, limits, strict=True)
        ):
            break
    _finish_open(found, scores, ids, attended, beams)
    return [finished.best(size) for finished in found]


def _finish(
    best: Tensor,
    parents: Tensor,
    words: Tensor,
    found: list[_Finished],
    so_far: tuple[Tensor, Tensor, int, int, float],
) -> Tensor:
    """Store the hypotheses that end here; return which candidates continue, (sentences, beams)."""
    ids, attended, length, size, penalty = so_far
    going = []
    ends = words == END
    for at, sentence in enumerate(found):
        for rank in ends[at, :size].nonzero().flatten().tolist():
            score = float(best[at, rank])
            if score > _NEVER / 2 and len(sentence.done) < size:
                row = at * size + int(parents[at, rank])
                done = Hypothesis(
                    tuple(ids[row].tolist()), tuple(attended[row].tolist()), score / length**penalty
                )
                sentence.done.append(done)
        going.append((~ends[at]).nonzero().flatten()[:size])
    return torch.stack(going)


def _finish_open(
    found: list[_Finished], scores: Tensor, ids: Tensor, attended: Tensor, beams: BeamSettings
) -> None:
    """Finish the best open hypothesis of sentences without a finished one."""
    for at, sentence in enumerate(found):
        if not sentence.done:
            row = at * beams.size
            score = float(scores[at, 0]) / max(1, ids.shape[1]) ** beams.length_penalty
            sentence.done.append(Hypothesis(tuple(ids[row].tolist()), tuple(attended[row].tolist()), score))
