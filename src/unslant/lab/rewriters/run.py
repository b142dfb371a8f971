"""A training run: loads the pairs, trains phase by phase, and writes the rewriter and its card."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from unslant.core.errors import ConfigError
from unslant.lab.detector.card import card_markdown, cards_of, is_run, learned_from, portable
from unslant.lab.detector.checkpoint import RunState, load_state, save_state
from unslant.lab.detector.rows import feature_names
from unslant.lab.detector.run import TrainSettings
from unslant.lab.rewriters.batches import Vocabulary
from unslant.lab.rewriters.editor import Editor, EditorPlan
from unslant.lab.rewriters.loop import PhaseLoop
from unslant.lab.rewriters.pairs import Pair, PairData
from unslant.lab.rewriters.recipe import RewriterRecipe
from unslant.lab.rewriters.rewriter import save_system
from unslant.lab.rewriters.systems import EditorSystem, RewriterSystem, WordDetector, load_pretrained
from unslant.version import VERSION

__all__ = ["train_rewriter"]


def train_rewriter(recipe: RewriterRecipe, out: str | Path, settings: TrainSettings | None = None) -> Path:
    """Run a recipe and return the folder of the trained rewriter, ``out/model``."""
    settings = settings or TrainSettings()
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = _open_run(recipe, out, resume=settings.resume)
    data = PairData(recipe.as_stages(), settings.data)
    system: RewriterSystem | None = None
    pairs: list[Pair] = []
    if recipe.system != "copy":
        pairs = data.pairs(recipe.corpora, training=True)
        system = _create_system(recipe, pairs)
        pairs = [pair for pair in pairs if system.fits(pair.source) and system.fits(pair.target)]
        dev = [
            pair
            for pair in data.pairs(recipe.dev, training=False)
            if system.fits(pair.source) and system.fits(pair.target)
        ]
        if not pairs:
            raise ConfigError("there are no pairs to train on; check the corpora of the recipe and --pairs")
        _train(system, recipe, state, out, settings, (pairs, dev))
    save_system(system, recipe, out / "model")
    _write_card(recipe, data, state, len(pairs), out)
    return out / "model"


def _open_run(recipe: RewriterRecipe, out: Path, *, resume: bool) -> RunState:
    text = json.dumps(asdict(recipe), sort_keys=True)
    state = load_state(out)
    if (state is not None or (out / "model").exists()) and not resume:
        raise ConfigError(f"{out} already contains a run; add --resume to continue it, or use another folder")
    digest = hashlib.sha256(text.encode()).hexdigest()
    if state is not None and state.digest != digest:
        raise ConfigError(f"{out} contains a run of another recipe; use another folder")
    out.mkdir(parents=True, exist_ok=True)
    (out / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", "utf-8")
    return state or RunState(digest)


def _create_system(recipe: RewriterRecipe, pairs: Sequence[Pair]) -> RewriterSystem:
    """Create the untrained system; the same seed gives the same weights."""
    torch.manual_seed(recipe.seed)
    if recipe.system == "pretrained":
        return load_pretrained(recipe.base, recipe.prefix, recipe.max_length, recipe.dropout)
    texts = (text for pair in pairs for text in (pair.source, pair.target))
    vocabulary = Vocabulary.build(texts, recipe.vocabulary, recipe.rare)
    plan = EditorPlan(
        "transformer" if recipe.system == "transformer" else "lstm",
        len(vocabulary),
        recipe.width,
        recipe.layers,
        recipe.heads,
        recipe.dropout,
        recipe.copy,
        recipe.join,
        recipe.follow,
    )
    detector = None
    if recipe.system == "modular":
        detector = WordDetector.create(recipe.base, feature_names(), recipe.width, len(vocabulary))
    return EditorSystem(Editor(plan), vocabulary, recipe.max_length, detector)


def _train(
    system: RewriterSystem,
    recipe: RewriterRecipe,
    state: RunState,
    out: Path,
    settings: TrainSettings,
    data: tuple[Sequence[Pair], Sequence[Pair]],
) -> None:
    from safetensors.torch import load_file, save_file

    from unslant.lab.detector.network import weights

    for number, phase in enumerate(recipe.phases):
        kept = out / "stages" / f"{number}-{phase.name}.safetensors"
        if number < state.stage:
            if number == state.stage - 1:
                system.module.load_state_dict(load_file(kept))
            continue
        PhaseLoop(system, phase, recipe.seed, state, out, settings.progress, settings.checkpoint_every).run(
            *data
        )
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_file(weights(system.module), kept)
        state.stage, state.epoch, state.best, state.waited = number + 1, 0, None, 0
        state.tensors = state.best_weights = None
        save_state(out, state)


def _write_card(recipe: RewriterRecipe, data: PairData, state: RunState, pairs: int, out: Path) -> None:
    before, unknown = cards_of([recipe.base] if recipe.base and is_run(recipe.base) else [])
    base = portable(recipe.base)
    card: dict[str, Any] = {
        "about": recipe.about,
        "version": VERSION,
        "encoder": base or "none: trained on the pairs alone",
        "data": learned_from(data, before),
        "pairs": pairs,
        "recipe": asdict(recipe.as_stages()) | {"encoder": base},
        "before": before,
        "unknown": unknown,
        "rewriter": asdict(recipe) | {"base": base},
        "history": state.history,
        "held_out": {},
        "cost": {
            "seconds": round(state.seconds, 1),
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
        },
        "limits": [
            "English only, one sentence at a time.",
            "It imitates the edits of these sentences and may change facts: its rewrites are suggestions.",
            "Sentences beyond the maximum length stay unchanged.",
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    (out / "card.md").write_text(card_markdown(card), "utf-8")
