"""The Python API: a debiased model is a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import unslant
from tests.lab.lm.tiny import ARCHITECTURES, model, network, tokenizer
from unslant.core.errors import ConfigError, ModelError, UnknownName
from unslant.core.generation import Sampling
from unslant.lab.debias import METHODS, DebiasSettings, debias
from unslant.lab.lm.causal import CausalModel
from unslant.protocols import LanguageModel

from .made import WORDS, debiaser_for

pytestmark = pytest.mark.torch

PROMPTS = ["the council said", "a road and a river in the town will", "vote"]
SAMPLING = Sampling(max_tokens=10)
STRONG = DebiasSettings("embedding", strength=4.0, target=0.5)


def made(tiny: Any, mode: str, folder: Path, **more: Any) -> Any:
    guide = debiaser_for(tiny, folder / "debiaser") if mode == "classifier" else None
    return unslant.debias(tiny, mode=mode, words=WORDS, guide=guide, **more)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("mode", ["embedding", "classifier"])
def test_every_architecture_and_mode(architecture: str, mode: str, tmp_path: Path) -> None:
    tiny = model(architecture)
    writer = made(tiny, mode, tmp_path)
    assert isinstance(writer, LanguageModel)
    found = writer.generate(PROMPTS, [3, 4, 5], SAMPLING)
    assert [generation.seed for generation in found] == [3, 4, 5]
    assert found == writer.generate(PROMPTS, [3, 4, 5], SAMPLING), "the same again"
    alone = [writer.generate(PROMPTS[at], [at + 3], SAMPLING)[0] for at in range(3)]
    assert found == alone, "whatever stands beside it"
    assert writer.digest() != tiny.digest()
    assert writer.logprobs(["vote"], [" yes"]) == tiny.logprobs(["vote"], [" yes"])


@pytest.mark.parametrize("mode", ["embedding", "classifier"])
def test_strength_0_writes_what_the_model_writes(mode: str, tmp_path: Path) -> None:
    tiny = model("llama")
    writer = made(tiny, mode, tmp_path, strength=0.0)
    assert writer.generate(PROMPTS, [1, 2, 3], SAMPLING) == tiny.generate(PROMPTS, [1, 2, 3], SAMPLING)


@pytest.mark.parametrize("mode", ["embedding", "classifier"])
def test_a_model_in_half_precision_is_led_in_32_bits(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)  # some machines announce kernels in vain
    tiny = CausalModel(network("llama").to(torch.bfloat16), tokenizer(), "half")
    everything = made(
        tiny, mode, tmp_path, settings=DebiasSettings(mode, strength=4.0, target=0.5, candidates=10_000)
    )
    full = made(tiny, mode, tmp_path, settings=DebiasSettings(mode, strength=4.0, target=0.5, candidates=0))
    prompts, seeds = PROMPTS[:1] * 8, range(8)
    quick = everything.generate(prompts, seeds, SAMPLING)
    assert quick == full.generate(prompts, seeds, SAMPLING), "gradients in 16 bits would differ"
    assert quick != tiny.generate(prompts, seeds, SAMPLING)


def test_the_full_loop_can_be_requested(tmp_path: Path) -> None:
    tiny = model("neox")
    for mode in ("embedding", "classifier"):
        everything = made(tiny, mode, tmp_path, settings=DebiasSettings(mode, candidates=10_000))
        full = made(tiny, mode, tmp_path, settings=DebiasSettings(mode, candidates=0))
        assert full.generate(PROMPTS, [1, 2, 3], SAMPLING) == everything.generate(
            PROMPTS, [1, 2, 3], SAMPLING
        )


def test_words_of_the_sides_become_rarer() -> None:
    tiny = model("gpt2", batch=32)
    sampling = Sampling(max_tokens=20, to_length=True, top_k=0)
    writer = unslant.debias(tiny, settings=STRONG, words=WORDS)

    def share(texts: Any) -> int:
        return sum(word in WORDS.all for text in texts for word in text.text.split())

    prompts = ["the council said"] * 64
    assert share(writer.generate(prompts, range(64), sampling)) < share(
        tiny.generate(prompts, range(64), sampling)
    )


def test_a_pair_of_model_and_tokenizer_is_a_model() -> None:
    pair = unslant.debias((network("llama"), tokenizer()), words=WORDS)
    assert pair.generate("vote", sampling=SAMPLING) == unslant.debias(  # type: ignore[call-arg,arg-type]
        model("llama"), words=WORDS
    ).generate(["vote"], [0], SAMPLING)


def test_none_is_the_model_itself() -> None:
    tiny = model()
    assert unslant.debias(tiny, "none") is tiny
    today = {"steering", "contrastive", "prompt"}
    assert set(METHODS) == today | {"none", "embedding", "classifier", "naive", "naive-random", "in-glove"}


def test_digests_tell_settings_apart(tmp_path: Path) -> None:
    tiny = model()
    writers = [made(tiny, "embedding", tmp_path), made(tiny, "embedding", tmp_path, strength=0.3)]
    writers += [made(tiny, "classifier", tmp_path), unslant.debias(tiny, "naive")]
    assert len({writer.digest() for writer in writers}) == 4


def test_a_debiaser_is_found_by_the_model_it_was_made_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNSLANT_GUIDES", str(tmp_path))
    tiny = model()
    with pytest.raises(ModelError, match="needs a debiaser for this model; train one with"):
        debias(tiny, "classifier")
    debiaser_for(tiny, tmp_path / f"debiaser-{tiny.digest()[:16]}")
    assert debias(tiny, "classifier", strength=0.5).generate(PROMPTS, [0, 1, 2], SAMPLING)


@pytest.mark.parametrize("name", ["mock:", "http://127.0.0.1:9/v1"])
def test_a_model_without_hidden_states_cannot_be_debiased(name: str) -> None:
    with pytest.raises(ModelError, match="does not expose its hidden states"):
        unslant.debias(name, "embedding")


def test_a_head_that_is_not_the_end_is_noticed() -> None:
    tiny = model("llama")
    forward = tiny.model.forward

    def capped(*args: Any, **kwargs: Any) -> Any:
        out = forward(*args, **kwargs)
        out.logits = torch.tanh(out.logits)
        return out

    tiny.model.forward = capped
    with pytest.raises(ModelError, match="changes its logits after the output layer"):
        unslant.debias(tiny, words=WORDS)


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'embedding'"):
        unslant.debias("mock:", "embeding")
    with pytest.raises(ConfigError, match="int is not a language model"):
        unslant.debias(3)
    with pytest.raises(ConfigError, match=r"none\.json' does not exist; check the spelling; write one"):
        unslant.debias(model(), words=tmp_path / "none.json")


def test_importing_it_loads_no_torch() -> None:
    code = "import sys, unslant, unslant.lab.debias; unslant.debias; print('torch' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    found = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == "False\n"
