"""Export of a trained rewriter as a package: two ONNX graphs with int8 weights, the tokenizer, and digests.

The encoder runs once for a passage and also returns the keys and values that the decoder attends to, so the decoder
needs neither the encoder's output nor the matrices that turn it into keys and values. The decoder makes one step for
all beams of a passage; to the attention over the passage, beams are no more than positions. Both read vectors of
subwords, which are stored once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unslant.lab.detector.export import export_graph
from unslant.lab.detector.quantize import quantize, rows_to_int8
from unslant.lab.rewriters.wording_run import load_model
from unslant.rewriter.package import (
    ABOUT,
    DECODER,
    ENCODER,
    FORMAT,
    MAX_SUBWORDS,
    MAX_WRITTEN,
    TOKENIZER,
    VECTORS,
)


def _norm(layer: Any, states: Tensor) -> Tensor:
    variance = states.pow(2).mean(-1, keepdim=True)
    return layer.weight * (states * torch.rsqrt(variance + layer.variance_epsilon))


def _split(states: Tensor, heads: int) -> Tensor:
    """(positions, heads x width) to (heads, positions, width)."""
    return states.view(states.shape[0], heads, -1).transpose(0, 1)


def _join(states: Tensor) -> Tensor:
    return states.transpose(0, 1).reshape(states.shape[1], -1)


def _distances(attention: Any, last: int) -> Tensor:
    """Return the bias of each distance from ``-last`` to ``last``: (2 x last + 1, heads)."""
    distances = torch.arange(-last, last + 1)
    buckets = attention._relative_position_bucket(
        distances,
        bidirectional=not attention.is_decoder,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    table: Tensor = attention.relative_attention_bias.weight[buckets].detach()
    return table


class _Encoder(nn.Module):
    """Subwords of one passage to the keys and values of each decoder layer."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.heads = model.config.num_heads
        self.register_buffer(
            "distances", _distances(self.model.encoder.block[0].layer[0].SelfAttention, MAX_SUBWORDS)
        )

    def forward(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Return keys and values, (layers, heads, subwords, width), for the vectors of the subwords."""
        places = torch.arange(states.shape[0])
        bias = self.distances[places[None, :] - places[:, None] + MAX_SUBWORDS].permute(2, 0, 1)  # type: ignore[index]
        for block in self.model.encoder.block:
            attention, feed = block.layer
            read = _norm(attention.layer_norm, states)
            own = attention.SelfAttention
            query, key, value = (_split(part(read), self.heads) for part in (own.q, own.k, own.v))
            weights = torch.softmax(query @ key.transpose(1, 2) + bias, -1)
            states = states + own.o(_join(weights @ value))
            states = states + _feed_forward(feed, states)
        states = _norm(self.model.encoder.final_layer_norm, states)
        crosses = [block.layer[1].EncDecAttention for block in self.model.decoder.block]
        keys = torch.stack([_split(cross.k(states), self.heads) for cross in crosses])
        values = torch.stack([_split(cross.v(states), self.heads) for cross in crosses])
        return keys, values


def _feed_forward(layer: Any, states: Tensor) -> Tensor:
    read = _norm(layer.layer_norm, states)
    dense = layer.DenseReluDense
    written: Tensor = dense.wo(dense.act(dense.wi_0(read)) * dense.wi_1(read))
    return written


class _Decoder(nn.Module):
    """One more subword for each beam."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model
        self.heads = model.config.num_heads
        attention = model.decoder.block[0].layer[0].SelfAttention
        self.register_buffer("distances", _distances(attention, MAX_WRITTEN))

    def forward(
        self, states: Tensor, past_keys: Tensor, past_values: Tensor, keys: Tensor, values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits (beams, subwords) and the keys and values so far: (layers, beams, heads, steps, width)."""
        beams, steps = states.shape[0], past_keys.shape[3]
        back = torch.arange(steps + 1) - steps
        bias = self.distances[back + MAX_WRITTEN].transpose(0, 1)[None, :, None]  # type: ignore[index]
        new_keys, new_values = [], []
        for number, block in enumerate(self.model.decoder.block):
            attention, cross, feed = block.layer
            read = _norm(attention.layer_norm, states)
            own = attention.SelfAttention
            query, key, value = (part(read).view(beams, self.heads, 1, -1) for part in (own.q, own.k, own.v))
            key = torch.cat([past_keys[number], key], 2)
            value = torch.cat([past_values[number], value], 2)
            new_keys.append(key)
            new_values.append(value)
            weights = torch.softmax(query @ key.transpose(2, 3) + bias, -1)
            states = states + own.o((weights @ value).reshape(beams, -1))
            read = _norm(cross.layer_norm, states)
            other = cross.EncDecAttention
            looking = _split(other.q(read), self.heads)
            weights = torch.softmax(looking @ keys[number].transpose(1, 2), -1)
            states = states + other.o(_join(weights @ values[number]))
            states = states + _feed_forward(feed, states)
        states = _norm(self.model.decoder.final_layer_norm, states)
        return self.model.lm_head(states), torch.stack(new_keys), torch.stack(new_values)


def export_wordings(
    model: Path, out: Path, weights: str | Path = "model.safetensors", *, int8: bool = True
) -> Path:
    """Write the package of a trained rewriter and return its folder."""
    network, _ = load_model(model, weights)
    config = network.config
    layers, heads, width = config.num_decoder_layers, config.num_heads, config.d_kv
    out.mkdir(parents=True, exist_ok=True)
    subwords, beams, steps = (torch.export.Dim(name) for name in ("subwords", "beams", "steps"))
    encoder_inputs = {"states": torch.zeros(7, config.d_model)}
    cross = torch.zeros(layers, heads, 7, width)
    past = torch.zeros(layers, 3, heads, 2, width)
    decoder_inputs = {
        "states": torch.zeros(3, config.d_model),
        "past_keys": past,
        "past_values": past.clone(),
        "keys": cross,
        "values": cross.clone(),
    }
    with torch.no_grad():
        encoder = _Encoder(network)
        export_graph(encoder, out / ENCODER, encoder_inputs, ["keys", "values"], {"states": {0: subwords}})
    shapes: dict[str, Any] = {
        "states": {0: beams},
        "past_keys": {1: beams, 3: steps},
        "past_values": {1: beams, 3: steps},
        "keys": {2: subwords},
        "values": {2: subwords},
    }
    with torch.no_grad():
        outputs = ["logits", "new_keys", "new_values"]
        export_graph(_Decoder(network), out / DECODER, decoder_inputs, outputs, shapes)
    if int8:
        # the inputs of T5's down-projections have outliers in every layer
        quantize(out / ENCODER, None)
        quantize(out / DECODER, None)
    rows, scales = rows_to_int8(network.shared.weight.detach().numpy())
    np.savez(out / VECTORS, rows=rows, scales=scales.astype(np.float32))
    shutil.copyfile(model / "tokenizer.json", out / TOKENIZER)
    about: dict[str, Any] = {"format": FORMAT, "layers": layers, "heads": heads, "width": width}
    card = model.parent / "card.json"
    if card.is_file():
        shutil.copyfile(card, out / "card.json")
    about["files"] = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.iterdir())
        if path.name != ABOUT
    }
    (out / ABOUT).write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    return out
