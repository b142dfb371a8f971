"""Encoders from transformers, by hub name or folder, and changes to their layers and embeddings."""

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
    "depths",
    "freeze",
    "load_encoder",
    "load_tokenizer",
    "rebuild_encoder",
    "round_table",
    "trainable",
    "truncate_layers",
    "truncate_positions",
]

STEPS = 7
"""Quantization steps on either side of 0 in four bits."""
_CLIPPED = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
"""Candidate clipping points, as shares of the largest value of a row."""


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
    """Load the fast tokenizer of an encoder; only fast tokenizers report offsets."""
    transformers = _transformers()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name), trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(name, error) from None
    if not getattr(tokenizer, "is_fast", False):
        raise ConfigError(
            f"{name}: the tokenizer does not report offsets; use an encoder with a fast tokenizer"
        )
    return tokenizer


def load_encoder(name: str | Path) -> Any:
    """Load an encoder and its weights, from safetensors only and without remote code."""
    transformers = _transformers()
    try:
        encoder = transformers.AutoModel.from_pretrained(
            str(name), use_safetensors=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(name, error) from None
    return _bare(encoder)


def rebuild_encoder(folder: Path) -> Any:
    """Build the encoder of a folder's configuration with random weights."""
    transformers = _transformers()
    try:
        config = transformers.AutoConfig.from_pretrained(str(folder), trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        raise _unusable(folder, error) from None
    return _bare(transformers.AutoModel.from_config(config))


def _unusable(name: str | Path, error: Exception) -> ConfigError:
    first = (str(error).splitlines() or [type(error).__name__])[0]
    return ConfigError(f"{name}: cannot load an encoder ({first[:200]}); use a hub name or a folder")


def _bare(encoder: nn.Module) -> nn.Module:
    # the pooler was trained for another task, and no head uses it
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None  # type: ignore[assignment]
    return encoder


def _layers(encoder: nn.Module) -> tuple[str, int]:
    """Return the name and length of the module list that holds the layers."""
    lists = [(name, len(part)) for name, part in encoder.named_modules() if isinstance(part, nn.ModuleList)]
    if not lists:
        return "", 0
    return max(lists, key=lambda entry: entry[1])


def depths(encoder: nn.Module) -> dict[str, int]:
    """Return the depth of each parameter: 0 for embeddings, then 1 for the lowest layer and so on."""
    prefix, count = _layers(encoder)
    found = {}
    for name, _ in encoder.named_parameters():
        inside = name.startswith(f"{prefix}.") if prefix else False
        number = name[len(prefix) + 1 :].partition(".")[0] if inside else ""
        found[name] = min(int(number) + 1, count) if number.isdigit() else 0
    return found


def truncate_layers(encoder: Any, depth: int) -> None:
    """Keep only the lowest ``depth`` layers; 0 keeps all."""
    prefix, count = _layers(encoder)
    if not depth or depth >= count:
        return
    owner, _, name = prefix.rpartition(".")
    parent = encoder.get_submodule(owner)
    setattr(parent, name, getattr(parent, name)[:depth])
    encoder.config.num_hidden_layers = depth


def truncate_positions(encoder: Any, length: int) -> None:
    """Drop the position embeddings beyond a maximum length, if the encoder has any."""
    for name, part in list(encoder.named_modules()):
        if name.endswith("position_embeddings") and isinstance(part, nn.Embedding):
            # some encoders start counting after the padding index
            first = 0 if part.padding_idx is None else part.padding_idx + 1
            part.weight = nn.Parameter(part.weight[: first + length].detach().clone())


@torch.no_grad()
def round_table(encoder: Any) -> None:
    """Round each row of the subword embeddings to fifteen steps, with the step width of the smallest error.

    The largest value of a row is always the largest step, so rounding is idempotent.
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
    """Freeze the embeddings and the lowest layers; 0 unfreezes everything."""
    places = depths(encoder)
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad_(layers == 0 or places[name] > layers)


def trainable(module: nn.Module) -> Iterable[tuple[str, nn.Parameter]]:
    """Yield the trainable parameters with their names."""
    return ((name, parameter) for name, parameter in module.named_parameters() if parameter.requires_grad)
