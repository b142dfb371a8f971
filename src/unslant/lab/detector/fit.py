"""What heads learn before training begins, such as the vocabulary of edits: once a run, and kept with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError
from unslant.lab.detector.data import Data
from unslant.lab.detector.heads import fit_head
from unslant.lab.detector.recipe import HeadPlan, Recipe
from unslant.lab.detector.rows import Sample

__all__ = ["fit_heads"]

_FILE = "fitted.json"


def fit_heads(recipe: Recipe, data: Data, out: Path) -> Recipe:
    """Return the recipe with all options that its heads learn from the training data.

    What a run has learned is written to its folder, and read from there when it goes on. A head that goes on from a
    trained model keeps what that model had learned: the same output must mean the same.
    """
    path = out / _FILE
    known = _read(path) if path.is_file() else _before(recipe)
    heads = {}
    for name, plan in recipe.heads.items():
        if name in known:
            heads[name] = replace(plan, options={**plan.options, **known[name]})
        else:
            heads[name] = fit_head(plan, lambda plan=plan: _samples(recipe, plan, data))  # type: ignore[misc]
    learned = {
        name: {"vocabulary": plan.options["vocabulary"]}
        for name, plan in heads.items()
        if plan.options.get("vocabulary")
    }
    if learned:
        path.write_text(json.dumps(learned, indent=1) + "\n", "utf-8")
    return replace(recipe, heads=heads)


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        found = json.loads(path.read_text("utf-8"))
        return {str(name): dict(options) for name, options in found.items()}
    except (ValueError, TypeError, AttributeError):
        raise ConfigError(f"{path}: cannot be read; remove the folder to begin anew") from None


def _before(recipe: Recipe) -> dict[str, Mapping[str, Any]]:
    """Return what the heads of a trained model, that this recipe goes on from, had learned."""
    path = Path(recipe.encoder, "network.json")
    if not path.is_file():
        return {}
    try:
        heads = json.loads(path.read_text("utf-8"))["plan"]["heads"]
        return {
            name: {"vocabulary": plan["options"]["vocabulary"]}
            for name, plan in heads.items()
            if plan.get("options", {}).get("vocabulary")
            and name in recipe.heads
            and plan["type"] == recipe.heads[name].type
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path}: not the description of a trained model") from None


def _samples(recipe: Recipe, plan: HeadPlan, data: Data) -> list[Sample]:
    """Return every text that a head may learn from in any stage, once."""
    parts = [
        part
        for stage in recipe.stages
        for part in stage.corpora
        if (not plan.corpora or part.name in plan.corpora) and (not part.labels or plan.type in part.labels)
    ]
    found = data.samples(parts, training=True)
    return list({(one.part.name, one.example.id): one for one in found}.values())
