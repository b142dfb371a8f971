"""Steering vectors: what sets statements of the left apart from those of the right in a model's layers, taken out.

The vector of a layer is the difference of the mean hidden states of matched statements. Adding it would move every text
to the same side, whatever it is about. To bring the sides together, the part of each hidden state that lies along the
vector is moved to the midpoint of both sides instead:

    h' = h - strength · ((h - m) · v) v        with v of length 1 and m the midpoint

Strength 0 changes nothing, 1 leaves nothing of the difference, 2 exchanges the sides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from unslant.core.errors import ConfigError, ModelError
from unslant.lab.lm.causal import CausalModel

STATEMENTS = 400
"""The number of pairs that a vector is learned from, unless more are given."""
_TOKENS = 48


@dataclass(frozen=True, slots=True)
class SteeringVectors:
    """The directions of all layers."""

    directions: Tensor
    """From right to left, each of length 1: (layers, width)."""
    midpoints: Tensor
    """Where both sides are equally near: (layers, width)."""
    gaps: Tensor
    """How far apart the sides are, in standard deviations along the direction: (layers)."""

    def best_layer(self) -> int:
        """Return the layer in whose hidden states the sides are farthest apart."""
        return int(self.gaps.argmax())

    def digest(self) -> str:
        """Return a digest of all directions and midpoints."""
        total = hashlib.sha256()
        for tensor in (self.directions, self.midpoints):
            total.update(tensor.contiguous().numpy().tobytes())
        return total.hexdigest()


def layers_of(model: CausalModel) -> Sequence[torch.nn.Module]:
    """Return the layers of a model, the first one first."""
    count = getattr(model.model.config, "num_hidden_layers", None)
    for module in model.model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return list(module)
    raise ModelError(f"{model.name}: its layers cannot be found, so it cannot be steered; use another model.")


def learn_vectors(model: CausalModel, left: Sequence[str], right: Sequence[str]) -> SteeringVectors:
    """Return the vectors of a model from matched statements of both sides."""
    if not left or len(left) != len(right):
        raise ConfigError(
            "a steering vector needs as many statements of the left as of the right, and at least one"
        )
    sides = [_means(model, texts) for texts in (left, right)]  # (texts, layers, width) each
    gap = sides[0].mean(0) - sides[1].mean(0)
    directions = gap / gap.norm(dim=1, keepdim=True).clamp(min=1e-12)
    apart = [(side * directions).sum(2) for side in sides]  # (texts, layers) each
    spread = torch.cat([one - one.mean(0) for one in apart]).std(0).clamp(min=1e-12)
    return SteeringVectors(directions, (sides[0].mean(0) + sides[1].mean(0)) / 2, gap.norm(dim=1) / spread)


@torch.no_grad()
def _means(model: CausalModel, texts: Sequence[str]) -> Tensor:
    """Return the mean hidden state of each text after each layer."""
    found = []
    for text in texts:
        seen: list[Tensor] = []
        with ExitStack() as hooks:
            for layer in layers_of(model):
                hooks.enter_context(_hooked(layer, seen.append))
            ids = model.encode(text)[:_TOKENS]
            model.model(input_ids=torch.tensor([ids], device=model.head.weight.device), use_cache=False)
        found.append(torch.stack([state[0].float().mean(0).cpu() for state in seen]))
    return torch.stack(found)


@contextmanager
def _hooked(layer: torch.nn.Module, change: Callable[[Tensor], Tensor | None]) -> Iterator[None]:
    """Let ``change`` see the hidden states that a layer returns, and replace them unless it returns None."""

    def hook(_: torch.nn.Module, __: Any, returned: Any) -> Any:
        state = returned[0] if isinstance(returned, tuple) else returned
        changed = change(state)
        if changed is None:
            return None
        return (changed, *returned[1:]) if isinstance(returned, tuple) else changed

    handle = layer.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def steer_state(state: Tensor, direction: Tensor, midpoint: Tensor, strength: float) -> Tensor:
    """Return hidden states whose part along a direction is moved towards the midpoint: (…, width)."""
    along = ((state.float() - midpoint) @ direction)[..., None] * direction
    return (state.float() - strength * along).to(state.dtype)


@contextmanager
def steered(model: CausalModel, vectors: SteeringVectors, layer: int, strength: float) -> Iterator[None]:
    """Steer a model after one of its layers, as long as the context lasts."""
    layers = layers_of(model)
    if not 0 <= layer < len(layers):
        raise ConfigError(f"there is no layer {layer}; {model.name} has layers 0 to {len(layers) - 1}.")
    device = model.head.weight.device
    direction, midpoint = vectors.directions[layer].to(device), vectors.midpoints[layer].to(device)
    with _hooked(layers[layer], lambda state: steer_state(state, direction, midpoint, strength)):
        yield
