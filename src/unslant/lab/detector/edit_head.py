"""The head that predicts which words of a sentence an editor would change, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.types import Edit
from unslant.lab.detector.edits import Hints, KnownEdit, fold_words, known_edits, no_hints, vocabulary
from unslant.lab.detector.heads import DecodedRow, Target, tower
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.lab.stats.metrics import f1
from unslant.neural.checkpoint import DELETE, KEEP
from unslant.neural.span_edits import PARTS, SpanEditDecoder, SpanEdits, suggest
from unslant.neural.subwords import find_words
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edit

_THRESHOLDS = [step / 40 for step in range(2, 36)]
_NOWHERE = -1
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class EditOptions:
    """The options of an edit head."""

    size: int = 800
    """The maximum number of edits in the vocabulary."""
    least: int = 2
    """How often editors must have made an edit for it to be learned."""
    rules: bool = True
    """Whether a rule's alternative replaces an editor's edit that is not in the vocabulary."""
    longest: int = 8
    """The largest number of words in a span."""
    width: int = 96
    """The width of the representation of a span."""
    unlisted: float = 0.3
    """The weight of an edit that is not in the vocabulary, so that only its span is learned."""
    kept: float = 0.3
    """The weight of a sentence that an editor left unchanged."""
    vocabulary: tuple[str, ...] = ()
    """The labels of the edits; if empty, they are collected from the pairs of the recipe before training."""


class EditHead(nn.Module):
    """One edit of one span of words, or none: :class:`SpanEditDecoder` reads its output."""

    Options = EditOptions
    level: ClassVar[Literal["text", "subword"]] = "subword"
    exclusive: ClassVar[bool] = True
    distilled: ClassVar[bool] = False
    """Its output for a single subword has no label; pairs of sentences supervise it."""

    def __init__(self, options: EditOptions, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.labels = options.vocabulary or (KEEP, DELETE)
        self._places = {name: at for at, name in enumerate(self.labels)}
        self.layers = tower(width, PARTS * options.width + 1, 0, dropout)
        # linear layers even for plain tables, so that one method reinitializes all parts of a head
        self.widths = nn.Linear(options.longest, options.width, bias=False)
        self.borders = nn.Linear(2, options.width, bias=False)
        self.score = nn.Linear(options.width, 1)
        self.ops = nn.Linear(options.width, len(self.labels) - 1)

    @classmethod
    def fit(cls, options: EditOptions, samples: Sequence[TrainingSample]) -> EditOptions:
        """Return the options with a vocabulary collected from pairs, unless they have one."""
        if options.vocabulary:
            return options
        pairs = [
            (sample.example.text, sample.rewritten)
            for sample in samples
            if sample.rewritten is not None and sample.rewritten != sample.example.text
        ]
        found = vocabulary(pairs, options.size, options.least, _hints(options))
        return replace(options, vocabulary=found)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        """Return the projections of each subword from which spans are scored, (batch, subwords, numbers)."""
        numbers: Tensor = self.layers(hidden)
        return numbers

    def tables(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return the tables that :class:`SpanEditDecoder` needs in addition to the output."""

        def column(layer: nn.Linear) -> Tensor:
            return torch.cat([layer.weight, layer.bias.unsqueeze(1)], dim=1)

        found = {
            "widths": self.widths.weight.T,
            "borders": self.borders.weight.T,
            "score": column(self.score)[0],
            "ops": column(self.ops),
        }
        return {name: value.detach().float().contiguous().numpy() for name, value in found.items()}

    def targets(self, rows: Sequence[EncodedRow], length: int) -> Target:
        """Return (batch, 4, n): first subwords of words; first word, number of further words, and edit of each answer.

        -1 is padding, and also the edit of an answer that accepts any edit; edit 0 leaves the sentence alone.
        """
        found = [self._answers(row) for row in rows]
        most = max([length, *(len(known) for known in found)])
        values = torch.full((len(rows), 4, most), _NOWHERE)
        weights = torch.zeros(len(rows))
        for at, (row, answers) in enumerate(zip(rows, found, strict=True)):
            for number, (subword, _) in enumerate(find_words(row.text, row.offsets)):
                values[at, 0, number] = subword
            for number, known in enumerate(answers):
                values[at, 1:, number] = torch.tensor([known.first, known.more, known.edit])
            weights[at] = row.sample.part.trust * self._weight(answers)
        return Target(values, weights)

    def _answers(self, row: EncodedRow) -> list[KnownEdit]:
        target = _target(row)
        if target is None:
            return []
        starts = {word.start: at for at, (_, word) in enumerate(find_words(row.text, row.offsets))}
        found = known_edits(row.text, target, self._places, starts, _hints(self.options))
        # a text may be cut in the middle of a span
        return [
            known
            for known in found
            if known.more < self.options.longest and known.first + known.more < len(starts)
        ]

    def _weight(self, answers: Sequence[KnownEdit]) -> float:
        if not answers:
            return 0.0
        best = max(known.edit for known in answers)
        return 1.0 if best > 0 else self.options.kept if best == 0 else self.options.unlisted

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Return the negative log-likelihood of the correct answers together."""
        some = target.weights > 0
        if not some.any():
            return logits.sum() * 0.0
        values = target.values[some]
        read = self._score_spans(logits[some], values[:, 0])
        first, more, edit = values[:, 1], values[:, 2].clamp(min=0), values[:, 3]
        there = first != _NOWHERE
        place = torch.where(edit == 0, read.logs.shape[1] - 1, first.clamp(min=0) * read.longest + more)
        logs = read.logs.gather(1, place.clamp(max=read.logs.shape[1] - 1))
        batch = torch.arange(len(values)).unsqueeze(1)
        hidden = read.hidden[
            batch, first.clamp(min=0), more.clamp(max=read.longest - 1)
        ]  # (batch, answers, width)
        edits = functional.log_softmax(self.ops(hidden), dim=-1)
        own = edits.gather(-1, (edit - 1).clamp(min=0).unsqueeze(-1)).squeeze(-1)
        logs = torch.where(edit > 0, logs + own, logs).masked_fill(~there, _IMPOSSIBLE)
        return -(torch.logsumexp(logs, dim=1) * target.weights[some]).sum() / len(values)

    def _score_spans(self, numbers: Tensor, subwords: Tensor) -> _SpanScores:
        """Score all spans of a batch; ``subwords`` holds the first subword of each word, padded with -1."""
        counts = (subwords != _NOWHERE).sum(dim=1)
        most = int(counts.max())
        at = subwords[:, :most].clamp(min=0).unsqueeze(-1).expand(-1, -1, numbers.shape[-1])
        rows = numbers.gather(1, at)  # (batch, words, numbers)
        there = torch.arange(most) < counts.unsqueeze(1)
        first, last, inside, before, after = rows[..., :-1].chunk(PARTS, dim=-1)
        left, right = (border.expand(len(rows), 1, -1) for border in self.borders.weight.T.unsqueeze(1))
        begin = first + torch.cat([left, before[:, :-1]], dim=1)
        following = torch.cat([after[:, 1:], right], dim=1)
        final = torch.arange(most) == (counts - 1).unsqueeze(1)
        end = last + torch.where(final.unsqueeze(-1), right, following)
        sums = functional.pad(inside.cumsum(dim=1), (0, 0, 1, 0))
        longest = min(self.options.longest, most)
        hidden, scores = [], []
        for width in range(longest):
            mean = (sums[:, width + 1 :] - sums[:, : most - width]) / (width + 1)
            spans = torch.tanh(
                begin[:, : most - width] + end[:, width:] + mean + self.widths.weight[:, width]
            )
            score = self.score(spans).squeeze(-1).masked_fill(~there[:, width:], _IMPOSSIBLE)
            hidden.append(functional.pad(spans, (0, 0, 0, width)))
            scores.append(functional.pad(score, (0, width), value=_IMPOSSIBLE))
        flat = torch.stack(scores, dim=2).flatten(1)  # (batch, words · lengths)
        none = (rows[..., -1] * there).sum(dim=1, keepdim=True) / counts.clamp(min=1).unsqueeze(1)
        logs = functional.log_softmax(torch.cat([flat, none], dim=1), dim=1)
        return _SpanScores(torch.stack(hidden, dim=2), logs, longest)

    def chances(self, output: Tensor, row: EncodedRow) -> Tensor:
        """Return the probability of each span of a text; the last value is that of no edit."""
        subwords = torch.tensor([[subword for subword, _ in find_words(row.text, row.offsets)]])
        return self._score_spans(output.unsqueeze(0), subwords).logs[0].exp().detach()

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Return 0: this head is not distilled."""
        return logits.sum() * 0.0

    def decide(
        self, outputs: Sequence[Tensor], rows: Sequence[EncodedRow], gates: Sequence[float | None] = ()
    ) -> dict[str, Any]:
        """Choose the threshold with the best F1; whether an edit is made is up to the fixer's gates."""
        decoder = SpanEditDecoder(self.tables(), self.labels)
        judged = _judge_rows(
            (row, decoder.choices(row.text, find_words(row.text, row.offsets), output.numpy()))
            for output, row in zip(outputs, rows, strict=True)
            if _target(row) is not None
        )
        if not any(outcome.edited for outcome in judged):
            return {}
        scores = {threshold: _figures(judged, threshold)["f1"] for threshold in _THRESHOLDS}
        return {"threshold": max(scores, key=lambda threshold: (scores[threshold], threshold))}

    def measure(self, decoded: Sequence[DecodedRow], decision: Mapping[str, Any]) -> dict[str, float]:
        """Return the share of edited sentences that match the editor's, of neutral ones left alone, and F1."""
        judged = _judge_rows((decoded_row.row, decoded_row.prediction.edits) for decoded_row in decoded)
        if not any(outcome.edited for outcome in judged):
            return {}
        return _figures(judged, decision.get("threshold", 0.5))


