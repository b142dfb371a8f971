"""What a network says of many texts, one output a text and head."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from unslant.lab.detector.batches import collate, epoch_rng, plan_batches, taught
from unslant.lab.detector.network import Network, Trained
from unslant.lab.detector.rows import Row, Sample, encode
from unslant.neural.group_masking import GroupMask

__all__ = ["Outputs", "decide", "encode_for", "measure", "padding", "predict"]

Outputs = Mapping[str, list[Tensor]]


def encode_for(trained: Trained, samples: Sequence[Sample]) -> list[Row]:
    """Cut texts into the pieces that a network was made for."""
    plan = trained.network.plan
    return encode(trained.tokenizer, samples, plan.max_length, plan.prefix, mask=GroupMask(plan.group_masks))


@torch.no_grad()
def predict(
    trained: Trained,
    rows: Sequence[Row],
    *,
    batch: int = 64,
    tell: Callable[[int], None] | None = None,
    heads: Collection[str] | None = None,
    all_rows: bool = True,
) -> Outputs:
    """Return the logits of every row by head, in order, without padding.

    ``heads`` are the heads that are wanted. Without ``all_rows``, rows of corpora that do not teach a head have an
    empty output there: a head with many labels would fill the memory with what nobody looks at.
    """
    network = trained.network
    was_training = network.training
    network.eval()
    asked = [name for name in network.heads if heads is None or name in heads]
    found: dict[str, list[Any]] = {name: [torch.empty(0)] * len(rows) for name in asked}
    for places in plan_batches(rows, batch, rng=epoch_rng(0, "predict", 0)) if rows else ():
        some = [rows[at] for at in places]
        made = collate(network, some, padding=padding(trained))
        outputs = network(made.ids, made.mask, made.features)
        for name in asked:
            logits = outputs[name]
            piecewise = network.heads[name].level == "subword"
            for at, one in zip(places, logits, strict=True):
                if not all_rows and not taught(network, name, rows[at]):
                    continue
                found[name][at] = (one[: len(rows[at].ids)] if piecewise else one).clone()
        if tell:
            tell(len(places))
    network.train(was_training)
    return found


def padding(trained: Trained) -> int:
    """Return the id that fills a row up."""
    return int(trained.tokenizer.pad_token_id or 0)


def _own(
    network: Network, name: str, outputs: Outputs, rows: Sequence[Row]
) -> tuple[list[Tensor], list[Row]]:
    places = [at for at, row in enumerate(rows) if taught(network, name, row)]
    return [outputs[name][at] for at in places], [rows[at] for at in places]


def decide(network: Network, outputs: Outputs, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Choose calibration and thresholds of every head that has labels there."""
    found = {}
    for name, head in network.heads.items():
        decision = head.decide(*_own(network, name, outputs, rows))  # type: ignore[operator]
        if decision:
            found[name] = decision
    return found


def measure(
    network: Network, outputs: Outputs, rows: Sequence[Row], decisions: Mapping[str, Mapping[str, Any]]
) -> dict[str, float]:
    """Return ``head.figure`` for every head that has labels there."""
    figures: dict[str, float] = {}
    for name, head in network.heads.items():
        own = _own(network, name, outputs, rows)
        found = head.measure(*own, decisions.get(name, {}))  # type: ignore[operator]
        figures.update({f"{name}.{figure}": value for figure, value in found.items()})
    return figures
