"""Rows into batches: which rows share one, and the tensors they make."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from unslant.lab.detector.features import feature_rows
from unslant.lab.detector.losses import Target
from unslant.lab.detector.network import Network
from unslant.lab.detector.rows import Row

__all__ = ["Batch", "collate", "plan_batches", "taught"]

_POOL = 50
"""How many batches are sorted by length together: enough for little padding, few enough to stay shuffled."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one pass needs."""

    ids: Tensor
    mask: Tensor
    features: Tensor | None
    targets: Mapping[str, Target] = field(default_factory=dict)
    teacher: Mapping[str, Target] = field(default_factory=dict)
    pairs: Mapping[str, tuple[Tensor, Tensor]] = field(default_factory=dict)
    """By head: places of slanted sources and of their targets in the batch."""
    copies: tuple[Tensor, Tensor] | None = None
    """Places of texts and of their counterfactual copies in the batch."""


def plan_batches(
    rows: Sequence[Row], size: int, *, rng: random.Random, bucket: bool = True, together: bool = False
) -> list[list[int]]:
    """Return the rows of each batch, all rows once, in an order that ``rng`` decides.

    With ``together``, the sides of a pair and a text and its copy share a batch.
    """
    groups = _groups(rows) if together else [[at] for at in range(len(rows))]
    rng.shuffle(groups)
    batches: list[list[int]] = []
    pool = size * _POOL if bucket else len(groups) or 1
    for start in range(0, len(groups), pool):
        part = groups[start : start + pool]
        if bucket:
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


def _groups(rows: Sequence[Row]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    names: list[object] = []
    for at, row in enumerate(rows):
        example, copied = row.sample.example, row.sample.copy_of
        if copied is not None:
            name = names[copied]
        else:
            name = (example.source, example.pair) if example.pair and example.side else at
            # A text that is seen twice in an epoch begins a group of its own.
            while any(rows[other].sample.example.side == example.side for other in groups.get(name, ())):
                name = (name, at)
        names.append(name)
        groups.setdefault(name, []).append(at)
    return list(groups.values())


def taught(network: Network, head: str, row: Row) -> bool:
    """Say whether a head may learn from, and be measured on, a row's corpus."""
    corpora = network.plan.heads[head].corpora
    return not corpora or row.sample.part.name in corpora


def collate(network: Network, rows: Sequence[Row], *, padding: int = 0, labels: Sequence[str] = ()) -> Batch:
    """Pad rows to one length; ``labels`` names the heads whose labels are wanted."""
    length = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), length), padding)
    mask = torch.zeros((len(rows), length), dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, : len(row.ids)] = torch.tensor(row.ids)
        mask[at, : len(row.ids)] = 1
    features = _features(network, rows, length)
    targets, teacher, pairs = {}, {}, {}
    for name in labels:
        head: Any = network.heads[name]
        target = head.targets(rows, length)
        allowed = torch.tensor([float(taught(network, name, row)) for row in rows])
        shape = (len(rows),) + (1,) * (target.weights.dim() - 1)
        targets[name] = Target(target.values, target.weights * allowed.view(shape))
        if any(name in row.sample.soft for row in rows):
            teacher[name] = _teacher(name, head, rows, length)
        if found := _pairs([row if taught(network, name, row) else None for row in rows]):
            pairs[name] = found
    return Batch(ids, mask, features, targets, teacher, pairs, _copies(rows))


def _features(network: Network, rows: Sequence[Row], length: int) -> Tensor | None:
    names = network.plan.features
    return torch.tensor(feature_rows(rows, length, names)) if names else None


def _teacher(name: str, head: Any, rows: Sequence[Row], length: int) -> Target:
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
        places = {start: place for place, start in enumerate(soft.starts)}
        for piece, (start, end) in enumerate(row.offsets):
            if start < end and start in places:
                values[at, piece], weights[at, piece] = logits[places[start]], 1.0
    return _shaped(head, values, weights)


def _shaped(head: Any, values: Tensor, weights: Tensor) -> Target:
    """Give a teacher's logits the shape that the head's soft loss expects."""
    if len(head.labels) == 1:
        return Target(values.squeeze(-1), weights)
    if head.exclusive:
        return Target(values, weights)
    return Target(values, weights.unsqueeze(-1).expand_as(values))


def _pairs(rows: Sequence[Row | None]) -> tuple[Tensor, Tensor] | None:
    places: dict[tuple[str, str], dict[str, int]] = {}
    for at, row in enumerate(rows):
        if row is None or row.sample.copy_of is not None:
            continue
        example = row.sample.example
        if example.pair and (example.side == "target" or (example.side == "source" and example.label)):
            places.setdefault((example.source, example.pair), {})[example.side] = at
    both = [(found["source"], found["target"]) for found in places.values() if len(found) == 2]
    if not both:
        return None
    return torch.tensor([one for one, _ in both]), torch.tensor([other for _, other in both])


def _copies(rows: Sequence[Row]) -> tuple[Tensor, Tensor] | None:
    names = [(row.sample.example.source, row.sample.example.id) for row in rows]
    originals = {name: at for at, name in enumerate(names) if rows[at].sample.copy_of is None}
    both = [
        (originals[name], at)
        for at, name in enumerate(names)
        if rows[at].sample.copy_of is not None and name in originals
    ]
    if not both:
        return None
    return torch.tensor([one for one, _ in both]), torch.tensor([other for _, other in both])
