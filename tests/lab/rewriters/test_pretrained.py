"""Fine-tuning sequence-to-sequence models of transformers, and encoders in MODULAR's detector; all tiny and random."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.errors import ConfigError
from unslant.lab.detector.run import TrainSettings
from unslant.lab.rewriters.recipe import read_rewriter
from unslant.lab.rewriters.rewriter import TrainedRewriter
from unslant.lab.rewriters.run import train_rewriter
from unslant.lab.rewriters.systems import BeamSettings, load_pretrained

from .conftest import WORDS

pytestmark = pytest.mark.torch


@pytest.fixture(scope="session")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BART of one layer with a vocabulary of whole words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BartConfig, BartForConditionalGeneration, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("bart")
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    words = {word: at for at, word in enumerate([*marks, *WORDS, "awful", "regime", "government"])}
    raw = Tokenizer(models.WordLevel(words, "<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), marks, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=64, **names).save_pretrained(folder)
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=len(words),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    return folder


def test_a_model_is_fine_tuned_saved_and_loaded(
    rewriter_file: Callable[..., Path], bart: Path, tmp_path: Path
) -> None:
    recipe = read_rewriter(str(rewriter_file("pretrained", f'base = "{bart}"\nmax_length = 32', epochs=4)))
    model = train_rewriter(recipe, tmp_path / "run")
    card = json.loads((tmp_path / "run" / "card.json").read_text())
    losses = [entry["dev"]["loss"] for entry in card["history"]]
    assert losses[-1] < losses[0]
    assert card["encoder"] == bart.name
    assert not [path for path in model.iterdir() if path.suffix in (".bin", ".pt", ".pkl")]
    rewriter = TrainedRewriter.load(tmp_path / "run")
    found = rewriter.rewrite_texts(["the awful town", "a road opened"])
    assert [len(some) for some in found] == [2, 2]
    assert found[0][0].score >= found[0][1].score
    assert found == TrainedRewriter.load(model).rewrite_texts(["the awful town", "a road opened"])


def test_any_model_can_be_asked_as_it_is(bart: Path) -> None:
    found = TrainedRewriter.pretrained(str(bart), beam=2).rewrite_texts(["the awful town"])
    assert len(found[0]) == 2


def test_a_sentence_that_is_too_long_is_not_cut(bart: Path) -> None:
    system = load_pretrained(bart, max_length=8)
    assert system.fits("the town met")
    assert system.rewrite(["the town " * 9, "the town"], BeamSettings(1))[0] == []


def test_what_is_no_model_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no sequence-to-sequence model could be loaded"):
        load_pretrained(tmp_path)


def test_a_pretrained_model_has_one_phase_only(
    rewriter_file: Callable[..., Path], bart: Path, tmp_path: Path
) -> None:
    phases = '[[phases]]\nname = "denoise"\nepochs = 1'
    path = rewriter_file("pretrained", f'base = "{bart}"', phases)
    with pytest.raises(ConfigError, match="has no phase 'denoise'"):
        train_rewriter(read_rewriter(str(path)), tmp_path / "run")


def test_modular_takes_any_encoder(rewriter_file: Callable[..., Path], encoder: Path, tmp_path: Path) -> None:
    phases = '[[phases]]\nname = "detect"\nepochs = 3\nbatch = 12\nlr = 0.005'
    path = rewriter_file("modular", f'base = "{encoder}"\ncopy = true\njoin = true', phases, epochs=1)
    out = tmp_path / "run"
    train_rewriter(read_rewriter(str(path)), out, TrainSettings(checkpoint_every=3))
    history = json.loads((out / "card.json").read_text())["history"]
    assert [entry["stage"] for entry in history] == ["detect", "detect", "detect", "pairs"]
    assert history[2]["dev"]["loss"] < history[0]["dev"]["loss"]
    assert (out / "model" / "detector" / "config.json").is_file()
    assert TrainedRewriter.load(out).rewrite_texts(["the awful town met"])[0]
