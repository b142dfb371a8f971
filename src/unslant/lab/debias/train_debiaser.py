"""Trains the classifier that guides mode 2, on the hidden states of the language model that it will guide.

States within an article are examples of their own, because during generation the classifier is asked at every
token, not only at the end. Some outlets are held out for early stopping.

The side of an outlet says little about a single token, and a few outlets say little about others. An optional teacher
helps: a judge that was trained on articles of many more outlets and estimates how likely a few words come from the
right. The debiaser then learns to predict, from a state, the teacher's probability for the words around it.

It uses only the directions in which states vary most. Along the others a state can be moved without changing the
probability of any word, so a classifier that used them could be satisfied without any change of the text.

What a model wrote after a prompt of one side can be read again after the same prompt of the other side. The debiaser
then learns from both, so that nothing but the prompt tells the sides apart, and learns the way from the one state to
the other as well (``counterpart.py``).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.corpora.outlets import TOKENS, normalize_outlet, strip_outlet_names
from unslant.lab.debias.counterpart import fit_counterpart
from unslant.lab.debias.debiaser import Debiaser
from unslant.lab.lm.causal import CausalModel

_SIDES = ("left", "right")
_EARLIEST = 8

_BEFORE, _AFTER = 12, 12
"""The number of tokens around a state that the teacher judges."""
_STEEP = 1.5
"""The target log odds for words that the teacher puts one standard deviation from the mean."""

Progress = Callable[[str, int, int], None]
Teacher = Callable[[Sequence[str]], Sequence[float | None]]
"""Returns how likely each text is of the right; None for a text without a known word."""


@dataclass(frozen=True, slots=True)
class DebiaserTraining:
    """How a debiaser is trained."""

    articles: int = 2000
    """The number of articles, half of them of either side."""
    per_outlet: int = 300
    """The most articles of one outlet."""
    epochs: int = 60
    """The most epochs; it ends when held-out outlets gain no more for ``patience`` of them."""
    patience: int = 3
    rate: float = 3e-4
    decay: float = 0.05
    dropout: float = 0.2
    batch: int = 256
    seed: int = 0
    directions: int = 64
    """The number of directions of most variance to use."""
    inner: int = 64
    """The width of the hidden layer."""
    stride: int = 4
    """Every n-th state becomes an example, because neighbouring states are alike."""


@dataclass(frozen=True, slots=True)
class _Article:
    text: str
    side: int
    outlet: str
    held_out: bool
    """Whether its outlet is held out."""
    prompt: str | None = None
    """What a model was given, if it wrote the rest; the debiaser will be asked from its last token on."""
    other: str | None = None
    """The same text after the same prompt of the other side."""
    other_prompt: str | None = None


def train_debiaser(
    model: CausalModel,
    examples: Iterable[Example],
    training: DebiaserTraining,
    progress: Progress = lambda *_: None,
    teach: Callable[[Sequence[Example]], Teacher] | None = None,
) -> tuple[Debiaser, dict[str, Any]]:
    """Return a debiaser and its card: outlets, counts, and figures on held-out outlets.

    ``teach`` trains a teacher on articles; it gets none of the held-out outlets.
    """
    examples = [example for example in examples if example.leaning in _SIDES and example.outlet]
    articles = _select_articles(examples, training)
    states: list[Tensor] = []
    for start in range(0, len(articles), model.batch):
        part = articles[start : start + model.batch]
        texts = [article.text for article in part]
        states += [
            found[_first_state(model, article) :: training.stride]
            for article, found in zip(part, model.states(texts, TOKENS), strict=True)
        ]
        progress("hidden states", len(states), len(articles))
    seen = [at for at, article in enumerate(articles) if not article.held_out and len(states[at])]
    held_out = [at for at, article in enumerate(articles) if article.held_out and len(states[at])]
    targets = [torch.full((len(found),), float(articles[at].side)) for at, found in enumerate(states)]
    if teach is not None:
        unseen = {article.outlet for article in articles if article.held_out}
        teacher = teach(
            [example for example in examples if normalize_outlet(example.outlet or "") not in unseen]
        )
        targets = _ask_teacher(model, articles, teacher, seen, training.stride)
    pairs = _read_counterparts(model, articles, states, training, progress)
    debiaser, epochs = _fit(
        _with_counterparts(targets, states, pairs, seen),
        _with_counterparts(targets, states, pairs, held_out),
        training,
        progress,
    )
    about: dict[str, Any] = {
        "training": asdict(training),
        "taught_by": "the sides of outlets" if teach is None else "a teacher of words",
        "epochs": epochs,
        "outlets": sorted({articles[at].outlet for at in seen}),
        "held_out_outlets": sorted({articles[at].outlet for at in held_out}),
        "articles": len(seen),
        "held_out_articles": len(held_out),
        "held_out": _accuracies(debiaser, articles, states, held_out)
        | {"agreement": _agreement(debiaser, targets, states, held_out)},
    }
    if pairs:
        progress("the way to the other side", 0, 1)
        known, unknown = (_pairs_of(states, pairs, chosen) for chosen in (seen, held_out))
        counterpart, share = fit_counterpart(known, unknown, training.epochs, training.seed)
        debiaser = replace(debiaser, counterpart=counterpart)
        about["held_out"]["way_explained"] = share
    return debiaser, about


def _read_counterparts(
    model: CausalModel,
    articles: Sequence[_Article],
    states: Sequence[Tensor],
    training: DebiaserTraining,
    progress: Progress,
) -> dict[int, Tensor]:
    """Return the states of the same texts after the other side's prompts, by the place of the article."""
    chosen = [at for at, article in enumerate(articles) if article.other and len(states[at])]
    found: dict[int, Tensor] = {}
    for start in range(0, len(chosen), model.batch):
        part = chosen[start : start + model.batch]
        read = model.states([articles[at].other or "" for at in part], TOKENS)
        for at, rows in zip(part, read, strict=True):
            first = len(model.encode(articles[at].other_prompt or "")) - 1
            rows = rows[first :: training.stride]
            if len(rows) == len(states[at]):  # else the text was cut, or its tokens differ
                found[at] = rows
        progress("hidden states after the other prompt", start + len(part), len(chosen))
    return found


