"""Training, exporting and running a tiny rewriter of marked words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from unslant.core.errors import ConfigError, ModelError
from unslant.core.example import Example, LabelledSpan
from unslant.core.types import Span
from unslant.lab.detector.run import TrainSettings
from unslant.lab.rewriters.wording_data import fixes_of_editors, fixes_of_pairs, reversed_fixes
from unslant.lab.rewriters.wording_export import export_wordings
from unslant.lab.rewriters.wording_network import make_model
from unslant.lab.rewriters.wording_recipe import WordingRecipe, WordingStage
from unslant.lab.rewriters.wording_run import load_model, train_wordings
from unslant.protocols import WordsInSentence
from unslant.rewriter.network import PROPOSALS, WordingNetwork
from unslant.rewriter.package import load_rewriter
from unslant.rewriter.passage import SPECIAL, as_query

pytestmark = pytest.mark.torch

_WORDS = "the town council regime government met on monday awful road neutral loaded label : . opened".split()
_PIECES = [
    "<pad>",
    "</s>",
    "<unk>",
    *(f"\u2581{word}" for word in _WORDS),
    *"\u2581abcdefghijklmnopqrstuvwxyz.:",
    *SPECIAL,
]


def _example(name: str, text: str, marked: str, fix: str, split: str = "train") -> dict[str, Any]:
    start = text.index(marked)
    span = {"start": start, "end": start + len(marked), "grade": "must", "kind": "framing"}
    spans = [span | {"technique": "loaded-label", "fix": fix}]
    return {
        "source": "docs",
        "genre": "news",
        "leaning": None,
        "outlet": None,
        "connected": True,
        "sentences": [{"id": f"{split}-{name}", "document": f"{split}-{name}", "text": text, "spans": spans}],
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three parts of a corpus in which a regime becomes a government."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "editor").mkdir()
    for split in ("train", "dev", "test"):
        rows = [
            _example(str(at), f"the {place} regime met on monday .", "regime", "government", split)
            for at, place in enumerate(["town", "road", "council", "monday"] * 6)
        ]
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (folder / "editor" / f"{split}.jsonl.gz").write_bytes(gzip.compress(content))
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A T5 model with two layers and a few subwords."""
    folder = tmp_path_factory.mktemp("t5")
    config = {
        **{
            "vocab_size": len(_PIECES),
            "d_model": 16,
            "d_kv": 8,
            "d_ff": 32,
            "num_layers": 1,
            "num_decoder_layers": 2,
        },
        **{
            "num_heads": 2,
            "feed_forward_proj": "gated-gelu",
            "tie_word_embeddings": False,
            "decoder_start_token_id": 0,
        },
        **{"pad_token_id": 0, "eos_token_id": 1},
    }
    torch.manual_seed(3)
    model = make_model(config)
    tensors = {
        name: value.clone() for name, value in model.state_dict().items() if "embed_tokens" not in name
    }
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))
    special = ["<pad>", "</s>", "<unk>", *SPECIAL]
    plan = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": _PIECES.index(token),
                "content": token,
                **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
                "special": True,
            }
            for token in special
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": "always",
            "split": True,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}},
        },
        "decoder": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": 2,
            "vocab": [[piece, 0.0 if at < 3 else -2.0] for at, piece in enumerate(_PIECES)],
            "byte_fallback": False,
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(plan))
    return folder


def _recipe(base: Path, **changes: Any) -> WordingRecipe:
    stage = WordingStage("editors", editors=("editor",), passes=30, batch=8, lr=0.02, **changes)
    return WordingRecipe("toy", (stage,), str(base), decoder_layers=(1,), vocabulary=60, precision="float32")


