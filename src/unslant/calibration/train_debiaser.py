"""Trains the classifier that guides mode 2, on the hidden states of the language model that it will guide.

Every fourth state of an article is an example of its own: while a text is written, the classifier is asked at every
token, not at its end. Some outlets are kept apart and tell when to stop.

It reads only the directions in which states vary most. Along the others a state can be moved without any word becoming
likelier, so a classifier that saw them could be satisfied at no price, and the text would stay as it is.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.calibration.debiaser import Debiaser
from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.corpora.news_text import TOKENS, without_press
from unslant.corpora.outlet_halves import house
from unslant.lm.causal import CausalModel

__all__ = ["Training", "resized", "train_debiaser"]

_SIDES = ("left", "right")
_EARLIEST, _STRIDE = 8, 4

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """How much is read, and how it is learned."""

    articles: int = 2000
    """Of both sides together, as many of either."""
    per_outlet: int = 300
    """No outlet gives more articles."""
    epochs: int = 20
    patience: int = 3
    rate: float = 3e-4
    decay: float = 0.05
    dropout: float = 0.2
    batch: int = 256
    seed: int = 0
    directions: int = 64
    """How many of the directions in which states vary most are read."""
    inner: int = 64
    """The width between the two layers."""


@dataclass(frozen=True, slots=True)
class _Article:
    text: str
    side: int
    outlet: str
    held: bool
    """Whether its outlet is kept apart."""


def train_debiaser(
    model: CausalModel, examples: Iterable[Example], training: Training, tell: Tell = lambda *_: None
) -> tuple[Debiaser, dict[str, Any]]:
    """Return a debiaser and what is known of it: outlets, counts, and figures on outlets that it did not see."""
    articles = _dealt(examples, training)
    states: list[Tensor] = []
    for start in range(0, len(articles), model.batch):
        part = articles[start : start + model.batch]
        states += [one[_EARLIEST::_STRIDE] for one in model.states([one.text for one in part], TOKENS)]
        tell("hidden states", len(states), len(articles))
    seen = [at for at, one in enumerate(articles) if not one.held and len(states[at])]
    kept = [at for at, one in enumerate(articles) if one.held and len(states[at])]
    debiaser, epochs = _learn(_rows(articles, states, seen), _rows(articles, states, kept), training, tell)
    about = {
        "training": asdict(training),
        "epochs": epochs,
        "outlets": sorted({articles[at].outlet for at in seen}),
        "held_out_outlets": sorted({articles[at].outlet for at in kept}),
        "articles": len(seen),
        "held_out_articles": len(kept),
        "held_out": _figures(debiaser, articles, states, kept),
    }
    return debiaser, about


def _dealt(examples: Iterable[Example], training: Training) -> list[_Article]:
    """Choose articles by a digest of their ids, as many of either side; a fifth of the outlets is kept apart."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for one in examples:
        if one.leaning in _SIDES and one.outlet:
            groups[one.leaning, house(one.outlet)].append(one)
    found: list[list[tuple[Example, bool]]] = []
    for side in _SIDES:
        outlets = {outlet: members for (of, outlet), members in groups.items() if of == side}
        held = _held(outlets)
        ranked: list[tuple[str, Example, bool]] = []
        for outlet, members in outlets.items():
            keys = sorted((_digest(str(training.seed), one.id), at) for at, one in enumerate(members))
            ranked += [(key, members[at], outlet in held) for key, at in keys[: training.per_outlet]]
        found.append([(one, apart) for _, one, apart in sorted(ranked, key=lambda row: row[0])])
    count = min(training.articles // 2, *map(len, found))
    articles = [
        _Article(without_press(one.text, one.outlet or ""), number, house(one.outlet or ""), apart)
        for number, chosen in enumerate(found)
        for one, apart in chosen[:count]
    ]
    for apart in (False, True):
        if {one.side for one in articles if one.held == apart} != {0, 1}:
            raise ConfigError(
                "too few outlets to train a debiaser: either side needs one to learn from and one to be tested on."
            )
    return articles


def _held(outlets: Mapping[str, Sequence[Example]]) -> set[str]:
    """Return the outlets of a side that are kept apart: a fifth, by a digest of their names, never the largest."""
    largest = max(outlets, key=lambda outlet: (len(outlets[outlet]), outlet), default="")
    others = sorted(outlets.keys() - {largest}, key=lambda outlet: _digest("held", outlet))
    return set(others[: max(1, len(outlets) // 5)])


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _rows(
    articles: Sequence[_Article], states: Sequence[Tensor], chosen: Sequence[int]
) -> tuple[Tensor, Tensor]:
    labels = [torch.full((len(states[at]),), articles[at].side) for at in chosen]
    return torch.cat([states[at] for at in chosen]), torch.cat(labels)


def _learn(
    seen: tuple[Tensor, Tensor], kept: tuple[Tensor, Tensor], training: Training, tell: Tell
) -> tuple[Debiaser, int]:
    """Train until the loss on outlets kept apart no longer falls; return the best and its epoch."""
    mean, axes = _directions(seen[0], training.directions)
    inputs = (seen[0] - mean) @ axes.T
    with torch.random.fork_rng():
        torch.manual_seed(training.seed)
        net = nn.Sequential(
            nn.Dropout(training.dropout),
            nn.Linear(len(axes), training.inner),
            nn.Tanh(),
            nn.Dropout(training.dropout),
            nn.Linear(training.inner, 2),
        )
        adam = torch.optim.AdamW(net.parameters(), lr=training.rate, weight_decay=training.decay)
        best: tuple[float, int, Debiaser] | None = None
        for epoch in range(1, training.epochs + 1):
            net.train()
            for rows in torch.randperm(len(inputs)).split(training.batch):
                adam.zero_grad()
                cross_entropy(net(inputs[rows]), seen[1][rows]).backward()
                adam.step()
            debiaser = _folded(net, mean, axes)
            loss = float(cross_entropy(debiaser.logits(kept[0]), kept[1]))
            tell("epochs", epoch, training.epochs)
            if best is None or loss < best[0]:
                best = (loss, epoch, debiaser)
            elif epoch - best[1] >= training.patience:
                break
    assert best is not None  # noqa: S101  # there is at least one epoch
    return best[2], best[1]


def _directions(states: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the mean state and the directions of most variance, each scaled to a spread of 1: (count, width)."""
    mean = states.mean(0)
    centered = states - mean
    values, vectors = torch.linalg.eigh((centered.T @ centered / len(states)).double())
    count = min(count, len(values))
    chosen, spread = vectors[:, -count:].T, values[-count:].clamp(min=1e-8).sqrt()
    return mean, (chosen / spread[:, None]).float().contiguous()


def _folded(net: nn.Sequential, mean: Tensor, axes: Tensor) -> Debiaser:
    """Return the layers with the choice of directions inside the first, so that there are two and no more."""
    first, out = net[1], net[4]
    weight = first.weight.detach() @ axes
    return Debiaser(
        weight, first.bias.detach() - weight @ mean, out.weight.detach().clone(), out.bias.detach().clone()
    )


def _figures(
    debiaser: Debiaser, articles: Sequence[_Article], states: Sequence[Tensor], chosen: Sequence[int]
) -> dict[str, float]:
    """Return how often the side is told right, by token and by article (the mean of its log odds)."""
    right = total = whole = 0
    for at in chosen:
        margins = debiaser.margin(states[at])[0]
        side = articles[at].side
        right += int(((margins > 0) == bool(side)).sum())
        total += len(margins)
        whole += int((margins.mean() > 0) == bool(side))
    return {"token_accuracy": right / max(total, 1), "article_accuracy": whole / max(len(chosen), 1)}


def resized(training: Training, articles: int | None, seed: int | None) -> Training:
    """Return the training with what the user asked for in place of the defaults."""
    changes = {"articles": articles, "seed": seed}
    return replace(training, **{name: value for name, value in changes.items() if value is not None})  # type: ignore[arg-type]
