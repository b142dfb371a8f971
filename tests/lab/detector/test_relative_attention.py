"""DeBERTa's attention by distance gives what transformers gives, in training and in a package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from unslant.core.errors import ConfigError
from unslant.lab.detector.export import compare, export, restore
from unslant.lab.detector.network import load_trained
from unslant.lab.detector.recipe import read_recipe
from unslant.lab.detector.relative_attention import RelativeEncoder
from unslant.lab.detector.run import train
from unslant.neural.checkpoint import load_package
from unslant.neural.network import Network

from .conftest import PLAIN, SLANTED, toy_rows

# transformers compiles a function of DeBERTa on import
COMPILES = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
pytestmark = [pytest.mark.torch, COMPILES]

WORDS = [word for word in (*SLANTED, *PLAIN) if not word.startswith("##")]


def make_model(**settings: Any) -> Any:
    from transformers import DebertaV2Config, DebertaV2Model

    torch.manual_seed(0)
    plan = {
        "vocab_size": 60,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 128,
        "type_vocab_size": 0,
        "relative_attention": True,
        "position_buckets": 64,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
    }
    return DebertaV2Model(DebertaV2Config(**plan | settings)).eval()


@pytest.fixture(scope="module")
def deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a DeBERTa of two layers and a unigram tokenizer with more subwords than the toy language needs."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("deberta")
    pieces = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "\u2581", *(f"\u2581{word}" for word in WORDS)]
    pieces += [f"\u2581word{number}" for number in range(1500)] + list("abcdefghijklmnopqrstuvwxyz")
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0 * len(piece)) for piece in pieces], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    special = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "unk_token": "[UNK]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    make_model(vocab_size=len(pieces)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(deberta: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    corpus = folder / "toy.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in toy_rows(120)))
    recipe = folder / "toy.toml"
    recipe.write_text(
        f'about = "toy"\nencoder = "{deberta}"\nmax_length = 32\ntable = "int4"\n'
        '[vocabulary]\nsize = 1000\n[heads.sentence]\ntype = "sentence"\n[heads.spans]\ntype = "spans"\n'
        f'[[stages]]\nname = "s"\nepochs = 4\nbatch = 8\nlr = 5e-3\ncorpora = [{{ name = "{corpus}" }}]\n'
        f'dev = [{{ name = "{corpus}", splits = ["dev"] }}]\n'
    )
    return train(read_recipe(str(recipe)), folder / "run")


@pytest.mark.parametrize("length", [2, 3, 17, 32])
def test_it_says_what_transformers_says(length: int) -> None:
    plain = make_model()
    fast = RelativeEncoder(plain)
    ids = torch.randint(4, 60, (3, length))
    mask = torch.ones_like(ids)
    mask[1, length // 2 + 1 :] = 0
    with torch.no_grad():
        wanted = plain(input_ids=ids, attention_mask=mask).last_hidden_state * mask.unsqueeze(-1)
        assert torch.allclose(fast(ids, mask).last_hidden_state * mask.unsqueeze(-1), wanted, atol=1e-5)
        fast.fix(32)
        assert torch.allclose(fast(ids, mask).last_hidden_state * mask.unsqueeze(-1), wanted, atol=1e-5)


def test_gradients_in_sixteen_bits_are_near_those_in_thirty_two() -> None:
    fast = RelativeEncoder(make_model())
    ids = torch.randint(4, 60, (4, 9))
    found = []
    for lower in (False, True):
        fast.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=lower):
            hidden = fast(ids, torch.ones_like(ids)).last_hidden_state.float()
        (hidden[..., 0] ** 2).mean().backward()
        found.append(
            torch.cat([value.grad.flatten() for value in fast.parameters() if value.grad is not None])
        )
    assert torch.nn.functional.cosine_similarity(*found, dim=0) > 0.99


def test_texts_beyond_the_exact_distances_are_refused() -> None:
    ids = torch.ones((1, 33), dtype=torch.long)
    with pytest.raises(ConfigError, match="at most 32 subwords"):
        RelativeEncoder(make_model())(ids, ids)


def test_another_deberta_gets_one_clear_sentence() -> None:
    with pytest.raises(ConfigError, match="share_att_key"):
        RelativeEncoder(make_model(share_att_key=False))


def test_a_package_says_what_the_network_says(model: Path, tmp_path: Path) -> None:
    texts = ["the glorious town met", "a road opened on monday", "the council was shameful"]
    full = compare(model, export(model, tmp_path / "full", int8=False), texts)
    assert max(full.largest.values()) < 1e-5
    package = export(model, tmp_path / "small")
    assert max(compare(model, package, texts).largest.values()) < 0.15
    read = Network(load_package(package)).read("the glorious town met")
    assert [read.normalized.text[start:end].strip() for start, end in read.offsets] == texts[0].split()


def test_a_package_can_be_restored_and_exported_again(model: Path, tmp_path: Path) -> None:
    texts = ["the glorious town met", "a road opened on monday", "the council was shameful"]
    package = export(model, tmp_path / "package")
    restored = restore(package, tmp_path / "restored")
    assert max(compare(restored, package, texts).mean.values()) < 0.05
    again = export(restored, tmp_path / "again")
    assert max(compare(restored, again, texts).mean.values()) < 0.05


def test_frequent_subwords_stay_and_rare_words_are_still_read(deberta: Path, model: Path) -> None:
    from unslant.lab.detector.network import load_tokenizer

    whole, trained = load_tokenizer(deberta), load_trained(model)
    size = trained.network.encoder.config.vocab_size
    assert size == len(trained.tokenizer) <= 1000 < len(whole)
    assert trained.network.encoder.get_input_embeddings().weight.shape[0] == size
    text = "the shameful river met"
    assert trained.tokenizer.tokenize(text) == whole.tokenize(text)
    assert "[UNK]" not in trained.tokenizer.tokenize("rare")
