"""Batches: which samples an epoch contains, which rows share a batch, and the tensors of a batch."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from unslant.lab.detector.heads import Target
from unslant.lab.detector.rows import EncodedRow, TrainingSample, feature_rows

if TYPE_CHECKING:
    from unslant.lab.detector.network import DetectorNetwork

RowT = TypeVar("RowT")

_POOL = 50
"""The number of batches sorted by length together: enough for little padding, few enough to stay shuffled."""


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """The tensors of one training step."""

    ids: Tensor
    mask: Tensor
    features: Tensor | None
    targets: Mapping[str, Target] = field(default_factory=dict)
    teacher: Mapping[str, Target] = field(default_factory=dict)
    pairs: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)
    """By head: the rows of slanted sources and of their targets."""


def plan_batches(
    rows: Sequence[EncodedRow], size: int, *, rng: random.Random, pairs: bool = False
) -> list[list[int]]:
    """Return the rows of each batch in random order, each row once; with ``pairs``, both sides of a pair share a batch.

    A batch contains rows of similar length.
    """
    groups = _groups(rows) if pairs else [[at] for at in range(len(rows))]
    rng.shuffle(groups)
    batches: list[list[int]] = []
    pool = size * _POOL
    for start in range(0, len(groups), pool):
        part = groups[start : start + pool]
        part.sort(key=lambda group: max(len(rows[at].ids) for at in group))
        current: list[int] = []
        for group in part:
            if current and len(current) + len(group) > size:
                batches.append(current)
                current = []
            current.extend(group)
        batches.append(current)
    rng.shuffle(batches)
    return batches


def pooled_batches(
    rows: Sequence[RowT], size: int, pool: int, rng: random.Random, length: Callable[[RowT], int]
) -> list[list[RowT]]:
    """Return rows, which are in random order, in batches of similar length, in random order.

    They are sorted within pools of many batches: little padding, and a different mix in every epoch.
    """
    starts = range(0, len(rows), size * pool)
    ordered = [row for start in starts for row in sorted(rows[start : start + size * pool], key=length)]
    batches = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    rng.shuffle(batches)
    return batches


def _groups(rows: Sequence[EncodedRow]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for at, row in enumerate(rows):
        example = row.sample.example
        name: object = (example.source, example.pair) if example.pair and example.side else at
        # a text that occurs twice in an epoch starts a group of its own
        while any(rows[other].sample.example.side == example.side for other in groups.get(name, ())):
            name = (name, at)
        groups.setdefault(name, []).append(at)
    return list(groups.values())


def learns_from(network: DetectorNetwork, head: str, row: EncodedRow) -> bool:
    """Return whether a head learns from, and is measured on, the corpus of a row."""
    corpora = network.plan.heads[head].corpora
    return not corpora or row.sample.part.name in corpora


def collate(
    network: DetectorNetwork, rows: Sequence[EncodedRow], *, padding: int = 0, labels: Sequence[str] = ()
) -> TrainingBatch:
    """Pad rows to the same length and add the labels of the heads named in ``labels``."""
    length = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), length), padding)
    mask = torch.zeros((len(rows), length), dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, : len(row.ids)] = torch.tensor(row.ids)
        mask[at, : len(row.ids)] = 1
    names = network.plan.features
    features = torch.tensor(feature_rows(rows, length, names)) if names else None
    targets, teacher, pairs = {}, {}, {}
    for name in labels:
        head: Any = network.heads[name]
        target = head.targets(rows, length)
        allowed = torch.tensor([float(learns_from(network, name, row)) for row in rows])
        shape = (len(rows),) + (1,) * (target.weights.dim() - 1)
        targets[name] = Target(target.values, target.weights * allowed.view(shape))
        if any(name in row.sample.soft for row in rows):
            teacher[name] = _teacher(name, head, rows, length)
        if found := _pairs([row if learns_from(network, name, row) else None for row in rows]):
            pairs[name] = found
    return TrainingBatch(ids, mask, features, targets, teacher, pairs)


def _teacher(name: str, head: Any, rows: Sequence[EncodedRow], length: int) -> Target:
    classes = len(head.labels)
    whole = head.level == "text"
    values = torch.zeros((len(rows), classes) if whole else (len(rows), length, classes))
    weights = torch.zeros((len(rows),) if whole else (len(rows), length))
    for at, row in enumerate(rows):
        soft = row.sample.soft.get(name)
        if soft is None:
            continue
        logits = torch.from_numpy(soft.values.astype("float32"))
        if whole:
            values[at], weights[at] = logits.reshape(-1), 1.0
            continue
        indices = {start: index for index, start in enumerate(soft.starts)}
        for subword, (start, end) in enumerate(row.offsets):
            if start < end and start in indices:
                values[at, subword], weights[at, subword] = logits[indices[start]], 1.0
    return _shape_teacher(head, values, weights)


def _shape_teacher(head: Any, values: Tensor, weights: Tensor) -> Target:
    """Return a teacher's logits in the shape that the head's soft loss expects."""
    if len(head.labels) == 1:
        return Target(values.squeeze(-1), weights)
    if head.exclusive:
        return Target(values, weights)
    return Target(values, weights.unsqueeze(-1).expand_as(values))


def _pairs(rows: Sequence[EncodedRow | None]) -> tuple[Tensor, Tensor] | None:
    places: dict[tuple[str, str], dict[str, int]] = {}
    for at, row in enumerate(rows):
        if row is None:
            continue
        example = row.sample.example
        if example.pair and (example.side == "target" or (example.side == "source" and example.label)):
            places.setdefault((example.source, example.pair), {})[example.side] = at
    both = [(found["source"], found["target"]) for found in places.values() if len(found) == 2]
    if not both:
        return None
    return torch.tensor([source for source, _ in both]), torch.tensor([target for _, target in both])


def epoch_rng(seed: int, stage: str, epoch: int) -> random.Random:
    """Return the random generator of an epoch; a resumed run gets the same one."""
    return random.Random(f"{seed}/{stage}/{epoch}")  # noqa: S311


def sample_epoch(samples: Sequence[TrainingSample], rng: random.Random) -> list[TrainingSample]:
    """Return the samples of one epoch.

    With a corpus weight of 2.5, an epoch contains each text twice and a random half of them a third time; both sides of
    a pair are sampled together.
    """
    chosen: list[TrainingSample] = []
    draws: dict[tuple[str, str], float] = {}
    for sample in samples:
        example = sample.example
        draw = draws.setdefault((example.source, example.pair or f"\0{example.id}"), rng.random())
        times = sample.part.weight * (sample.part.clean if example.label is False else 1.0)
        whole, rest = divmod(times, 1)
        chosen += [sample] * (int(whole) + (draw < rest))
    return chosen
