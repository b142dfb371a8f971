"""Spans from attention, and the likeliest word alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.corpora.corpus_files import wikibias_row, write_jsonl
from tests.lab.detector.conftest import corpus, encoder, recipe_file
from unslant.core.types import Span
from unslant.lab.detector.recipe import read_recipe
from unslant.lab.detector.run import train
from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import run_folder
from unslant.lab.evaluation.wikibias import tagging
from unslant.lab.papers.wikibias.attention import AttentionModel, TopWordModel, attention_tagging, mark_words
from unslant.lab.stats.bootstrap import Resampling

__all__ = ["corpus", "encoder", "recipe_file"]

pytestmark = pytest.mark.torch


@pytest.fixture
def trained(recipe_file: Callable[..., Path], tmp_path: Path) -> Path:
    train(read_recipe(str(recipe_file(epochs=5))), tmp_path / "runs" / "seed-1")
    return tmp_path / "runs"


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    texts = ["the awful town met .", "a heroic river was long .", "the shameful road opened ."]
    words = ["awful", "heroic", "shameful"]
    folder = tmp_path / "data" / "wikibias"
    rows = [
        wikibias_row(f"{at}_0", "source", text, word)
        for at, (text, word) in enumerate(zip(texts, words, strict=True))
    ]
    for split in ("train", "dev", "test"):
        write_jsonl(folder / f"{split}.jsonl", rows)
    tokens = [(text.split(), word) for text, word in zip(texts, words, strict=True)]
    blocks = [
        "\n".join(f"{token} {'B-bias' if token == word else 'O'}" for token in some) for some, word in tokens
    ]
    (folder / "test_source_gold.conll").write_text("\n\n".join(blocks) + "\n", "utf-8")
    return Setting(tmp_path / "data", Resampling(20))


def test_the_top_word_is_always_one_word(trained: Path, setting: Setting) -> None:
    model = TopWordModel(run_folder(str(trained)), "corpus")
    texts = ["the awful town met.", "the town met on monday.", "a  glorious   road", "..."]
    found = model.predict(texts)
    assert [len(one.spans) for one in found] == [1, 1, 1, 0]
    marked = [texts[at][one.spans[0].span.start : one.spans[0].span.end] for at, one in enumerate(found[:3])]
    assert (marked[0], marked[2]) == ("awful", "glorious")
    assert tagging([model], setting).figure("exact F1").estimate.value == 1


def test_attention_chooses_layer_and_threshold_on_dev(trained: Path, setting: Setting) -> None:
    model = AttentionModel(run_folder(str(trained)), "corpus")
    result = attention_tagging(model, setting)
    assert model.chosen is not None
    assert result.model == f"seed-1, attention of layer {model.chosen.layer}"
    layers = next(section for section in result.sections if section.title == "exact F1 by layer")
    assert [figure.name for figure in layers.figures] == ["layer 1", "layer 2"]
    # dev is test here, so the layer of the result is the best of those shown
    best = max(figure.estimate.value or 0 for figure in layers.figures)
    assert result.figure("exact F1").estimate.value == pytest.approx(best)
    assert "layer 2" in result.pictures["attention"]
    for by_layer in model.score(["the awful town met ."]):
        for words in by_layer.values():
            assert sum(share for _, share in words) == pytest.approx(1)


def test_neighbouring_words_above_the_threshold_are_one_span() -> None:
    words = [(Span(0, 3), 0.4), (Span(4, 7), 0.3), (Span(8, 9), 0.0), (Span(10, 12), 0.3)]
    found = mark_words(words, 0.3)
    assert [span.span for span in found.spans] == [Span(0, 7), Span(10, 12)]
    assert not mark_words(words, 0.5).slanted


def test_a_run_is_found_in_its_folder_and_in_a_folder_of_runs(trained: Path) -> None:
    assert run_folder(str(trained)) == run_folder(str(trained / "seed-1")) == trained / "seed-1" / "model"
    assert json.loads((run_folder(str(trained)) / "network.json").read_text())["plan"]
