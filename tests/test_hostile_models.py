"""A model's folder runs no code, whichever door it comes through."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from unslant.core.errors import UnslantError
from unslant.spec import Spec

pytestmark = pytest.mark.torch

AUTO = (
    *("AutoConfig", "AutoModel", "AutoTokenizer", "AutoModelForCausalLM", "AutoModelForMaskedLM"),
    *("AutoModelForSeq2SeqLM", "AutoModelForSequenceClassification", "AutoModelForTokenClassification"),
)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose code would leave a file behind, and a user who answers yes to every question."""
    folder = tmp_path / "model"
    folder.mkdir()
    ran = tmp_path / "ran"
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass Evil: ...\n")
    auto_map = dict.fromkeys(AUTO, "evil.Evil") | {"AutoTokenizer": ["evil.Evil", "evil.Evil"]}
    config = {"model_type": "evil", "architectures": ["Evil"], "auto_map": auto_map}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "Evil", "auto_map": auto_map})
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 20))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


def _analyzer(folder: str) -> object:
    from unslant.neural.huggingface import HuggingFaceAnalyzer

    return HuggingFaceAnalyzer(folder, Spec())


def _rewriter(auto: str) -> Callable[[str], object]:
    def door(folder: str) -> object:
        from unslant.rewriter.pretrained import load

        return load(folder, auto, "model")

    return door


def _judge(folder: str) -> object:
    from unslant.lab.judges.judge import open_judge

    return open_judge(f"hf:{folder}")


def _encoder(folder: str) -> object:
    from unslant.lab.detector.network import load_encoder

    return load_encoder(folder)


def _tokenizer(folder: str) -> object:
    from unslant.lab.detector.network import load_tokenizer

    return load_tokenizer(folder)


def _rebuilt(folder: str) -> object:
    from unslant.lab.detector.network import rebuild_encoder

    return rebuild_encoder(Path(folder))


def _language_model(folder: str) -> object:
    from unslant.lab.lm.causal import load_weights

    return load_weights(folder)


def _embedder(folder: str) -> object:
    from unslant.lab.probing.items import MeanEmbedder

    return MeanEmbedder.load(folder)


DOORS = {
    "analyzer": _analyzer,
    "seq2seq rewriter": _rewriter("AutoModelForSeq2SeqLM"),
    "masked rewriter": _rewriter("AutoModelForMaskedLM"),
    "judge": _judge,
    "encoder": _encoder,
    "tokenizer": _tokenizer,
    "rebuilt encoder": _rebuilt,
    "language model": _language_model,
    "embedder": _embedder,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_code_in_a_models_folder_is_not_run(
    hostile: Path, tmp_path: Path, door: Callable[[str], object]
) -> None:
    with pytest.raises(UnslantError, match="model"):
        door(str(hostile))
    assert not (tmp_path / "ran").exists()


def test_every_call_refuses_code() -> None:
    """A new call that forgets it would not be noticed by a test of the known doors."""
    root = Path(__file__).parents[1] / "src" / "unslant"
    for path in root.rglob("*.py"):
        calls = path.read_text("utf-8").split(".from_pretrained(")[1:]
        for call in calls:
            arguments = call[:200]
            assert "trust_remote_code=False" in arguments or "**where" in arguments, path