def _with_counterparts(
    targets: Sequence[Tensor], states: Sequence[Tensor], pairs: Mapping[int, Tensor], chosen: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """Return states and targets; a counterpart is of the other side."""
    inputs, right = _rows(targets, states, chosen)
    others = [at for at in chosen if at in pairs]
    if not others:
        return inputs, right
    return (
        torch.cat([inputs, *(pairs[at] for at in others)]),
        torch.cat([right, *(1 - targets[at] for at in others)]),
    )


def _pairs_of(
    states: Sequence[Tensor], pairs: Mapping[int, Tensor], chosen: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """Return states and their counterparts, in both directions."""
    own = [states[at] for at in chosen if at in pairs]
    other = [pairs[at] for at in chosen if at in pairs]
    return torch.cat([*own, *other]), torch.cat([*other, *own])


def _ask_teacher(
    model: CausalModel, articles: Sequence[_Article], teacher: Teacher, seen: Sequence[int], stride: int
) -> list[Tensor]:
    """Return the teacher's probabilities for the words around each state, standardized in log odds."""
    found: list[Tensor] = []
    for article in articles:
        ids = model.encode(article.text)[:TOKENS]
        places = range(_first_state(model, article), len(ids), stride)
        words = [model.tokenizer.decode(ids[max(0, at - _BEFORE) : at + 1 + _AFTER]) for at in places]
        chances = [0.5 if chance is None else chance for chance in teacher(words)]
        found.append(torch.tensor(chances).clamp(1e-4, 1 - 1e-4).logit())
    learned = torch.cat([found[at] for at in seen])
    spread = float(learned.std().clamp(min=1e-6))
    return [torch.sigmoid(_STEEP * (logits - learned.mean()) / spread) for logits in found]


def _select_articles(examples: Iterable[Example], training: DebiaserTraining) -> list[_Article]:
    """Choose articles by a digest of their ids, half of either side; a fifth of the outlets is held out."""
    groups: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for example in examples:
        if example.leaning in _SIDES and example.outlet:
            groups[example.leaning, normalize_outlet(example.outlet)].append(example)
    found: list[list[tuple[Example, bool]]] = []
    for side in _SIDES:
        outlets = {outlet: members for (of, outlet), members in groups.items() if of == side}
        held_out = _choose_held_out(outlets, training.per_outlet)
        ranked: list[tuple[str, Example, bool]] = []
        for outlet, members in outlets.items():
            keys = sorted((_digest(str(training.seed), example.id), at) for at, example in enumerate(members))
            # by another digest than the one that selected them, or the largest outlets would come first
            ranked += [
                (_digest("order", str(training.seed), members[at].id), members[at], outlet in held_out)
                for _, at in keys[: training.per_outlet]
            ]
        found.append([(example, apart) for _, example, apart in sorted(ranked, key=lambda row: row[0])])
    count = min(training.articles // 2, *map(len, found))
    articles = [
        _article(example, number, held_out=apart)
        for number, chosen in enumerate(found)
        for example, apart in chosen[:count]
    ]
    for apart in (False, True):
        if {article.side for article in articles if article.held_out == apart} != {0, 1}:
            raise ConfigError(
                "too few outlets to train a debiaser: either side needs at least one for training and one for testing."
            )
    return articles


def _article(example: Example, side: int, *, held_out: bool) -> _Article:
    """Return an article without the names of the press; what a model wrote stays as it was, after its prompt."""
    prompt, outlet = str(example.extra.get("prompt") or ""), example.outlet or ""
    if prompt and example.text.startswith(prompt):
        name, other = normalize_outlet(outlet), str(example.extra.get("other_prompt") or "")
        read = f"{other}{example.text[len(prompt) :]}" if other else None
        return _Article(example.text, side, name, held_out, prompt, read, other or None)
    return _Article(strip_outlet_names(example.text, outlet), side, normalize_outlet(outlet), held_out)


def _first_state(model: CausalModel, article: _Article) -> int:
    return _EARLIEST if article.prompt is None else len(model.encode(article.prompt)) - 1


def _choose_held_out(outlets: Mapping[str, Sequence[Example]], most: int) -> set[str]:
    """Return the outlets of a side that are kept apart, by a digest of their names, never the largest.

    They hold a fifth of the articles, not of the outlets, because many outlets have only one or two articles. No outlet
    counts for more than ``most`` articles.
    """
    sizes = {outlet: min(len(members), most) for outlet, members in outlets.items()}
    largest = max(outlets, key=lambda outlet: (len(outlets[outlet]), outlet), default="")
    found: set[str] = set()
    for outlet in sorted(outlets.keys() - {largest}, key=lambda outlet: _digest("held", outlet)):
        if found and sum(sizes[name] for name in found) >= sum(sizes.values()) / 5:
            break
        found.add(outlet)
    return found


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _rows(
    targets: Sequence[Tensor], states: Sequence[Tensor], chosen: Sequence[int]
) -> tuple[Tensor, Tensor]:
    return torch.cat([states[at] for at in chosen]), torch.cat([targets[at] for at in chosen])


def _loss(logits: Tensor, right: Tensor) -> Tensor:
    return cross_entropy(logits, torch.stack([1 - right, right], 1))


def _fit(
    seen: tuple[Tensor, Tensor],
    held_out: tuple[Tensor, Tensor],
    training: DebiaserTraining,
    progress: Progress,
) -> tuple[Debiaser, int]:
    """Train until the loss on held-out outlets stops falling; return the best debiaser and its epoch."""
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
            debiaser = _fold_directions(net, mean, axes)
            loss = float(_loss(debiaser.logits(held_out[0]), held_out[1]))
            progress("epochs", epoch, training.epochs)
            if best is None or loss < best[0]:
                best = (loss, epoch, debiaser)
            elif epoch - best[1] >= training.patience:
                break
    assert best is not None  # noqa: S101  # there is at least one epoch
    return best[2], best[1]


def _directions(states: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the mean state and the directions of most variance, scaled to unit variance: (count, width)."""
    mean = states.mean(0)
    centered = states - mean
    values, vectors = torch.linalg.eigh((centered.T @ centered / len(states)).double())
    count = min(count, len(values))
    chosen, spread = vectors[:, -count:].T, values[-count:].clamp(min=1e-8).sqrt()
    return mean, (chosen / spread[:, None]).float().contiguous()


def _fold_directions(net: nn.Sequential, mean: Tensor, axes: Tensor) -> Debiaser:
    """Return the two layers with the projection onto the directions folded into the first."""
    first, out = cast("nn.Linear", net[1]), cast("nn.Linear", net[4])
    weight = first.weight.detach() @ axes
    return Debiaser(
        weight, first.bias.detach() - weight @ mean, out.weight.detach().clone(), out.bias.detach().clone()
    )


def _accuracies(
    debiaser: Debiaser, articles: Sequence[_Article], states: Sequence[Tensor], chosen: Sequence[int]
) -> dict[str, float]:
    """Return the balanced accuracy by token and by article (by the mean of its log odds).

    Both sides count the same; otherwise always predicting the larger side would look accurate.
    """
    tokens: tuple[list[float], list[float]] = ([], [])
    whole: tuple[list[float], list[float]] = ([], [])
    for at in chosen:
        margins, side = debiaser.margin(states[at])[0], articles[at].side
        tokens[side].extend(((margins > 0) == bool(side)).float().tolist())
        whole[side].append(float((margins.mean() > 0) == bool(side)))
    return {"token_accuracy": _balanced(tokens), "article_accuracy": _balanced(whole)}


def _balanced(sides: Sequence[Sequence[float]]) -> float:
    return sum(sum(correct) / max(len(correct), 1) for correct in sides) / len(sides)


def _agreement(
    debiaser: Debiaser, targets: Sequence[Tensor], states: Sequence[Tensor], chosen: Sequence[int]
) -> float:
    """Return the correlation of its log odds with its targets, over the states of the chosen articles."""
    inputs, right = _rows(targets, states, chosen)
    pairs = torch.stack([debiaser.margin(inputs)[0], right.clamp(1e-4, 1 - 1e-4).logit()])
    return float(torch.corrcoef(pairs)[0, 1].nan_to_num())
