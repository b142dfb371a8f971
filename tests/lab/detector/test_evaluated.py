"""Trained networks and their packages, as evaluation sees them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from unslant.core.errors import ConfigError, InputError
from unslant.lab.cli.evaluate import evaluate
from unslant.lab.detector.export import export
from unslant.lab.detector.recipe import Folds, Recipe, read_recipe
from unslant.lab.detector.run import TrainSettings, train
from unslant.lab.evaluation.babe import replace_corpus, train_folds
from unslant.lab.evaluation.held_out import Fold, Leak
from unslant.lab.evaluation.models import SentenceModel, open_models
from unslant.neural.decoder import PredictedSpan

from .conftest import toy_rows

pytestmark = pytest.mark.torch

TEXTS = ["the council met on monday", "a glorious road opened", "the river was awful", ""]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> Path:
    """A run on the toy language with its package."""
    folder = tmp_path_factory.mktemp("evaluated")
    corpus = folder / "toy.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in toy_rows(120)))
    recipe = folder / "toy.toml"
    recipe.write_text(
        f'about = "toy"\nencoder = "{encoder}"\nmax_length = 32\n'
        '[heads.sentence]\ntype = "sentence"\n[heads.spans]\ntype = "spans"\n[heads.kinds]\ntype = "kinds"\n'
        f'[[stages]]\nname = "s"\nepochs = 5\nbatch = 8\nlr = 5e-3\ncorpora = [{{ name = "{corpus}" }}]\n'
        f'dev = [{{ name = "{corpus}", splits = ["dev"] }}]\n'
    )
    out = folder / "run"
    train(read_recipe(str(recipe)), out)
    export(out / "model", out / "package", int8=False)
    return out


def one(folder: Path) -> SentenceModel:
    (model,) = open_models(str(folder))
    return model


def assert_same_spans(left: Sequence[PredictedSpan], right: Sequence[PredictedSpan]) -> None:
    """Compare positions and kinds exactly, probabilities within 1e-4."""
    assert [(span.span, span.kind) for span in left] == [(span.span, span.kind) for span in right]
    wanted = [span.probability for span in right]
    assert [span.probability for span in left] == pytest.approx(wanted, abs=1e-4)


def test_a_run_and_its_package_say_the_same(run: Path) -> None:
    network, package = one(run), one(run / "package")
    assert network.answers == package.answers == {"sentence", "probability", "spans", "kinds"}
    assert (network.name, package.name) == ("run", "run/package")
    ours, theirs = network.predict(TEXTS), package.predict(TEXTS)
    for left, right in zip(ours, theirs, strict=True):
        assert left.probability == pytest.approx(right.probability, abs=1e-4)
        assert (left.kinds, left.slanted) == (right.kinds, right.slanted)
        assert_same_spans(left.spans, right.spans)
    assert [prediction.slanted for prediction in ours[:3]] == [False, True, True]
    assert [TEXTS[2][span.span.start : span.span.end] for span in ours[2].spans] == ["awful"]
    assert ours[2].spans[0].kind == "framing"
    assert network.predict([]) == package.predict([]) == []


def test_batched_is_as_one_by_one(run: Path) -> None:
    for model in (one(run), one(run / "package")):
        together = model.predict(TEXTS)
        alone = [model.predict([text])[0] for text in TEXTS]
        for left, right in zip(together, alone, strict=True):
            assert_same_spans(left.spans, right.spans)
            assert left.probability == pytest.approx(right.probability, abs=1e-4)


def test_the_lineage_comes_from_the_card(run: Path) -> None:
    corpus = json.loads((run / "recipe.json").read_text())["stages"][0]["corpora"][0]["name"]
    for folder in (run, run / "model", run / "package"):
        lineage = one(folder).lineage
        assert lineage.allows(corpus, "test")
        assert not lineage.allows(corpus, "train")
        assert lineage.folds == ()


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "card.json"])
def test_a_damaged_package_is_named(run: Path, tmp_path: Path, name: str) -> None:
    package = Path(shutil.copytree(run / "package", tmp_path / "package"))
    path = package / name
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(InputError, match=f"{name} is damaged"):
        one(package).predict(TEXTS)
    path.unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        one(package).predict(TEXTS)


def toy_folds(recipe_file: Callable[..., Path], corpus: Path) -> Recipe:
    recipe = read_recipe(str(recipe_file(epochs=1)))
    return replace(recipe, folds=Folds(str(corpus), count=2, fold=0))


def test_folds_are_trained_once_and_open_together(
    tmp_path: Path, recipe_file: Callable[..., Path], corpus: Path
) -> None:
    recipe = toy_folds(recipe_file, corpus)
    out = train_folds(recipe, tmp_path / "folds", TrainSettings())
    models = open_models(str(out))
    assert [model.name for model in models] == ["fold-0", "fold-1"]
    held = [model.lineage.fold_of(str(corpus)) for model in models]
    assert held == [Fold(str(corpus), 2, 0), Fold(str(corpus), 2, 1)]
    times = [path.stat().st_mtime_ns for path in sorted(out.glob("*/card.json"))]
    train_folds(recipe, out, TrainSettings())
    assert [path.stat().st_mtime_ns for path in sorted(out.glob("*/card.json"))] == times


def test_a_recipe_moves_to_another_corpus_as_a_whole() -> None:
    recipe = read_recipe("babe-fold")
    moved = replace_corpus(recipe, "babe/sg1")
    assert moved.folds is not None
    assert moved.folds.corpus == "babe/sg1"
    names = {part.name for stage in moved.stages for part in (*stage.corpora, *stage.dev)}
    assert (names, moved.guard) == ({"babe/sg1"}, ("babe/sg1",))
    assert replace_corpus(moved, "babe/sg2") == recipe
    with pytest.raises(ConfigError, match="no folds"):
        replace_corpus(read_recipe("wikibias-all"), "babe/sg1")


def test_a_model_is_not_measured_on_its_own_training_file(run: Path, tmp_path: Path) -> None:
    table = tmp_path / "mine.jsonl"
    fresh = [{"text": f"The council met again on day {day}.", "label": day % 2} for day in range(150)]

    def own(model: Path, rows: Sequence[Mapping[str, Any]]) -> str:
        table.write_text(
            "".join(json.dumps({key: row[key] for key in ("text", "label")}) + "\n" for row in rows)
        )
        result = CliRunner().invoke(
            evaluate, ["own", str(table), "--model", str(model), "--resamples", "0"], catch_exceptions=False
        )
        return result.output

    known = toy_rows(120)
    assert "left out: 120 texts" in own(run, [*fresh, *known])
    with pytest.raises(Leak, match="learned from 120 of these 120 texts"):
        own(run, known)
    moved = shutil.copytree(run / "package", tmp_path / "elsewhere" / "deep" / "package")
    with pytest.raises(Leak, match=r"it learned from toy\.jsonl, and seen\.txt\.gz"):
        own(moved, fresh)
