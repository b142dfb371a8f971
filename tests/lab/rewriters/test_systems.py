"""Systems as they learn and rewrite."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from unslant.core.errors import ConfigError, ModelError
from unslant.core.types import Document, Sentence, Span
from unslant.lab.papers.wikibias.editor import Editor, EditorPlan
from unslant.lab.papers.wikibias.seq2seq import EditorSystem, WordDetector, add_noise
from unslant.lab.papers.wikibias.words import Vocabulary
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase, RewriterRecipe
from unslant.lab.rewriters.rewriter import TrainedRewriter, load_system, save_system
from unslant.lab.rewriters.systems import BeamSettings

pytestmark = pytest.mark.torch

PAIRS = [Pair("the awful town met", "the town met"), Pair("a regime fell", "a government fell")]
VOCABULARY = Vocabulary.build([text for pair in PAIRS for text in (pair.source, pair.target)], 99)


def scratch(kind: str = "lstm", *, copy: bool = True, detector: bool = False) -> EditorSystem:
    torch.manual_seed(0)
    plan = EditorPlan(kind, len(VOCABULARY), 16, 1, 2, 0.0, copy, detector)
    made = WordDetector.create("", ("framing/praise-adjective",), 16, len(VOCABULARY)) if detector else None
    return EditorSystem(Editor(plan), VOCABULARY, 12, made)


def learn(system: EditorSystem, phase: Phase, steps: int = 60) -> list[float]:
    optimizer = torch.optim.Adam(system.module.parameters(), lr=0.02)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = system.loss(PAIRS, phase, random.Random(step))
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


@pytest.mark.parametrize(("kind", "copy"), [("lstm", False), ("lstm", True), ("transformer", False)])
def test_a_system_learns_two_pairs_by_heart(kind: str, copy: bool) -> None:
    system = scratch(kind, copy=copy)
    learn(system, Phase(), 100)
    found = system.rewrite([pair.source for pair in PAIRS], BeamSettings(2))
    assert [some[0].text for some in found] == [pair.target for pair in PAIRS]


def test_modular_learns_which_words_go_then_to_edit() -> None:
    system = scratch(detector=True)
    losses = learn(system, Phase("detect"))
    assert losses[-1] < losses[0] / 4
    assert system.editor.joint is not None
    assert not system.editor.joint.any()
    learn(system, Phase(), 100)
    # through the join embedding the editor hears of the detector, and the detector learns on
    assert system.editor.joint.any()
    assert system.rewrite([PAIRS[0].source], BeamSettings(2))[0][0].text == PAIRS[0].target


def test_restoring_neutral_sentences_is_learned_from_targets_alone() -> None:
    system = scratch(copy=True)
    losses = learn(system, Phase("denoise"))
    assert losses[-1] < losses[0] / 2


def test_noise_leaves_words_out_and_moves_them_a_little() -> None:
    words = [str(number) for number in range(200)]
    found = add_noise(words, random.Random(1))
    assert 150 < len(found) < 200
    assert found != sorted(found, key=int)
    kept = [word for word in words if word in found]
    assert max(abs(kept.index(word) - at) for at, word in enumerate(found)) < 3
    assert add_noise(["one"], random.Random(1), drop=1.0) == ["one"]


def test_new_words_and_looking_twice_cost_more_if_asked() -> None:
    system = scratch()
    plain = float(system.loss(PAIRS, Phase(), random.Random(0)).detach())
    assert float(system.loss(PAIRS, Phase(coverage=1.0), random.Random(0)).detach()) > plain
    assert float(system.loss(PAIRS, Phase(new_words=5.0), random.Random(0)).detach()) != plain


def test_only_a_system_with_a_detector_detects() -> None:
    with pytest.raises(ConfigError, match="needs the system 'modular'"):
        scratch().loss(PAIRS, Phase("detect"), random.Random(0))


def test_long_or_empty_sentences_have_no_wording() -> None:
    found = scratch().rewrite(["", "the " * 40, "the town"], BeamSettings(2))
    assert found[0] == found[1] == []
    assert found[2]


@pytest.mark.parametrize("detector", [False, True])
def test_saved_and_loaded_it_writes_the_same(tmp_path: Path, detector: bool) -> None:
    system = scratch(detector=detector)
    learn(system, Phase(), 5)
    recipe = RewriterRecipe("toy", "modular" if detector else "lstm", join=detector, max_length=12, beam=2)
    save_system(system, recipe, tmp_path)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".safetensors"]
    loaded, _ = load_system(tmp_path)
    assert loaded is not None
    texts = ["the awful town met Xanadu", "a regime fell"]
    assert loaded.rewrite(texts, BeamSettings(2)) == system.rewrite(texts, BeamSettings(2))
    # one byte of the weights is another
    path = tmp_path / "model.safetensors"
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ModelError, match="is missing or has changed"):
        load_system(tmp_path)


def test_a_folder_without_a_rewriter_is_reported_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="contains no rewriter; 'unslant train rewriter"):
        TrainedRewriter.load(tmp_path)
    (tmp_path / "rewriter.json").write_text('{"schema": "other"}')
    with pytest.raises(ModelError, match="is not a rewriter of this version"):
        TrainedRewriter.load(tmp_path)


def sentence(text: str) -> Sentence:
    return Sentence(Document(text, text), Span(0, len(text)))


def test_a_trained_system_is_a_rewriter() -> None:
    system = scratch()
    learn(system, Phase(), 100)
    rewriter = TrainedRewriter(system, BeamSettings(2), {})
    texts = ["the awful  town met", "the town met"]
    found = rewriter.reword(texts)
    assert found[0][0][0] == "the town met"
    # nothing that is as the sentence is, or that is liked less than that
    assert all(text != "the awful town met" for text, _ in found[0])
    assert rewriter.reword([]) == []
    assert rewriter.reword(texts[:1])[0][0][0] == "the town met"


def test_copying_offers_nothing() -> None:
    rewriter = TrainedRewriter(None, BeamSettings(1), {})
    assert rewriter.reword(["the awful town"]) == [[]]
    assert rewriter.rewrite_texts(["the awful town"])[0][0].text == "the awful town"
