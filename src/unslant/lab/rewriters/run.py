"""A whole run: read the pairs, train phase by phase, write the rewriter and its card."""

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
from unslant.lab.detector.checkpoint import State, load_state, save_state
from unslant.lab.detector.rows import feature_names
from unslant.lab.detector.run import Settings
from unslant.lab.rewriters.detector import Detector
from unslant.lab.rewriters.editor import Editor, EditorPlan
from unslant.lab.rewriters.loop import Loop
from unslant.lab.rewriters.pairs import Pair, PairData
from unslant.lab.rewriters.pretrained import load_pretrained
from unslant.lab.rewriters.recipe import RewriterRecipe
from unslant.lab.rewriters.saving import save_system
from unslant.lab.rewriters.systems import Scratch, System
from unslant.lab.rewriters.words import Vocabulary
from unslant.version import VERSION

__all__ = ["train_rewriter"]


def train_rewriter(recipe: RewriterRecipe, out: str | Path, settings: Settings | None = None) -> Path:
    """Run a recipe and return the folder of the trained rewriter, ``out/model``."""
    settings = settings or Settings()
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = _begin(recipe, out, resume=settings.resume)
    data = PairData(recipe.as_stages(), settings.data)
    system: System | None = None
    pairs: list[Pair] = []
    if recipe.system != "copy":
        pairs = data.pairs(recipe.corpora, training=True)
        system = _fresh(recipe, pairs)
        pairs = [one for one in pairs if system.fits(one.source) and system.fits(one.target)]
        dev = [
            one
            for one in data.pairs(recipe.dev, training=False)
            if system.fits(one.source) and system.fits(one.target)
        ]
        if not pairs:
            raise ConfigError("there are no pairs to learn from; look at the recipe's corpora and --pairs")
        _train(system, recipe, state, out, settings, (pairs, dev))
    save_system(system, recipe, out / "model")
    _write_card(recipe, data, state, len(pairs), out)
    return out / "model"


def _begin(recipe: RewriterRecipe, out: Path, *, resume: bool) -> State:
    text = json.dumps(asdict(recipe), sort_keys=True)
    state = load_state(out)
    if (state is not None or (out / "model").exists()) and not resume:
        raise ConfigError(f"{out} holds a run already; add --resume to go on with it, or name another folder")
    made = hashlib.sha256(text.encode()).hexdigest()
    if state is not None and state.digest != made:
        raise ConfigError(f"{out} holds a run of another recipe; name another folder")
    out.mkdir(parents=True, exist_ok=True)
    (out / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", "utf-8")
    return state or State(made)


def _fresh(recipe: RewriterRecipe, pairs: Sequence[Pair]) -> System:
    """Return the system before training; the same seed gives the same weights."""
    torch.manual_seed(recipe.seed)
    if recipe.system == "pretrained":
        return load_pretrained(recipe.base, recipe.prefix, recipe.max_length, recipe.dropout)
    texts = (text for one in pairs for text in (one.source, one.target))
    vocabulary = Vocabulary.of(texts, recipe.vocabulary, recipe.rare)
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
        detector = Detector.fresh(recipe.base, feature_names(), recipe.width, len(vocabulary))
    return Scratch(Editor(plan), vocabulary, recipe.max_length, detector)


def _train(
    system: System,
    recipe: RewriterRecipe,
    state: State,
    out: Path,
    settings: Settings,
    data: tuple[Sequence[Pair], Sequence[Pair]],
) -> None:
    from safetensors.torch import load_file, save_file

    from unslant.lab.rewriters.saving import weights_of

    for number, phase in enumerate(recipe.phases):
        kept = out / "stages" / f"{number}-{phase.name}.safetensors"
        if number < state.stage:
            if number == state.stage - 1:
                system.module.load_state_dict(load_file(kept))
            continue
        Loop(system, phase, recipe.seed, state, out, settings.tell, settings.checkpoint_every).run(*data)
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_file(weights_of(system.module), kept)
        state.stage, state.epoch, state.best, state.waited = number + 1, 0, None, 0
        state.tensors = state.best_weights = None
        save_state(out, state)


def _write_card(recipe: RewriterRecipe, data: PairData, state: State, pairs: int, out: Path) -> None:
    before, unknown = cards_of([recipe.base] if recipe.base and is_run(recipe.base) else [])
    base = portable(recipe.base)
    card: dict[str, Any] = {
        "about": recipe.about,
        "version": VERSION,
        "encoder": base or "none: learned from the pairs alone",
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
            "It writes what editors wrote in sentences like these, and may change facts: its wordings are proposals.",
            "Sentences longer than it can read are left as they are.",
        ],
    }
    (out / "card.json").write_text(json.dumps(card, indent=1) + "\n", "utf-8")
    (out / "card.md").write_text(card_markdown(card), "utf-8")
