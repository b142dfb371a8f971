"""Tunes a causal language model on prompts and their continuations, by low-rank changes of its upper layers (LoRA).

A layer's weight W becomes W + B·A with two thin matrices, which alone are trained; at the end they are added to the
weights, so that the result is an ordinary model. Training is resumable: the matrices, Adam's moments and the step are
kept as safetensors, and the examples of a step depend on nothing but its number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, softplus

from unslant.core.errors import ModelError
from unslant.core.files import make_folder, read_bytes, write_atomic
from unslant.lab.lm.causal import CausalModel

_STATE = "tuning.safetensors"
_IGNORED = -100


@dataclass(frozen=True, slots=True)
class TuningExample:
    """A prompt and what should follow it; only the continuation is learned."""

    prompt: str
    continuation: str
    other: str | None = None
    """A prompt after which the continuation should be less likely than after this one."""
    chat: bool = False
    """Whether the prompts are user messages in the model's chat template."""
    instead: str | None = None
    """A continuation that should be less likely here, by the first token in which it differs from the right one."""


Batch = Sequence[TuningExample]


@dataclass(frozen=True, slots=True)
class Tuning:
    """How a model is tuned."""

    steps: int = 120
    batch: int = 8
    rate: float = 3e-3
    """The learning rate, which rises over the first tenth of the steps and then falls to 0."""
    rank: int = 16
    """The width of the two thin matrices."""
    upper: float = 0.5
    """The share of the layers, from the top, that are changed."""
    tokens: int = 36
    """The most tokens of a prompt and its continuation together."""
    save_every: int = 20
    """The number of steps between checkpoints."""
    contrast: float = 1.0
    """The weight of telling an example's prompt from the other one by the continuation. Without it, the prompt is soon
    ignored: which of two sets a text is from is worth log 2 for the whole text, most of it in its first words."""


