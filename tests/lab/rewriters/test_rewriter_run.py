"""Whole runs: the same seed gives the same rewriter, stopped and resumed or not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.cli.train import train
from unslant.lab.detector.run import TrainSettings
from unslant.lab.evaluation.rewrite_systems import open_system
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import read_rewriter
from unslant.lab.rewriters.rewriter import FolderRewriter, TrainedRewriter
from unslant.lab.rewriters.run import plan_batches, train_rewriter
from unslant.protocols import WordsInSentence
from unslant.registry import resolve
from unslant.spec import Spec

from .conftest import toy_pairs

pytestmark = pytest.mark.torch


class Stopped(Exception):
    """Somebody pulled the plug."""


def weights(out: Path) -> bytes:
    return (out / "model" / "model.safetensors").read_bytes()


@pytest.mark.parametrize("system", ["lstm", "modular"])
def test_a_run_that_was_killed_goes_on_to_the_same_weights(
    rewriter_file: Callable[..., Path], tmp_path: Path, system: str
) -> None:
    join_words = system == "modular"
    phases = '[[phases]]\nname = "detect"\nepochs = 1\nbatch = 12\nlr = 0.01' if join_words else ""
    more = "copy = true\njoin = true" if join_words else "dropout = 0.2"
    path = rewriter_file(system, more if join_words else "", phases)
    if not join_words:
        path.write_text(path.read_text().replace("dropout = 0.0", more))
    recipe = read_rewriter(str(path))
    train_rewriter(recipe, tmp_path / "whole")
    steps = 0

    def stop(*_: object) -> None:
        nonlocal steps
        steps += 1
        if steps == 14:
            raise Stopped

    with pytest.raises(Stopped):
        train_rewriter(recipe, tmp_path / "parts", TrainSettings(progress=stop, checkpoint_every=4))
    with pytest.raises(ConfigError, match="--resume"):
        train_rewriter(recipe, tmp_path / "parts")
    train_rewriter(recipe, tmp_path / "parts", TrainSettings(resume=True))
    assert weights(tmp_path / "parts") == weights(tmp_path / "whole")
    cards = [json.loads((tmp_path / name / "card.json").read_text()) for name in ("whole", "parts")]
    for card in cards:
        for entry in card["history"]:
            del entry["seconds"]
    assert cards[0]["history"] == cards[1]["history"]
    with pytest.raises(ConfigError, match="another recipe"):
        train_rewriter(recipe.with_changes(seed=9), tmp_path / "parts", TrainSettings(resume=True))


def test_what_was_learned_shows(rewriter_file: Callable[..., Path], tmp_path: Path) -> None:
    recipe = read_rewriter(str(rewriter_file("lstm", "copy = true", epochs=18, lr=0.015)))
    train_rewriter(recipe, tmp_path / "run")
    history = json.loads((tmp_path / "run" / "card.json").read_text())["history"]
    assert min(entry["dev"]["loss"] for entry in history) < history[0]["dev"]["loss"] / 2
    # sentences it has not seen: the slanting words are gone from all but perhaps one
    unseen = [row["source"] for row in toy_pairs(20, seed=7)]
    found = [some[0].text.split() for some in TrainedRewriter.load(tmp_path / "run").rewrite_texts(unseen)]
    assert sum("awful" not in words and "regime" not in words for words in found) >= 19
    assert any("government" in words for words in found)
    # and it can be asked by the fixer, whose gates it passes like every other
    text = "the awful road was long on monday"
    spec = Spec(analyzers=(), rewriter=f"trained:{tmp_path / 'run'}")
    plain = FolderRewriter(str(tmp_path / "run"), spec)
    (((best, probability), *_),) = plain.reword([text])
    assert "awful" not in best
    assert 0 < probability <= 1
    span = Span(text.index("awful"), text.index("awful") + len("awful"))
    ((wording, *_),) = plain.propose([WordsInSentence(text, span)])
    assert wording.text == ""
    assert isinstance(resolve("rewriter", spec.rewriter)(spec), FolderRewriter)
    system = open_system(f"fix-unsafe:trained:{tmp_path / 'run'}")
    assert "rules" in system.ranked_by
    (output,) = system.rewrite(["the awful regime was long on monday"])
    assert output.edits
    assert output.safe("the awful regime was long on monday") is not None


def test_the_command_trains_and_says_where(
    rewriter_file: Callable[..., Path], pairs_file: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text(
        json.dumps({"source": "an awful night", "target": "a night", "licence": "CC BY-SA"}) + "\n"
    )
    out = tmp_path / "run"
    words = ["rewriter", str(rewriter_file("transformer", epochs=1)), "--output", str(out), "--seed", "3"]
    result = CliRunner().invoke(train, [*words, "--pairs", str(more)])
    assert result.exit_code == 0, result.output
    assert result.output.splitlines() == [f"rewriter: {out / 'model'}", f"card: {out / 'card.md'}"]
    card = json.loads((out / "card.json").read_text())
    assert {corpus["name"]: corpus["licence"] for corpus in card["data"]} == {
        str(pairs_file): "CC0",
        str(more): "CC BY-SA",
    }
    assert card["rewriter"]["seed"] == 3
    assert "CC BY-SA" in (out / "card.md").read_text()
    # evaluation knows what it learned from
    system = open_system(str(out))
    assert system.name == "run"
    assert system.lineage.allows("wikibias")
    assert [rewrite.text for rewrite in system.rewrite(["the awful town"])] != []


def test_source_copy_is_a_rewriter_too(tmp_path: Path) -> None:
    result = CliRunner().invoke(train, ["rewriter", "copy", "--output", str(tmp_path / "run")])
    assert result.exit_code == 0, result.output
    found = list(open_system(str(tmp_path / "run")).rewrite(["An awful  day."]))
    assert [rewrite.text for rewrite in found] == ["An awful day."]


def test_nothing_to_learn_from_is_reported_in_one_sentence(
    rewriter_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = rewriter_file("lstm")
    path.write_text(
        path.read_text().replace('corpora = [{ name = "', 'corpora = [{ splits = ["no"], name = "')
    )
    with pytest.raises(ConfigError, match="no pairs to train on"):
        train_rewriter(read_rewriter(str(path)), tmp_path / "run")


def test_batches_hold_every_pair_as_often_as_it_weighs() -> None:
    import random

    pairs = [Pair(f"s{at}", "t", 2.0 if at == 0 else 1.0) for at in range(10)]
    batches = plan_batches(pairs, 4, random.Random(0))
    flat = sorted(item.source for batch in batches for item in batch)
    assert flat == sorted(["s0", *(f"s{at}" for at in range(10))])
    assert max(len(batch) for batch in batches) == 4
