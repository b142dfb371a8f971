"""Language models of a few thousand weights, one for each architecture, and a tokenizer of whole words."""

from __future__ import annotations

from typing import Any

WORDS = (
    "the a council town road river budget vote law tax border union market church school nurse judge farmer "
    "said will and or of to in for he she they . , ! yes no left right new old"
).split()
ARCHITECTURES = ("gpt2", "llama", "neox")
TIED = {"gpt2": True, "llama": True, "neox": False}


def tokenizer(pad: bool = False) -> Any:
    """A word for a token, each with the space before it, as byte-level tokenizers write them."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    names = ["<end>", "<unk>"] + [f"\u2581{word}" for word in WORDS] + [f"\u2581w{at}" for at in range(120)]
    special = {"eos_token": "<end>", "unk_token": "<unk>"}
    places = {name: at for at, name in enumerate(names)}
    plain = Tokenizer(models.WordLevel(places, unk_token=special["unk_token"]))
    plain.pre_tokenizer = pre_tokenizers.Metaspace()
    plain.decoder = decoders.Metaspace()
    made = PreTrainedTokenizerFast(tokenizer_object=plain, **special)
    if pad:
        made.add_special_tokens({"pad_token": "<pad>"})
    return made


def network(architecture: str, seed: int = 0) -> Any:
    """A randomly initialised model of two layers; its weights are large, so that its policies are not flat."""
    import torch
    from transformers import AutoModelForCausalLM, GPT2Config, GPTNeoXConfig, LlamaConfig

    vocabulary, width = len(tokenizer()), 32
    shared: dict[str, Any] = {
        "vocab_size": vocabulary,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "initializer_range": 0.25,
        "tie_word_embeddings": TIED[architecture],
    }
    sized = {"hidden_size": width, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config: Any = {
        "gpt2": lambda: GPT2Config(n_embd=width, n_layer=2, n_head=2, n_positions=64, **shared),
        "llama": lambda: LlamaConfig(max_position_embeddings=64, **sized, **shared),
        "neox": lambda: GPTNeoXConfig(max_position_embeddings=64, **sized, **shared),
    }[architecture]()
    torch.manual_seed(seed)
    return AutoModelForCausalLM.from_config(config).eval()


def model(architecture: str = "gpt2", *, batch: int = 4, pad: bool = False) -> Any:
    """Both together, as the library opens them."""
    from unslant.lab.lm.causal import CausalModel

    return CausalModel(network(architecture), tokenizer(pad), f"tiny {architecture}", batch=batch)
