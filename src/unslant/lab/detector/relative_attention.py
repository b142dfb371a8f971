"""DeBERTa's relative attention, computed for the distances that a text has.

``transformers`` projects and multiplies all 512 relative positions for every layer and picks the few it needs with an
index. Up to 128 subwords, positions are not yet put into buckets, so a text of n subwords has exactly 2n - 1 distances,
and their scores can be lined up by slicing alone. That saves a third of a training step, and the exported graph
contains only products, slices and reshapes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from unslant.core.errors import ConfigError

RELATIVE = {
    "relative_attention": True,
    "share_att_key": True,
    "position_biased_input": False,
    "type_vocab_size": 0,
}
"""The settings of DeBERTa version 3, whose attention this is."""


def relative_scale(width: int) -> float:
    """Return what scores are multiplied by in heads of this width: three products are added up."""
    return float((3 * width) ** -0.5)


class _Fixed(NamedTuple):
    """What the attention of one layer needs when its weights no longer change."""

    weight: Tensor
    """The projections to queries, keys and values in one matrix; queries are scaled."""
    bias: Tensor
    keys: Tensor
    """The keys of all distances, last distance first: (heads, width of a head, distances)."""
    queries: Tensor
    """The scaled queries of all distances."""


class RelativeEncoder(nn.Module):
    """A DeBERTa encoder of ``transformers`` with a faster forward pass; its weights keep their names."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        config = model.config
        for name, value in RELATIVE.items():
            if getattr(config, name, None) != value:
                raise ConfigError(f"only DeBERTa version 3 can be trained: {name} must be {value!r}")
        self.config = config
        self.embeddings = model.embeddings
        self.encoder = model.encoder
        self.heads = int(config.num_attention_heads)
        self.longest = int(config.position_buckets) // 2
        """The maximum length in subwords; beyond it, distances share a position."""
        self._scale = relative_scale(config.hidden_size // self.heads)
        self._fixed: list[_Fixed] = []

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the subword embeddings."""
        table: nn.Embedding = self.embeddings.word_embeddings
        return table

    def as_transformers(self) -> Any:
        """Return the same encoder as ``transformers`` runs it, which can show its attention."""
        from transformers import AutoModel

        model = AutoModel.from_config(self.config)
        model.load_state_dict(self.state_dict())
        return model.eval()

    @torch.no_grad()
    def fix(self, length: int) -> None:
        """Compute once what does not depend on the text, for texts of up to ``length`` subwords: for export."""
        distances = self._distances(length)
        for layer in self.encoder.layer:
            own = layer.attention.self
            keys, queries = self._project(own, distances)
            parts = (own.query_proj, own.key_proj, own.value_proj)
            scales = (self._scale, 1.0, 1.0)
            weight = torch.cat([part.weight * scale for part, scale in zip(parts, scales, strict=True)])
            bias = torch.cat([part.bias * scale for part, scale in zip(parts, scales, strict=True)])
            self._fixed.append(_Fixed(weight, bias, keys, queries * self._scale))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        """Turn (batch, subwords) into ``last_hidden_state``, (batch, subwords, width)."""
        hidden = self.embeddings.LayerNorm(self.embeddings.word_embeddings(input_ids))
        hidden = hidden * attention_mask.unsqueeze(-1).to(hidden.dtype)
        barred = (1.0 - attention_mask.to(hidden.dtype))[:, None, None, :] * -1e4  # (batch, 1, 1, subwords)
        distances = None if self._fixed else self._distances(input_ids.shape[1])
        for number, layer in enumerate(self.encoder.layer):
            if distances is None:
                mixed = self._attend_fixed(self._fixed[number], hidden, barred)
            else:
                mixed = self._attend(layer.attention.self, hidden, distances, barred)
            out = layer.attention.output
            hidden = out.LayerNorm(_linear(out.dense, mixed) + hidden)
            inner = functional.gelu(_linear(layer.intermediate.dense, hidden))
            hidden = layer.output.LayerNorm(_linear(layer.output.dense, inner) + hidden)
        return SimpleNamespace(last_hidden_state=hidden)

    def _distances(self, length: int) -> Tensor:
        """Return the embeddings of the distances 1 - length to length - 1, (2 length - 1, width)."""
        if length > self.longest:
            raise ConfigError(f"this encoder reads at most {self.longest} subwords; set max_length to that")
        middle = int(self.config.position_buckets)
        found: Tensor = self.encoder.rel_embeddings.weight
        if hasattr(self.encoder, "LayerNorm"):  # a restored encoder has the normalised embeddings
            found = self.encoder.LayerNorm(found)
        return found[middle - length + 1 : middle + length]

    def _project(self, own: Any, distances: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys, last distance first, and queries of the distances, each (heads, width of a head, distances)."""
        keys, queries = (
            functional.linear(distances, part.weight, part.bias)
            .unflatten(-1, (self.heads, -1))
            .permute(1, 2, 0)
            for part in (own.key_proj, own.query_proj)
        )
        return keys.flip(-1), queries

    def _attend(self, own: Any, hidden: Tensor, distances: Tensor, barred: Tensor) -> Tensor:
        keys, queries = self._project(own, distances)
        query, key, value = (
            _linear(part, hidden).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (own.query_proj, own.key_proj, own.value_proj)
        )  # (batch, heads, subwords, width of a head)
        scores = _scores(query, key, keys, queries) * self._scale
        shares = torch.softmax(scores + barred, dim=-1)
        return (shares.to(value.dtype) @ value).transpose(1, 2).flatten(2)

    def _attend_fixed(self, fixed: _Fixed, hidden: Tensor, barred: Tensor) -> Tensor:
        projected = functional.linear(hidden, fixed.weight, fixed.bias)
        query, key, value = projected.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        length = hidden.shape[1]
        scores = _scores(query, key, _middle(fixed.keys, length), _middle(fixed.queries, length))
        return (torch.softmax(scores + barred, dim=-1) @ value).transpose(1, 2).flatten(2)


def _scores(query: Tensor, key: Tensor, keys: Tensor, queries: Tensor) -> Tensor:
    """Return content to content, content to position and position to content, (batch, heads, subwords, subwords)."""
    by_position = _align(query @ keys) + _align(key @ queries).transpose(-1, -2)
    return query @ key.transpose(-1, -2) + by_position


def _middle(table: Tensor, length: int) -> Tensor:
    """Return the distances of a text of ``length`` subwords from the table of a longer one."""
    middle = (table.shape[-1] + 1) // 2
    return table[..., middle - length : middle + length - 1]


def _align(scores: Tensor) -> Tensor:
    """Turn scores by distance, [i, j - i + n - 1], into scores by position, [i, j], for n subwords.

    Row i begins n - 1 - i columns later than row 0: read as rows that are one shorter, they lie below each other.
    """
    length = scores.shape[-2]
    flat = scores.flatten(-2)[..., length - 1 : length - 1 + length * (2 * length - 2)]
    return flat.unflatten(-1, (length, 2 * length - 2))[..., :length]


def _linear(layer: nn.Linear, values: Tensor) -> Tensor:
    if values.requires_grad and torch.is_autocast_enabled("cpu"):
        out: Tensor = _HalfLinear.apply(values, layer.weight, layer.bias)
        return out
    return functional.linear(values, layer.weight, layer.bias)


class _HalfLinear(torch.autograd.Function):
    """A linear layer in 16 bits.

    The gradient of the bias is a product with ones: the sum over rows that torch makes of it is seven times slower in
    16 bits, and takes a sixth of the whole step.
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        half = values.to(torch.bfloat16)
        small = weight.to(torch.bfloat16)
        ctx.save_for_backward(half, small)
        ctx.dtype = values.dtype
        return functional.linear(half, small, bias.to(torch.bfloat16))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        half, small = ctx.saved_tensors
        rows = gradient.to(torch.bfloat16).reshape(-1, gradient.shape[-1])
        ones = torch.ones((1, rows.shape[0]), dtype=torch.bfloat16)
        return (
            (rows @ small).view_as(half).to(ctx.dtype),
            (rows.T @ half.reshape(-1, half.shape[-1])).float(),
            (ones @ rows).view(-1).float(),
        )
