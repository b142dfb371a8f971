"""The detector network, an encoder with several heads, and its folder on disk.

The folder holds ``model.safetensors`` (all weights), ``network.json`` (heads, pooling, decisions), and the encoder's
configuration and tokenizer as transformers writes them. No pickle is written or read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.lab.detector.encoder import (
    load_encoder,
    load_tokenizer,
    rebuild_encoder,
    round_table,
    truncate_layers,
)
from unslant.lab.detector.heads import make_head
from unslant.lab.detector.recipe import HeadPlan, Recipe, build
from unslant.neural.group_masking import NAME_MASK, listed_masks

__all__ = [
    "DetectorNetwork",
    "NetworkPlan",
    "Trained",
    "load_trained",
    "make_network",
    "save_trained",
    "weights",
]


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """The components of a network besides its encoder."""

    heads: Mapping[str, HeadPlan]
    pooling: str = "mean"
    dropout: float = 0.1
    features: tuple[str, ...] = ()
    """The names of rule features added to the encoder output; empty for none."""
    max_length: int = 128
    prefix: str = ""
    group_masks: Mapping[str, str] = field(default_factory=dict)
    """What each masked word is read as."""
    name_mask: str = ""
    """What other names of persons are read as; nothing if they are not masked."""


class DetectorNetwork(nn.Module):
    """An encoder with heads; one forward pass returns the logits of all."""

    def __init__(self, encoder: nn.Module, plan: NetworkPlan) -> None:
        super().__init__()
        self.plan = plan
        self.precision = torch.float32
        """The precision of the encoder; set during training only."""
        self.encoder = encoder
        width = int(encoder.config.hidden_size) + len(plan.features)  # type: ignore[union-attr,arg-type]
        self.query = nn.Linear(width, 1) if plan.pooling == "attention" else None
        self.heads = nn.ModuleDict(
            {name: make_head(head, width, plan.dropout) for name, head in plan.heads.items()}
        )

    def forward(self, ids: Tensor, mask: Tensor, features: Tensor | None = None) -> dict[str, Tensor]:
        """Turn (batch, subwords) into logits by head."""
        lower = self.precision != torch.float32
        with torch.autocast(ids.device.type, self.precision, enabled=lower) if lower else nullcontext():
            out = self.encoder(input_ids=ids, attention_mask=mask)
        hidden = out.last_hidden_state.float()
        if features is not None:
            hidden = torch.cat([hidden, features], dim=-1)  # (batch, subwords, width)
        pooled = self._pool(hidden, mask)  # (batch, width)
        return {name: head(hidden, pooled) for name, head in self.heads.items()}

    def _pool(self, hidden: Tensor, mask: Tensor) -> Tensor:
        if self.plan.pooling == "first":
            return hidden[:, 0]
        shares = mask.to(hidden.dtype)
        if self.query is not None:
            scores = self.query(hidden).squeeze(-1).masked_fill(mask == 0, -1e4)
            shares = torch.softmax(scores, dim=-1) * shares
        shares = shares / shares.sum(dim=1, keepdim=True)
        return (hidden * shares.unsqueeze(-1)).sum(dim=1)

    def reset_heads(self) -> None:
        """Reinitialize the heads, but not the encoder."""
        for part in (self.heads, self.query):
            for module in part.modules() if part is not None else ():
                if isinstance(module, nn.Linear):
                    module.reset_parameters()


@dataclass(frozen=True, slots=True)
class Trained:
    """A network with its tokenizer and the decisions made on development data."""

    network: DetectorNetwork
    tokenizer: Any
    decisions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Calibration and thresholds, by head."""


def make_network(recipe: Recipe, features: Sequence[str] = ()) -> Trained:
    """Build the network of a recipe; the recipe's seed initializes the heads."""
    before = load_trained(recipe.encoder) if Path(recipe.encoder, "network.json").is_file() else None
    tokenizer = before.tokenizer if before else load_tokenizer(recipe.encoder)
    encoder = before.network.encoder if before else load_encoder(recipe.encoder)
    truncate_layers(encoder, recipe.depth)
    if recipe.table == "int4":
        round_table(encoder)
    plan = NetworkPlan(
        heads=recipe.heads,
        pooling=recipe.pooling,
        features=tuple(features),
        max_length=min(recipe.max_length, _max_positions(encoder)),
        prefix=recipe.prefix,
        group_masks=dict(listed_masks()) if recipe.mask_groups else {},
        name_mask=NAME_MASK if recipe.mask_groups else "",
    )
    torch.manual_seed(recipe.seed)
    network = DetectorNetwork(encoder, plan)
    if before is not None:
        _copy_weights(network, before.network)
    return Trained(network, tokenizer)


def _copy_weights(network: DetectorNetwork, before: DetectorNetwork) -> None:
    """Copy the weights that both networks have in the same shape."""
    new, old = network.state_dict(), before.state_dict()
    network.load_state_dict(
        {
            name: old[name] if name in old and old[name].shape == value.shape else value
            for name, value in new.items()
        }
    )


def _max_positions(encoder: Any) -> int:
    longest = getattr(encoder.config, "max_position_embeddings", None)
    return int(longest) if longest and longest > 0 else 1_000_000


def save_trained(trained: Trained, folder: Path) -> None:
    """Write the folder of a trained model."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    trained.network.encoder.config.save_pretrained(folder)  # type: ignore[union-attr,operator]
    trained.tokenizer.save_pretrained(folder)
    save_file(weights(trained.network), folder / "model.safetensors")
    about = {"plan": asdict(trained.network.plan), "decisions": trained.decisions}
    (folder / "network.json").write_text(json.dumps(about, indent=2) + "\n", "utf-8")


def weights(network: nn.Module) -> dict[str, Tensor]:
    """Return copies of all weights, ready to be written."""
    return {name: value.detach().contiguous().clone() for name, value in network.state_dict().items()}


def load_trained(folder: str | Path) -> Trained:
    """Load what :func:`save_trained` wrote."""
    from safetensors.torch import load_file

    folder = Path(folder)
    try:
        about = read_json(folder / "network.json")
    except InputError:
        raise ConfigError(
            f"{folder}: is not the folder of a trained model; 'unslant train' creates one"
        ) from None
    plan = build(NetworkPlan, about["plan"], f"{folder}/network.json: plan")
    network = DetectorNetwork(rebuild_encoder(folder), plan)
    network.load_state_dict(load_file(folder / "model.safetensors"))
    network.eval()
    return Trained(network, load_tokenizer(folder), about["decisions"])
