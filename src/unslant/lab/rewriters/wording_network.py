"""The network of the rewriter: a T5 model without the layers and subwords that it does not need."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from unslant.core.errors import ModelError
from unslant.rewriter.passage import SPECIAL

_KEPT_FIRST = 3
"""The subwords for padding, the end and the unknown come first, as in the base model."""


def find_base(name: str) -> Path:
    """Return the folder of a T5 model: a local one, or one of the hub."""
    if not name:
        raise ModelError("the recipe names no base model; name a folder or a hub name with --encoder")
    if Path(name).is_dir():
        return Path(name)
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name))


def cut_tokenizer(base: Path, texts: Iterable[str], size: int) -> tuple[dict[str, Any], list[int]]:
    """Return a tokenizer with the subwords that texts need most, and their places in the base model.

    Single characters are all kept, so any text that the base model reads can be read.
    """
    plan = json.loads((base / "tokenizer.json").read_text("utf-8"))
    plan["truncation"] = plan["padding"] = None
    whole = Tokenizer.from_str(json.dumps(plan))
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(whole.encode(text, add_special_tokens=False).ids)
    vocabulary = plan["model"]["vocab"]
    special = [whole.token_to_id(token) for token in SPECIAL]
    characters = [
        at
        for at, (piece, _) in enumerate(vocabulary)
        if at >= _KEPT_FIRST and len(piece.lstrip("\u2581")) <= 1
    ]
    characters = [at for at in characters if counts[at] or vocabulary[at][0].lstrip("\u2581").isascii()]
    kept = {*range(_KEPT_FIRST), *special, *characters}
    for at, _ in counts.most_common():
        if len(kept) >= size:
            break
        kept.add(at)
    # more subwords of the base model, most frequent first, where the texts need fewer than there is room for
    for at in range(len(vocabulary)):
        if len(kept) >= size:
            break
        kept.add(at)
    places = sorted(kept)
    new_id = {old: new for new, old in enumerate(places)}
    plan["model"]["vocab"] = [vocabulary[at] for at in places]
    plan["added_tokens"] = [
        token | {"id": new_id[token["id"]]} for token in plan["added_tokens"] if token["id"] in new_id
    ]
    return plan, places


def make_model(config: dict[str, Any]) -> Any:
    """Return an untrained T5 model whose embeddings are shared by encoder and decoder, but not by its output layer."""
    from transformers import T5Config, T5ForConditionalGeneration

    known = {
        key: value
        for key, value in config.items()
        if key not in ("architectures", "transformers_version", "dtype")
    }
    model = T5ForConditionalGeneration(T5Config(**known))
    model.encoder.embed_tokens = model.shared
    model.decoder.embed_tokens = model.shared
    # transformers ties the output layer to the embeddings whatever the settings say
    model.lm_head.weight = torch.nn.Parameter(model.shared.weight.detach().clone())
    return model


def cut_model(base: Path, layers: Sequence[int], places: Sequence[int]) -> Any:
    """Return the base model with some layers of its decoder and some subwords."""
    config = json.loads((base / "config.json").read_text("utf-8"))
    kept = list(layers) or list(range(config["num_decoder_layers"]))
    config |= {"num_decoder_layers": len(kept), "vocab_size": len(places), "tie_word_embeddings": False}
    model = make_model(config)
    tensors = load_file(base / "model.safetensors")
    state: dict[str, torch.Tensor] = {}
    at = torch.tensor(places)
    for name, value in tensors.items():
        if name in ("shared.weight", "lm_head.weight"):
            state[name] = value[at].clone()
        elif name.startswith("decoder.block."):
            _, _, number, rest = name.split(".", 3)
            if "relative_attention_bias" in rest:  # the first layer has it for all
                state[name] = value
            elif int(number) in kept:
                state[f"decoder.block.{kept.index(int(number))}.{rest}"] = value
        else:
            state[name] = value
    if "lm_head.weight" not in state:  # a tied model scales what its output layer reads
        state["lm_head.weight"] = state["shared.weight"] * config["d_model"] ** -0.5
    for part in ("encoder", "decoder"):
        state[f"{part}.embed_tokens.weight"] = state["shared.weight"]
    missing = model.load_state_dict(state, strict=False).missing_keys
    if missing:
        raise ModelError(f"{base}: is no T5 model of the expected form: {missing[0]} is missing")
    return model
