"""The head that says what an editor would do to each word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.neural.edits import DELETE, KEEP, Change, Guess, apply, changes, likely, settled
from unslant.neural.spans import words
from unslant.training.edits import CHANGED, UNKNOWN, Hints, folded, labels_of, no_hints, vocabulary, wanted
from unslant.training.heads import tower
from unslant.training.losses import Target, soft_choice_loss
from unslant.training.rows import Row, Sample

__all__ = ["EditHead"]

_THRESHOLDS = [step / 20 for step in range(4, 20)]
_KEPT = 0
"""The place of :data:`KEEP` among the labels."""


@dataclass(frozen=True, slots=True)
class _Options:
    marked: float = 3.0
    """How much a word that was changed counts beside one that was kept."""
    size: int = 800
    """At most so many edits."""
    least: int = 2
    """An edit is learned if editors made it so many times."""
    rules: bool = True
    """Whether an alternative of the rules stands in where the edit of an editor is not learned."""
    hidden: int = 0
    """The width of a layer in between; 0: none."""
    vocabulary: tuple[str, ...] = ()
    """The edits themselves; empty: learned from the pairs of the recipe before training begins."""


class EditHead(nn.Module):
    """One edit of a vocabulary for the first piece of each word."""

    Options = _Options
    level: ClassVar[Literal["text", "piece"]] = "piece"
    exclusive: ClassVar[bool] = True
    distilled: ClassVar[bool] = False
    """A teacher's hundreds of numbers a piece would fill the memory; the pairs themselves teach."""

    def __init__(self, options: _Options, width: int, dropout: float) -> None:
        super().__init__()
        self.options = options
        self.labels = options.vocabulary or (KEEP, DELETE)
        self._places = {name: at for at, name in enumerate(self.labels)}
        self.layers = tower(width, len(self.labels), options.hidden, dropout)

    @classmethod
    def fit(cls, options: _Options, samples: Sequence[Sample]) -> _Options:
        """Return the options with a vocabulary learned from pairs; one that is there stays."""
        if options.vocabulary:
            return options
        pairs = [
            (one.example.text, one.rewritten)
            for one in samples
            if one.rewritten is not None and one.rewritten != one.example.text
        ]
        found = vocabulary(pairs, options.size, options.least, _hints(options))
        return replace(options, vocabulary=found)

    def forward(self, hidden: Tensor, pooled: Tensor) -> Tensor:  # noqa: ARG002
        """Return logits, (batch, pieces, edits)."""
        logits: Tensor = self.layers(hidden)
        return logits

    def targets(self, rows: Sequence[Row], length: int) -> Target:
        """Return (batch, pieces) edits and weights."""
        values = torch.full((len(rows), length), UNKNOWN)
        for at, row in enumerate(rows):
            target = _target(row)
            if target is None:
                continue
            found = labels_of(row.text, target, self._places, _hints(self.options))
            for piece, word in words(row.text, row.offsets):
                values[at, piece] = found.get(word.start, _KEPT)
        trust = torch.tensor([row.sample.part.trust for row in rows]).unsqueeze(1)
        weights = (values != UNKNOWN).float() * trust
        return Target(values, torch.where(values != _KEPT, weights * self.options.marked, weights))

    def loss(self, logits: Tensor, target: Target) -> Tensor:
        """Cross-entropy; where an editor wrote what the vocabulary has not, of changing the word at all."""
        logs = functional.log_softmax(logits, dim=-1)  # (batch, pieces, edits)
        chosen = logs.gather(-1, target.values.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        anything = torch.logsumexp(logs[..., _KEPT + 1 :], dim=-1)
        losses = -torch.where(target.values == CHANGED, anything, chosen)
        return (losses * target.weights).sum() / (target.weights > 0).sum().clamp(min=1)

    def soft_loss(self, logits: Tensor, teacher: Target, temperature: float) -> Tensor:
        """Cross-entropy against the teacher's edits."""
        return soft_choice_loss(logits, teacher, temperature)

    def decide(self, outputs: Sequence[Tensor], rows: Sequence[Row]) -> dict[str, Any]:
        """Choose the threshold with the best F0.5: an edit too few is better than one too many."""
        judged = self._judged(outputs, rows)
        if not any(one.target != one.row.text for one in judged):
            return {}
        scores = {one: _figures(judged, one)["f05"] for one in _THRESHOLDS}
        return {"threshold": max(scores, key=lambda one: (scores[one], one))}

    def measure(
        self, outputs: Sequence[Tensor], rows: Sequence[Row], decision: Mapping[str, Any]
    ) -> dict[str, float]:
        """The share of edited sentences that come out as the editor's, of neutral ones left alone, and F0.5."""
        judged = self._judged(outputs, rows)
        if not any(one.target != one.row.text for one in judged):
            return {}
        return _figures(judged, decision.get("threshold", 0.5))

    def _judged(self, outputs: Sequence[Tensor], rows: Sequence[Row]) -> list[_Judged]:
        found = []
        for output, row in zip(outputs, rows, strict=True):
            target = _target(row)
            if target is not None:
                found_words = words(row.text, row.offsets)
                guessed = likely(row.text, found_words, output.numpy(), self.labels, least=_THRESHOLDS[0])
                found.append(_Judged(row, target, tuple(guessed)))
        return found


@dataclass(frozen=True, slots=True)
class _Judged:
    row: Row
    target: str
    guessed: tuple[Guess, ...]

    def changes(self, threshold: float) -> list[Change]:
        """Return what the network would do."""
        chosen = [(one.word, one.ops[0][0]) for one in self.guessed if one.change >= threshold and one.ops]
        return changes(self.row.text, chosen)


def _figures(judged: Sequence[_Judged], threshold: float) -> dict[str, float]:
    hits = guessed = gold = exact = edited = kept = 0
    for one in judged:
        text = one.row.text
        found = one.changes(threshold)
        truth = wanted(text, one.target)
        guessed, gold = guessed + len(found), gold + len(truth)
        hits += len({_key(change) for change in found} & {_key(change) for change in truth})
        if one.target == text:
            kept += not found
        else:
            edited += 1
            if found:
                exact += folded(apply(text, settled(text, found))) == folded(one.target)
    neutral = len(judged) - edited
    precision, recall = hits / max(guessed, 1), hits / max(gold, 1)
    return {
        "f05": 1.25 * precision * recall / max(0.25 * precision + recall, 1e-9),
        "exact": exact / max(edited, 1),
        "precision": precision,
        "recall": recall,
        **({"left_alone": kept / neutral} if neutral else {}),
    }


def _key(change: Change) -> tuple[int, int, tuple[str, ...]]:
    return change.start, change.end, folded(change.text)


def _hints(options: _Options) -> Hints:
    if not options.rules:
        return no_hints
    from unslant.training.rule_edits import rule_stretches

    return rule_stretches


def _target(row: Row) -> str | None:
    return row.sample.rewritten if row.sample.teaches("edits") else None
