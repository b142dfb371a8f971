"""What a stage minimises: the losses of its heads, of the teacher, of pairs and of counterfactual copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from unslant.lab.detector.batches import Batch
from unslant.lab.detector.losses import consistency_loss, pair_loss
from unslant.lab.detector.network import Network
from unslant.lab.detector.recipe import Recipe, Stage

__all__ = ["Objective"]


class Objective:
    """The weighted sum of all losses of a stage; what no label of the batch asks for is 0."""

    def __init__(self, recipe: Recipe, stage: Stage) -> None:
        self.stage = stage
        self.heads = stage.heads or tuple(recipe.heads)
        self.weights = {name: stage.weights.get(name, recipe.heads[name].weight) for name in self.heads}

    def __call__(self, network: Network, batch: Batch) -> Tensor:
        """Run the network and return one number."""
        outputs = network(batch.ids, batch.mask, batch.features)
        total = torch.zeros(())
        for name in self.heads:
            total = total + self.weights[name] * self._of_head(network.heads[name], name, outputs, batch)
        return total

    def _of_head(self, head: Any, name: str, outputs: Mapping[str, Tensor], batch: Batch) -> Tensor:
        logits = outputs[name]
        loss: Tensor = head.loss(logits, batch.targets[name])
        distill, augment = self.stage.distill, self.stage.augment
        if distill is not None and name in batch.teacher:
            loss = loss + distill.weight * head.soft_loss(logits, batch.teacher[name], distill.temperature)
        if len(head.labels) == 1 and head.level == "text":
            if self.stage.pairs and name in batch.pairs:
                loss = loss + self.stage.pairs * pair_loss(logits, *batch.pairs[name])
            if augment.consistency and batch.copies is not None:
                loss = loss + augment.consistency * consistency_loss(logits, *batch.copies)
        return loss
