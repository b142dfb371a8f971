"""Language models without sense, small enough to be made in a moment."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoConfig,
    GPTNeoForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

from unslant.lab.lm.causal import CausalModel

from .tiny_tokenizers import trained


def tokenizer_of(sort: str) -> Any:
    """Return a tokenizer as transformers knows it; it has no token for padding and no chat form."""
    return PreTrainedTokenizerFast(tokenizer_object=trained(sort), eos_token="<end>")  # noqa: S106


@cache
def tiny_model(family: str = "llama", vocabulary: int = 400, room: int = 512) -> Any:
    """Return random weights; all that is asked of them is to be the same every time."""
    torch.manual_seed(0)
    if family == "gpt2":
        return GPT2LMHeadModel(
            GPT2Config(
                vocab_size=vocabulary, n_embd=32, n_layer=2, n_head=2, n_positions=room, eos_token_id=0
            )
        ).eval()
    if family == "gemma":
        return _tiny_gemma(vocabulary, room)
    if family == "gpt-neo":
        config = GPTNeoConfig(
            vocab_size=vocabulary,
            hidden_size=32,
            num_layers=2,
            num_heads=2,
            attention_types=[[["global", "local"], 1]],
            window_size=8,
            max_position_embeddings=room,
            eos_token_id=0,
        )
        return GPTNeoForCausalLM(config).eval()
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=room,
        initializer_range=0.3,
        eos_token_id=0,
    )
    return LlamaForCausalLM(config).eval()


def _tiny_gemma(vocabulary: int, room: int) -> Any:
    """Return a model with one layer that sees 64 tokens only, and one that sees all."""
    return Gemma3ForCausalLM(
        Gemma3TextConfig(
            vocab_size=vocabulary,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=8,
            max_position_embeddings=room,
            initializer_range=0.3,
            sliding_window=64,
            layer_types=["sliding_attention", "full_attention"],
            eos_token_id=0,
        )
    ).eval()


def tiny_lm(sort: str = "byte-level", room: int = 512) -> CausalModel:
    """Return a language model with a tokenizer of one sort."""
    tokenizer = tokenizer_of(sort)
    return CausalModel(tiny_model("llama", len(tokenizer), room), tokenizer, "tiny")
