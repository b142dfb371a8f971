"""Rewriters that transformers runs, with tiny models that have learned nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import transformers
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import unslant
from unslant.core.errors import ModelError
from unslant.spec import Spec

pytestmark = pytest.mark.torch

TEXT = "The singer slammed the plan of Ana Ruiz in front of 40 people on Monday."
FIXED = TEXT.replace("slammed", "criticized")


def _tokenizer(folder: Path) -> int:
    marks = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]
    names = {
        f"{name}_token": mark for name, mark in zip(("pad", "bos", "eos", "unk", "mask"), marks, strict=True)
    }
    words = {
        word: at for at, word in enumerate([*marks, *dict.fromkeys([*TEXT[:-1].split(), ".", "opposed"])])
    }
    tokenizer = Tokenizer(WordLevel(words, "<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **names,
        model_max_length=64,
    ).save_pretrained(folder)
    return len(words)


def test_a_sequence_to_sequence_model_can_do_no_harm(tmp_path: Path) -> None:
    size = _tokenizer(tmp_path)
    config = transformers.BartConfig(
        vocab_size=size,
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=1,
        decoder_attention_heads=1,
        encoder_ffn_dim=8,
        decoder_ffn_dim=8,
        max_position_embeddings=64,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
    )
    transformers.BartForConditionalGeneration(config).save_pretrained(tmp_path, safe_serialization=True)
    fixed = unslant.fix(TEXT, spec=Spec(analyzers=("rules",), rewriter=f"hf:{tmp_path}"), unsafe=True)
    assert fixed.text == FIXED


def test_a_masked_model_proposes_words_to_look_at(tmp_path: Path) -> None:
    size = _tokenizer(tmp_path)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=64,
        pad_token_id=0,
    )
    model = transformers.BertForMaskedLM(config)
    model.cls.predictions.bias.data[size - 1] = 20.0  # it always says "opposed"
    model.save_pretrained(tmp_path, safe_serialization=True)
    fixed = unslant.fix(TEXT, spec=Spec(analyzers=("rules",), rewriter=f"mlm:{tmp_path}"), unsafe=True)
    assert fixed.text == FIXED
    (edit,) = fixed.edits
    offered = {other.replacement: other.source for other in edit.alternatives}
    assert offered["opposed"] == "rewriter"


def test_a_folder_without_a_model_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no sequence-to-sequence model could be loaded"):
        unslant.fix(TEXT, spec=Spec(analyzers=("rules",), rewriter=f"hf:{tmp_path}"))
