"""The classifier that guides mode 2: two dense layers with tanh in between, on a language model's hidden state.

Where it has learned from texts after prompts of both sides, it also knows the way from a state to its counterpart.

Its folder holds ``debiaser.safetensors`` and ``debiaser.json``, which names the model it was trained for, its training
data, and the digest of the weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unslant.core.errors import InputError, ModelError
from unslant.core.files import make_folder, read_bytes, read_json
from unslant.lab.debias.counterpart import COUNTERPART, Counterpart

_WEIGHTS, _CARD = "debiaser.safetensors", "debiaser.json"
_NAMES = ("dense.weight", "dense.bias", "out.weight", "out.bias")


@dataclass(frozen=True)
class Debiaser:
    """Predicts from a hidden state which side a text's outlet is on."""

    weight: Tensor
    """(inner, width)."""
    bias: Tensor
    """(inner,)."""
    out_weight: Tensor
    """(2, inner): left, right."""
    out_bias: Tensor
    """(2,)."""
    card: Mapping[str, Any] = field(default_factory=dict)
    counterpart: Counterpart | None = None
    """The way from a state to that of the same text after a prompt of the other side, if it was learned."""

    @property
    def width(self) -> int:
        """The width of the hidden states."""
        return int(self.weight.shape[1])

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the logits of left and right: (batch, 2)."""
        return torch.tanh(hidden @ self.weight.T + self.bias) @ self.out_weight.T + self.out_bias

    def margin(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return the log odds of right against left, (batch,), and their gradient, (batch, width)."""
        inner = torch.tanh(hidden @ self.weight.T + self.bias)
        direction = self.out_weight[1] - self.out_weight[0]
        value = inner @ direction + (self.out_bias[1] - self.out_bias[0])
        return value, ((1 - inner.square()) * direction) @ self.weight

    def to(self, device: Any) -> Debiaser:
        """Return it on another device."""
        return Debiaser(
            self.weight.to(device),
            self.bias.to(device),
            self.out_weight.to(device),
            self.out_bias.to(device),
            self.card,
            None if self.counterpart is None else self.counterpart.to(device),
        )


def save_debiaser(debiaser: Debiaser, folder: Path, card: Mapping[str, Any]) -> None:
    """Write weights and card into a folder."""
    from safetensors.torch import save

    make_folder(folder)
    tensors = (debiaser.weight, debiaser.bias, debiaser.out_weight, debiaser.out_bias)
    named = dict(zip(_NAMES, tensors, strict=True))
    if debiaser.counterpart is not None:
        named |= zip(COUNTERPART, debiaser.counterpart.tensors, strict=True)
    content = save({name: tensor.contiguous() for name, tensor in named.items()})
    (folder / _WEIGHTS).write_bytes(content)
    full = {"schema": 1, **card, "sha256": hashlib.sha256(content).hexdigest()}
    (folder / _CARD).write_text(json.dumps(full, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def load_debiaser(folder: Path, model_digest: str) -> Debiaser:
    """Read a debiaser; check its digest and that it was trained for this model."""
    from safetensors.torch import load

    try:
        card = read_json(folder / _CARD)
        content = read_bytes(folder / _WEIGHTS, max_bytes=4 << 30)
    except InputError as error:
        raise ModelError(
            f"{folder}: no debiaser found ({_CARD} and {_WEIGHTS}); train one with 'unslant train debiaser'."
        ) from error
    if not isinstance(card, dict) or card.get("sha256") != hashlib.sha256(content).hexdigest():
        raise ModelError(f"{folder}: the weights do not match the card; train the debiaser again.")
    if card.get("model_digest") != model_digest:
        raise ModelError(
            f"{folder}: this debiaser was trained for another model or precision ({card.get('model')}, "
            f"{card.get('precision', 'float32')}); train one for this model with 'unslant train debiaser'."
        )
    try:
        tensors = load(content)
        first, bias, out, out_bias = (tensors[name] for name in _NAMES)
        ways = [tensors[name] for name in COUNTERPART if name in tensors]
        counterpart = Counterpart(*ways) if ways else None
    except Exception as error:  # the errors of a damaged file are not documented
        raise ModelError(f"{folder}: {_WEIGHTS} cannot be read; train the debiaser again.") from error
    return Debiaser(first, bias, out, out_bias, card, counterpart)
