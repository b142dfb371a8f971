"""Training the models of a cross-validation, one for each part that is held out."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError
from unslant.lab.detector.recipe import Recipe, build

if TYPE_CHECKING:
    from unslant.lab.detector.run import Settings

__all__ = ["on_corpus", "train_folds"]


def train_folds(recipe: Recipe, out: Path, settings: Settings) -> Path:
    """Train one model a fold into ``out/fold-N``; finished folds are kept, a broken one goes on."""
    if recipe.folds is None:
        raise ConfigError("this recipe has no folds; add a [folds] table that names a corpus")
    from unslant.lab.detector.run import train

    for fold in range(recipe.folds.count):
        folder = out / f"fold-{fold}"
        if not (folder / "card.json").is_file():
            train(recipe.with_fold(fold), folder, replace(settings, resume=True))
    return out


def on_corpus(recipe: Recipe, corpus: str) -> Recipe:
    """Return the recipe with its folds, and everything that it says of their corpus, moved to another corpus."""
    if recipe.folds is None:
        raise ConfigError("this recipe has no folds; add a [folds] table that names a corpus")
    before = recipe.folds.corpus
    return build(Recipe, _moved(asdict(recipe), before, corpus), "recipe")


def _moved(value: Any, before: str, after: str) -> Any:
    if isinstance(value, dict):
        # None stands for a setting that was not given
        return {key: _moved(one, before, after) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [_moved(one, before, after) for one in value]
    return after if value == before else value