class _SpanScores(NamedTuple):
    """The scores of all spans of a batch."""

    hidden: Tensor
    """(batch, words, lengths, width)"""
    logs: Tensor
    """(batch, words · lengths + 1): the log-probability of each span; the last one is that of no edit."""
    longest: int


class _Judged(NamedTuple):
    """The likeliest edit of a sentence, and what an editor did."""

    edited: bool
    chance: float
    """The probability of the edit; 0 if there is none."""
    right: bool
    """Whether the edit gives the editor's sentence."""


def _judge_rows(decoded: Iterable[tuple[EncodedRow, SpanEdits | None]]) -> list[_Judged]:
    return [
        _judge(row.text, target, suggest(row.text, edits.edits[:1], 0.0))
        for row, edits in decoded
        if edits is not None and (target := _target(row)) is not None
    ]


def _judge(text: str, target: str, suggested: Sequence[Edit]) -> _Judged:
    edited = fold_words(target) != fold_words(text)
    if not suggested:
        return _Judged(edited, 0.0, right=False)
    right = fold_words(apply_edits(text, [tidy_edit(text, suggested[0])])) == fold_words(target)
    return _Judged(edited, suggested[0].probability or 0.0, right)


def _figures(judged: Sequence[_Judged], threshold: float) -> dict[str, float]:
    made = [outcome for outcome in judged if outcome.chance >= threshold]
    edited = sum(outcome.edited for outcome in judged)
    neutral = len(judged) - edited
    hits = sum(outcome.right for outcome in made)
    precision, recall = hits / max(len(made), 1), hits / max(edited, 1)
    left = sum(not outcome.edited and outcome.chance < threshold for outcome in judged)
    return {
        "f1": f1(hits, len(made), edited),
        "exact": recall,
        "best": sum(outcome.right for outcome in judged) / max(edited, 1),
        "precision": precision,
        **({"left_alone": left / neutral} if neutral else {}),
    }


def _hints(options: EditOptions) -> Hints:
    if not options.rules:
        return no_hints
    from unslant.lab.detector.edits import rule_hints

    return rule_hints


def _target(row: EncodedRow) -> str | None:
    return row.sample.rewritten if row.sample.teaches("edits") else None