@pytest.fixture(scope="module")
def model(base: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_wordings(_recipe(base), tmp_path_factory.mktemp("run") / "run", TrainSettings(data=data))


@pytest.fixture(scope="module")
def package(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_wordings(model, tmp_path_factory.mktemp("package"), int8=False)


_PASSAGE = WordsInSentence("the road regime met on monday .", Span(9, 15), "loaded-label")


def test_it_learns_what_editors_write(package: Path) -> None:
    (wordings,) = WordingNetwork(load_rewriter(package)).propose([_PASSAGE])
    assert wordings[0].text == "government"
    assert 1 <= len(wordings) <= PROPOSALS
    assert [wording.log_probability for wording in wordings] == sorted(
        (wording.log_probability for wording in wordings), reverse=True
    )


def test_the_package_scores_like_the_network(model: Path, package: Path) -> None:
    (wordings,) = WordingNetwork(load_rewriter(package)).propose([_PASSAGE])
    network, tokenizer = load_model(model)
    source = torch.tensor([tokenizer.encode(as_query(_PASSAGE).text).ids])
    wanted = torch.tensor([tokenizer.encode(wordings[0].text).ids])
    given = torch.cat([torch.zeros(1, 1, dtype=torch.long), wanted[:, :-1]], 1)
    with torch.no_grad():
        logits = network(input_ids=source, decoder_input_ids=given, use_cache=False).logits
    total = torch.log_softmax(logits, -1).gather(2, wanted[..., None]).sum()
    assert wordings[0].log_probability == pytest.approx(float(total), abs=1e-3)


def test_a_passage_gets_the_same_wordings_whatever_is_asked_with_it(package: Path) -> None:
    rewriter = WordingNetwork(load_rewriter(package))
    other = WordsInSentence("the town awful council met .", Span(9, 14))
    assert rewriter.propose([other, _PASSAGE, other])[1] == rewriter.propose([_PASSAGE])[0]


def test_a_changed_file_is_refused(package: Path, tmp_path: Path) -> None:
    for path in package.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "vectors.npz").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"vectors\.npz is damaged"):
        WordingNetwork(load_rewriter(tmp_path))
    (tmp_path / "rewriter.json").write_text("[]")
    with pytest.raises(ModelError, match=r"rewriter\.json is incomplete"):
        load_rewriter(tmp_path)


def test_a_resumed_run_ends_with_the_same_weights(
    base: Path, data: Path, tmp_path: Path, model: Path
) -> None:
    class Stop(Exception):
        """Stands for a kill."""

    def stop(what: str, done: int, _total: int) -> None:
        if "editors" in what and done == 40:
            raise Stop

    with pytest.raises(Stop):
        train_wordings(
            _recipe(base), tmp_path / "run", TrainSettings(data=data, checkpoint_every=25, progress=stop)
        )
    with pytest.raises(ConfigError, match="already contains a run"):
        train_wordings(_recipe(base), tmp_path / "run", TrainSettings(data=data))
    resumed = train_wordings(_recipe(base), tmp_path / "run", TrainSettings(data=data, resume=True))
    first, _ = load_model(model)
    second, _ = load_model(resumed)
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name]), name


def test_only_training_documents_are_lessons() -> None:
    span = LabelledSpan(Span(0, 4), fix="")
    examples = [
        Example("1", "Good news", "editor", "", split="dev", spans=(span,), document="a"),
        Example("2", "Good news", "editor", "", split="train", spans=(span,), document="b"),
    ]
    assert [fix.part for fix in fixes_of_editors(examples)] == ["dev", "train"]


def test_edits_of_pairs_that_change_facts_are_no_lessons() -> None:
    def sides(name: str, source: str, target: str) -> list[Example]:
        return [
            Example(f"{name}-{side}", text, "pairs", "", pair=name, side=side)
            for side, text in (("source", source), ("target", target))
        ]

    examples = [
        *sides("1", "The awful mayor left.", "The mayor left."),
        *sides("2", "The mayor of Rome left.", "The mayor of Paris left."),
        *sides("3", "The mayor won 3 votes.", "The mayor won 4 votes."),
    ]
    (fix,) = fixes_of_pairs(examples)
    assert fix.passage.sentence[fix.passage.span.start : fix.passage.span.end] == "awful"
    assert fix.wording == ""


def test_words_that_editors_took_out_come_back_where_their_replacement_stands() -> None:
    import random

    example = Example(
        "1",
        "The regime fell.",
        "editor",
        "",
        split="train",
        spans=(LabelledSpan(Span(4, 10), fix="government"),),
    )
    (fix,) = reversed_fixes(list(fixes_of_editors([example])), ["A government met."], random.Random(1))
    assert fix.passage.sentence == "A regime met."
    assert (fix.passage.span, fix.wording) == (Span(2, 8), "government")
