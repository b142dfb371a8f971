"""The head that says which words of a sentence an editor would change, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.types import Edit
from unslant.lab.detector.edits import Hints, Known, fold_words, known_edits, no_hints, vocabulary
from unslant.lab.detector.heads import DecodedRow, Target, tower
from unslant.lab.detector.rows import EncodedRow, TrainingSample
from unslant.lab.stats.metrics import f1
from unslant.neural.checkpoint import DELETE, KEEP
from unslant.neural.span_edits import PARTS, SpanEditDecoder, SpanEdits, suggest
from unslant.neural.subwords import find_words
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edit

__all__ = ["EditHead"]

_THRESHOLDS = [step / 40 for step in range(2, 36)]
_NOWHERE = -1
_FAR = -1e9


@dataclass(frozen=True, slots=True)
class EditOptions:
    """The options of an edit head."""

    size: int = 800
    """At most so many edits."""
    least: int = 2
    """An edit is learned if editors made it so many times."""
    rules: bool = True
    """Whether an alternative of the rules stands in where the edit of an editor is not learned."""
    longest: int = 8
    """The largest number of words in a span."""
    width: int = 96
    """The width of the representation of a span."""
    unlisted: float = 0.3
    """How much an edit counts of which only the place can be learned."""
    kept: float = 0.3
    """How much a sentence counts that an editor left as it is."""
    vocabulary: tuple[str, ...] = ()
    """The edits themselves; empty: learned from the pairs of the recipe before training begins."""


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
        """Return the options with a vocabulary learned from pairs; one that is there stays."""
        if options.vocabulary:
            return options
        pairs = [
            (sample.example.text, sample.rewritten)
            for sample in samples
            if sample.rewritten is not None and sample.rewritten != sample.example.text
        ]
        found = vocabulary(pairs, options.size, options.least, _hints(options))
        return replace(options, vocabulary=found)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return the projections of each subword from which spans are scored, (batch, subwords, numbers)."""
        numbers: Tensor = self.layers(hidden)
        return numbers

    def tables(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return what :class:`SpanEditDecoder` needs beside the output."""

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
        """Return (batch, 4, numbers): first subwords of words; first word, further words and edit of each right answer.

        What is not there is -1, and so is the edit where any will do; leaving the sentence alone is the edit 0.
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

    def _answers(self, row: EncodedRow) -> list[Known]:
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

    def _weight(self, answers: Sequence[Known]) -> float:
        if not answers:
            return 0.0
        best = max(known.edit for known in answers)
        return 1.0 if best > 0 else self.options.kept if best == 0 else self.options.unlisted

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Minus the log of how likely any of the right answers is."""
        some = target.weights > 0
        if not some.any():
            return logits.sum() * 0.0
        values = target.values[some]
        read = self._read(logits[some], values[:, 0])
        first, more, edit = values[:, 1], values[:, 2].clamp(min=0), values[:, 3]
        there = first != _NOWHERE
        place = torch.where(edit == 0, read.logs.shape[1] - 1, first.clamp(min=0) * read.longest + more)
        logs = read.logs.gather(1, place.clamp(max=read.logs.shape[1] - 1))
        batch = torch.arange(len(values)).unsqueeze(1)
        bent = read.bent[
            batch, first.clamp(min=0), more.clamp(max=read.longest - 1)
        ]  # (batch, answers, width)
        edits = functional.log_softmax(self.ops(bent), dim=-1)
        own = edits.gather(-1, (edit - 1).clamp(min=0).unsqueeze(-1)).squeeze(-1)
        logs = torch.where(edit > 0, logs + own, logs).masked_fill(~there, _FAR)
        return -(torch.logsumexp(logs, dim=1) * target.weights[some]).sum() / len(values)

    def _read(self, numbers: Tensor, subwords: Tensor) -> _Read:
        """Judge all spans of a batch; ``subwords`` are the first subwords of words, -1 where there is none."""
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
        bent, scores = [], []
        for width in range(longest):
            mean = (sums[:, width + 1 :] - sums[:, : most - width]) / (width + 1)
            spans = torch.tanh(
                begin[:, : most - width] + end[:, width:] + mean + self.widths.weight[:, width]
            )
            score = self.score(spans).squeeze(-1).masked_fill(~there[:, width:], _FAR)
            bent.append(functional.pad(spans, (0, 0, 0, width)))
            scores.append(functional.pad(score, (0, width), value=_FAR))
        flat = torch.stack(scores, dim=2).flatten(1)  # (batch, words · lengths)
        none = (rows[..., -1] * there).sum(dim=1, keepdim=True) / counts.clamp(min=1).unsqueeze(1)
        logs = functional.log_softmax(torch.cat([flat, none], dim=1), dim=1)
        return _Read(torch.stack(bent, dim=2), logs, longest)

    def chances(self, output: Tensor, row: EncodedRow) -> Tensor:
        """Return how likely each span of a text is chosen; the last: none."""
        subwords = torch.tensor([[subword for subword, _ in find_words(row.text, row.offsets)]])
        return self._read(output.unsqueeze(0), subwords).logs[0].exp().detach()

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:  # noqa: ARG002
        """Learn nothing: teachers do not speak of edits."""
        return logits.sum() * 0.0

    def decide(
        self,
        outputs: Sequence[Tensor],
        rows: Sequence[EncodedRow],
        gates: Sequence[float | None] = (),  # noqa: ARG002
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
        """The share of edited sentences that come out as the editor's, of neutral ones left alone, and F1."""
        judged = _judge_rows((decoded_row.row, decoded_row.prediction.edits) for decoded_row in decoded)
        if not any(outcome.edited for outcome in judged):
            return {}
        return _figures(judged, decision.get("threshold", 0.5))


class _Read(NamedTuple):
    """All spans of a batch."""

    bent: Tensor
    """(batch, words, lengths, width)"""
    logs: Tensor
    """(batch, words · lengths + 1): how likely each is chosen; the last: none."""
    longest: int


class _Judged(NamedTuple):
    """The likeliest edit of a sentence, and what an editor did."""

    edited: bool
    chance: float
    """How likely the edit is; 0: there is none."""
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
