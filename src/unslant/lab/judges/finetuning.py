"""Tunes all weights of an encoder to tell the sides apart; a judge's head is then trained on it as on any other."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.example import Example
from unslant.core.files import make_folder
from unslant.lab.judges.encoder import SentenceEncoder, prepare_text
from unslant.lab.judges.fitting import Articles, JudgeSettings

__all__ = ["Finetuning", "finetune_encoder"]


@dataclass(frozen=True, slots=True)
class Finetuning:
    """How an encoder is tuned."""

    epochs: int = 2
    batch: int = 16
    rate: float = 5e-5
    seed: int = 0


def finetune_encoder(
    name: str,
    examples: Sequence[Example],
    out: Path,
    progress: Callable[[str, int, int], None] | None = None,
    tuning: Finetuning | None = None,
) -> Path:
    """Tune an encoder on articles of the left and the right, write it to a folder, and return the folder."""
    tuning = tuning or Finetuning()
    encoder = SentenceEncoder(name)
    import torch

    articles = Articles.of(examples, JudgeSettings())
    texts = [prepare_text(example.text, example.outlet or "", masked=True) for example in articles.examples]
    weights = articles.weights() * len(texts)
    with torch.random.fork_rng():
        torch.manual_seed(tuning.seed)
        head = torch.nn.Linear(encoder.width, 1)
        parameters = [*encoder.model.parameters(), *head.parameters()]
        adam = torch.optim.AdamW(parameters, lr=tuning.rate, weight_decay=0.01)
        order = [at for epoch in range(tuning.epochs) for at in _shuffled(len(texts), tuning.seed + epoch)]
        encoder.model.train()
        for start in range(0, len(order), tuning.batch):
            part = order[start : start + tuning.batch]
            for group in adam.param_groups:
                group["lr"] = tuning.rate * (1 - start / len(order))
            adam.zero_grad()
            logits = head(encoder.means([texts[at] for at in part]) * encoder.width**0.5)[:, 0]
            labels = torch.tensor([float(articles.labels[at]) for at in part])
            weight = torch.tensor([float(weights[at]) for at in part])
            loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, weight)
            loss.backward()
            adam.step()
            if progress is not None:
                progress("tuning the encoder", min(start + tuning.batch, len(order)), len(order))
    encoder.model.eval()
    make_folder(out)
    encoder.save(out)
    return out


def _shuffled(count: int, seed: int) -> list[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    return order
