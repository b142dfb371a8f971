"""Trains the classifier that guides mode 2, on the hidden states of the language model that it will guide.

Every fourth state of an article is an example of its own: while a text is written, the classifier is asked at every
token, not at its end. Some outlets are kept apart and tell when to stop.

The side of an outlet says little of any one token, and a few outlets say little of others. So a teacher can be given:
something that has read whole articles of many more and says how likely some words are those of the right. The debiaser
then learns to foresee, from a state, what the teacher says of the words around it.

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

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.corpora.outlets import TOKENS, normalize_outlet, strip_outlet_names
from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.lm.causal import CausalModel

__all__ = ["Training", "resized", "train_debiaser"]

_SIDES = ("left", "right")
_EARLIEST, _STRIDE = 8, 4

_BEFORE, _AFTER = 12, 12
"""The tokens around a state that the teacher is asked about."""
_STEEP = 1.5
"""How sure the debiaser is to be of words that the teacher finds one standard deviation off the middle, in log odds."""

Tell = Callable[[str, int, int], None]
Teacher = Callable[[Sequence[str]], Sequence[float | None]]
"""Says how likely each of some texts is of the right; None where it knows no word."""


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
    model: CausalModel,
    examples: Iterable[Example],
    training: Training,
    tell: Tell = lambda *_: None,
    teach: Callable[[Sequence[Example]], Teacher] | None = None,
) -> tuple[Debiaser, dict[str, Any]]:
    """Return a debiaser and what is known of it: outlets, counts, and figures on outlets that it did not see.

    ``teach`` makes a teacher from articles; it is given none of the outlets that are kept apart.
    """
    examples = [one for one in examples if one.leaning in _SIDES and one.outlet]
    articles = _dealt(examples, training)
    states: list[Tensor] = []
    for start in range(0, len(articles), model.batch):
        part = articles[start : start + model.batch]
        states += [one[_EARLIEST::_STRIDE] for one in model.states([one.text for one in part], TOKENS)]
        tell("hidden states", len(states), len(articles))
    seen = [at for at, one in enumerate(articles) if not one.held and len(states[at])]
    kept = [at for at, one in enumerate(articles) if one.held and len(states[at])]
    told = [torch.full((len(one),), float(articles[at].side)) for at, one in enumerate(states)]
    if teach is not None:
        apart = {one.outlet for one in articles if one.held}
        teacher = teach([one for one in examples if normalize_outlet(one.outlet or "") not in apart])
        told = _lessons(model, articles, teacher, seen)
    debiaser, epochs = _learn(_rows(told, states, seen), _rows(told, states, kept), training, tell)
    about = {
        "training": asdict(training),
        "taught_by": "the sides of outlets" if teach is None else "a teacher of words",
        "epochs": epochs,
        "outlets": sorted({articles[at].outlet for at in seen}),
        "held_out_outlets": sorted({articles[at].outlet for at in kept}),
        "articles": len(seen),
        "held_out_articles": len(kept),
        "held_out": _figures(debiaser, articles, states, kept)
        | {"agreement": _agreement(debiaser, told, states, kept)},
    }
    return debiaser, about


def _lessons(
    model: CausalModel, articles: Sequence[_Article], teacher: Teacher, seen: Sequence[int]
) -> list[Tensor]:
    """Return what the teacher says of the words around each state, spread out so that there is something to learn."""
    found: list[Tensor] = []
    for one in articles:
        ids = model.encode(one.text)[:TOKENS]
        places = range(_EARLIEST, len(ids), _STRIDE)
        words = [model.tokenizer.decode(ids[max(0, at - _BEFORE) : at + 1 + _AFTER]) for at in places]
        chances = [0.5 if chance is None else chance for chance in teacher(words)]
        found.append(torch.tensor(chances).clamp(1e-4, 1 - 1e-4).logit())
    learned = torch.cat([found[at] for at in seen])
    spread = float(learned.std().clamp(min=1e-6))
    return [torch.sigmoid(_STEEP * (one - learned.mean()) / spread) for one in found]


def _dealt(examples: Iterable[Example], training: Training) -> list[_Article]:
    """Choose articles by a digest of their ids, as many of either side; a fifth of the outlets is kept apart."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for one in examples:
        if one.leaning in _SIDES and one.outlet:
            groups[one.leaning, normalize_outlet(one.outlet)].append(one)
    found: list[list[tuple[Example, bool]]] = []
    for side in _SIDES:
        outlets = {outlet: members for (of, outlet), members in groups.items() if of == side}
        held = _held(outlets, training.per_outlet)
        ranked: list[tuple[str, Example, bool]] = []
        for outlet, members in outlets.items():
            keys = sorted((_digest(str(training.seed), one.id), at) for at, one in enumerate(members))
            # by another digest than the one that chose them: else those of the largest outlets would come first
            ranked += [
                (_digest("order", str(training.seed), members[at].id), members[at], outlet in held)
                for _, at in keys[: training.per_outlet]
            ]
        found.append([(one, apart) for _, one, apart in sorted(ranked, key=lambda row: row[0])])
    count = min(training.articles // 2, *map(len, found))
    articles = [
        _Article(
            strip_outlet_names(one.text, one.outlet or ""), number, normalize_outlet(one.outlet or ""), apart
        )
        for number, chosen in enumerate(found)
        for one, apart in chosen[:count]
    ]
    for apart in (False, True):
        if {one.side for one in articles if one.held == apart} != {0, 1}:
            raise ConfigError(
                "too few outlets to train a debiaser: either side needs one to learn from and one to be tested on."
            )
    return articles


def _held(outlets: Mapping[str, Sequence[Example]], most: int) -> set[str]:
    """Return the outlets of a side that are kept apart, by a digest of their names, never the largest.

    They have a fifth of the articles, not of the names: many a name is a guest who wrote twice. No outlet counts for
    more than ``most`` articles.
    """
    sizes = {outlet: min(len(members), most) for outlet, members in outlets.items()}
    largest = max(outlets, key=lambda outlet: (len(outlets[outlet]), outlet), default="")
    found: set[str] = set()
    for outlet in sorted(outlets.keys() - {largest}, key=lambda outlet: _digest("held", outlet)):
        if found and sum(sizes[one] for one in found) >= sum(sizes.values()) / 5:
            break
        found.add(outlet)
    return found


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _rows(told: Sequence[Tensor], states: Sequence[Tensor], chosen: Sequence[int]) -> tuple[Tensor, Tensor]:
    return torch.cat([states[at] for at in chosen]), torch.cat([told[at] for at in chosen])


def _loss(logits: Tensor, right: Tensor) -> Tensor:
    return cross_entropy(logits, torch.stack([1 - right, right], 1))


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
                _loss(net(inputs[rows]), seen[1][rows]).backward()
                adam.step()
            debiaser = _folded(net, mean, axes)
            loss = float(_loss(debiaser.logits(kept[0]), kept[1]))
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
    """Return how often the side is told right, by token and by article (the mean of its log odds).

    Either side counts as much: where most articles are of one, always naming that one would seem to be knowledge.
    """
    tokens: tuple[list[float], list[float]] = ([], [])
    whole: tuple[list[float], list[float]] = ([], [])
    for at in chosen:
        margins, side = debiaser.margin(states[at])[0], articles[at].side
        tokens[side].extend(((margins > 0) == bool(side)).float().tolist())
        whole[side].append(float((margins.mean() > 0) == bool(side)))
    return {"token_accuracy": _even(tokens), "article_accuracy": _even(whole)}


def _even(sides: Sequence[Sequence[float]]) -> float:
    return sum(sum(one) / max(len(one), 1) for one in sides) / len(sides)


def _agreement(
    debiaser: Debiaser, told: Sequence[Tensor], states: Sequence[Tensor], chosen: Sequence[int]
) -> float:
    """Return the correlation of its log odds with what it was taught, over the states of articles not seen."""
    inputs, right = _rows(told, states, chosen)
    pairs = torch.stack([debiaser.margin(inputs)[0], right.clamp(1e-4, 1 - 1e-4).logit()])
    return float(torch.corrcoef(pairs)[0, 1].nan_to_num())


def resized(training: Training, articles: int | None, seed: int | None) -> Training:
    """Return the training with what the user asked for in place of the defaults."""
    changes = {"articles": articles, "seed": seed}
    return replace(training, **{name: value for name, value in changes.items() if value is not None})  # type: ignore[arg-type]