class _Adapter(nn.Module):
    """The low-rank change of one layer."""

    def __init__(self, layer: nn.Module, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        self.transposed = not isinstance(layer, nn.Linear)  # GPT-2's layers keep (in, out)
        weight: Any = layer.weight
        outside, inside = weight.shape[::-1] if self.transposed else weight.shape
        self.down = nn.Parameter(torch.randn(rank, inside, generator=generator) / inside**0.5)
        self.up = nn.Parameter(torch.zeros(outside, rank))

    def change(self, _: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> Tensor:
        """Add the change to what the layer returns."""
        low = given[0] @ self.down.T.to(given[0].dtype)
        return out + low @ self.up.T.to(out.dtype)

    def merge(self, weight: Tensor) -> Tensor:
        """Return the weight with the change added, in 32 bits."""
        delta = self.up @ self.down
        return weight.float() + (delta.T if self.transposed else delta)


def tune(
    model: CausalModel,
    examples: Callable[[int], Batch],
    tuning: Tuning,
    folder: Path,
    progress: Callable[[int, int, float], None] = lambda *_: None,
) -> list[float]:
    """Tune a model in place, to 32 bits, and return the loss of every step; ``folder`` keeps unfinished work.

    ``examples`` gives the batch of a step by its number.
    """
    adapters = _adapters(model.model, tuning)
    adam = torch.optim.AdamW(
        [parameter for adapter in adapters.values() for parameter in adapter.parameters()],
        lr=tuning.rate,
        weight_decay=0.0,
    )
    losses = _resume(folder, adapters, adam)
    handles = [layer.register_forward_hook(adapter.change) for layer, adapter in adapters.items()]
    model.model.requires_grad_(False)
    try:
        for step in range(len(losses), tuning.steps):
            for group in adam.param_groups:
                group["lr"] = tuning.rate * _schedule(step, tuning.steps)
            adam.zero_grad()
            loss = _loss(model, examples(step), tuning)
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
            losses.append(float(loss.detach()))
            progress(step + 1, tuning.steps, losses[-1])
            if (step + 1) % tuning.save_every == 0:
                _save(folder, adapters, adam, losses)
    finally:
        for handle in handles:
            handle.remove()
    _merge(model, adapters)
    return losses


def _schedule(step: int, steps: int) -> float:
    rise = max(1, steps // 10)
    return min((step + 1) / rise, (steps - step) / max(1, steps - rise))


def _adapters(network: Any, tuning: Tuning) -> dict[nn.Module, _Adapter]:
    """Return an adapter for every weight matrix of the upper layers, in the order of their names."""
    lists = [part for part in network.modules() if isinstance(part, nn.ModuleList) and len(part) > 1]
    if not lists:
        raise ModelError("this model has no list of layers, so it cannot be tuned.")
    layers = max(lists, key=len)
    first = min(len(layers) - 1, round(len(layers) * (1 - tuning.upper)))
    generator = torch.Generator().manual_seed(0)
    return {
        part: _Adapter(part, tuning.rank, generator)
        for layer in layers[first:]
        for _, part in sorted(layer.named_modules())
        if type(part).__name__ in ("Linear", "Conv1D")
    }


def _loss(model: CausalModel, batch: Batch, tuning: Tuning) -> Tensor:
    """Return the mean negative log probability of the continuations' tokens, and the contrasts."""
    rows: list[tuple[list[int], list[int]]] = []
    others: list[tuple[list[int], list[int]]] = []
    places: list[int] = []
    forks: list[tuple[int, int, int, int]] = []
    for place, item in enumerate(batch):
        before = model.encode(item.prompt, chat=item.chat)
        other = model.encode(item.other, chat=item.chat) if tuning.contrast and item.other else []
        after = _tokens(model, item.continuation)[: max(1, tuning.tokens - max(len(before), len(other)))]
        rows.append((before, after))
        if other:
            others.append((other, after))
            places.append(place)
        if tuning.contrast and item.instead is not None:
            forks += _fork(place, len(before), after, _tokens(model, item.instead))
    rows += others
    ids, labels = _pad(rows)
    wanted = labels[:, 1:].to(model.head.weight.device)
    kept = wanted != _IGNORED
    logits = _logits(model, ids, kept)  # (learned tokens, vocabulary)
    costs = cross_entropy(logits, wanted[kept], reduction="none")
    of_row, column = kept.nonzero().T
    loss = costs[of_row < len(batch)].mean()
    if others:
        sums = torch.zeros(len(rows), device=costs.device).index_add(0, of_row, costs)
        loss = loss + tuning.contrast * softplus(sums[places] - sums[len(batch) :]).mean()
    if forks:
        at = {
            place: number for number, place in enumerate(zip(of_row.tolist(), column.tolist(), strict=True))
        }
        found = torch.stack([logits[at[row, place], [right, wrong]] for row, place, right, wrong in forks])
        loss = loss + tuning.contrast * softplus(found[:, 1] - found[:, 0]).mean()
    return loss


def _logits(model: CausalModel, ids: Tensor, kept: Tensor) -> Tensor:
    """Return the logits at some places, (places, vocabulary); those of all tokens would take a third of the time."""

    def select(_: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor]:
        return (given[0][:, :-1][kept][None],)

    with model.head.register_forward_pre_hook(select):
        found: Tensor = model.model(input_ids=ids.to(kept.device), use_cache=False).logits
    return found[0].float()


def _tokens(model: CausalModel, continuation: str) -> list[int]:
    return [int(token) for token in model.tokenizer(continuation, add_special_tokens=False)["input_ids"]]


def _fork(row: int, start: int, right: list[int], wrong: list[int]) -> list[tuple[int, int, int, int]]:
    """Return the row and place before the first token in which two continuations differ, and both tokens."""
    for at, (wanted, unwanted) in enumerate(zip(right, wrong, strict=False)):
        if wanted != unwanted:
            return [(row, start + at - 1, wanted, unwanted)]
    return []


def _pad(rows: Sequence[tuple[list[int], list[int]]]) -> tuple[Tensor, Tensor]:
    """Return the tokens of prompts and continuations, and the tokens to be learned."""
    longest = max(len(before) + len(after) for before, after in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    labels = torch.full((len(rows), longest), _IGNORED)
    for row, (before, after) in enumerate(rows):
        # padding is on the right, where no token of the text can see it
        ids[row, : len(before) + len(after)] = torch.tensor(before + after)
        labels[row, len(before) : len(before) + len(after)] = torch.tensor(after)
    return ids, labels


def _merge(model: CausalModel, adapters: dict[nn.Module, _Adapter]) -> None:
    """Add the changes to the weights; in 32 bits, because half precision would round most of a change away."""
    model.model.float()
    with torch.no_grad():
        for layer, adapter in adapters.items():
            layer.weight.copy_(adapter.merge(layer.weight))  # type: ignore[operator,union-attr,arg-type]


def _state(adapters: dict[nn.Module, _Adapter], adam: torch.optim.AdamW) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for at, adapter in enumerate(adapters.values()):
        for name, parameter in adapter.named_parameters():
            found[f"{at}.{name}"] = parameter.detach()
            for moment, value in adam.state.get(parameter, {}).items():
                found[f"{at}.{name}.{moment}"] = value.detach().clone()
    return found


def _save(
    folder: Path, adapters: dict[nn.Module, _Adapter], adam: torch.optim.AdamW, losses: list[float]
) -> None:
    from safetensors.torch import save

    make_folder(folder)
    write_atomic(folder / _STATE, save({**_state(adapters, adam), "losses": torch.tensor(losses)}))


def _resume(folder: Path, adapters: dict[nn.Module, _Adapter], adam: torch.optim.AdamW) -> list[float]:
    """Load unfinished work, if there is any, and return its losses."""
    from safetensors.torch import load

    path = folder / _STATE
    if not path.exists():
        return []
    try:
        kept = load(read_bytes(path, max_bytes=8 << 30))
        for at, adapter in enumerate(adapters.values()):
            for name, parameter in adapter.named_parameters():
                parameter.data.copy_(kept[f"{at}.{name}"])
                moments = ("step", "exp_avg", "exp_avg_sq")
                adam.state[parameter] = {moment: kept[f"{at}.{name}.{moment}"] for moment in moments}
        return [float(loss) for loss in kept["losses"]]
    except Exception as error:  # what a damaged file raises is not documented
        raise ModelError(f"{path}: cannot be continued; remove the file to start again.") from error
