"""Any encoder that transformers can load, by hub name or folder, and its layers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from unslant.core.errors import ConfigError, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "STEPS",
    "cut",
    "cut_positions",
    "depths",
    "freeze",
    "load_encoder",
    "load_tokenizer",
    "rebuild_encoder",
    "round_table",
    "trainable",
]

STEPS = 7
"""On either side of 0, for a row in four bits."""
_CLIPPED = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Shares of a row's largest number that may become the largest step."""


def _transformers() -> Any:
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("training", "transformers", "train") from error
    logs: Any = transformers.utils.logging
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    return transformers


def load_tokenizer(name: str | Path) -> Any:
    """Load the fast tokenizer of an encoder: only those know where in the text a piece stands."""
    transformers = _transformers()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name))
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(name, error) from None
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigError(
            f"{name}: its tokenizer does not say where pieces stand; an encoder with a fast one does"
        )
    return tokenizer


def load_encoder(name: str | Path) -> Any:
    """Load an encoder with its weights; weights are read from safetensors only, and no code of the model is run."""
    transformers = _transformers()
    try:
        encoder = transformers.AutoModel.from_pretrained(str(name), use_safetensors=True)
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(name, error) from None
    return _bare(encoder)


def rebuild_encoder(folder: Path) -> Any:
    """Build the encoder that a folder's configuration describes, with random weights."""
    transformers = _transformers()
    try:
        config = transformers.AutoConfig.from_pretrained(str(folder))
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(folder, error) from None
    return _bare(transformers.AutoModel.from_config(config))


def _unusable(name: str | Path, error: Exception) -> ConfigError:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return ConfigError(
        f"{name}: no encoder could be loaded from there ({first[:200]}); name a hub model or a folder"
    )


def _bare(encoder: nn.Module) -> nn.Module:
    # The pooler was trained for another task, and no head reads it.
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None  # type: ignore[assignment]
    return encoder


def _layers(encoder: nn.Module) -> tuple[str, int]:
    """Return the name of the list that holds the layers, and its length."""
    lists = [(name, len(part)) for name, part in encoder.named_modules() if isinstance(part, nn.ModuleList)]
    if not lists:
        return "", 0
    return max(lists, key=lambda one: one[1])


def depths(encoder: nn.Module) -> dict[str, int]:
    """Return the depth of each parameter: 0 the embeddings, then the layers from the lowest."""
    prefix, count = _layers(encoder)
    found = {}
    for name, _ in encoder.named_parameters():
        inside = name.startswith(f"{prefix}.") if prefix else False
        number = name[len(prefix) + 1 :].partition(".")[0] if inside else ""
        found[name] = min(int(number) + 1, count) if number.isdigit() else 0
    return found


def cut(encoder: Any, depth: int) -> None:
    """Take the layers above the lowest ``depth`` away; 0 keeps all."""
    prefix, count = _layers(encoder)
    if not depth or depth >= count:
        return
    owner, _, name = prefix.rpartition(".")
    parent = encoder.get_submodule(owner)
    setattr(parent, name, getattr(parent, name)[:depth])
    encoder.config.num_hidden_layers = depth


def cut_positions(encoder: Any, length: int) -> None:
    """Take away the places in a text that nothing of this length reaches, where an encoder has a table of them."""
    for name, part in list(encoder.named_modules()):
        if name.endswith("position_embeddings") and isinstance(part, nn.Embedding):
            # some encoders count from behind the place that stands for padding
            first = 0 if part.padding_idx is None else part.padding_idx + 1
            part.weight = nn.Parameter(part.weight[: first + length].detach().clone())


@torch.no_grad()
def round_table(encoder: Any) -> None:
    """Round each row of the table of word pieces to fifteen steps, by the width that loses least.

    The largest number of a row is always the largest step, so rounding again changes nothing.
    """
    table = encoder.get_input_embeddings().weight
    largest = table.abs().amax(dim=1, keepdim=True)
    best, least = table.clone(), torch.full_like(largest, torch.inf)
    for share in _CLIPPED:
        width = (largest * share / STEPS).clamp(min=1e-12)
        rounded = (table / width).round().clamp(-STEPS, STEPS) * width
        lost = (rounded - table).square().sum(dim=1, keepdim=True)
        best, least = torch.where(lost < least, rounded, best), torch.minimum(lost, least)
    table.copy_(best)


def freeze(encoder: nn.Module, layers: int) -> None:
    """Keep the embeddings and the lowest layers as they are; 0 sets everything free."""
    places = depths(encoder)
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad_(layers == 0 or places[name] > layers)


def trainable(module: nn.Module) -> Iterable[tuple[str, nn.Parameter]]:
    """Yield what may change, with its name."""
    return ((name, one) for name, one in module.named_parameters() if one.requires_grad)
