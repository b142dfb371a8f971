"""A whole run: the stages of a recipe one after another, then the model and its card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.detector.card import write_card
from unslant.lab.detector.checkpoint import State, load_state, save_state
from unslant.lab.detector.data import Data
from unslant.lab.detector.distill import ask_teachers, load_soft, save_soft, with_soft
from unslant.lab.detector.features import feature_names
from unslant.lab.detector.fit import fit_heads
from unslant.lab.detector.loop import Loop, Tell
from unslant.lab.detector.network import Trained, load_trained, make_network, save_trained
from unslant.lab.detector.predict import encode_for, measure, predict
from unslant.lab.detector.recipe import Part, Recipe, Stage, read_recipe
from unslant.lab.detector.rows import Sample
from unslant.lab.detector.weak import drop_least_likely, relabel

__all__ = ["Settings", "train"]


OWN_TEACHER = "recipe:"


def _silent(what: str, done: int, total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run a recipe; none of it changes the weights that come out."""

    data: str | Path | None = None
    """Where the corpora lie."""
    resume: bool = False
    threads: int = 1
    """For torch. More than there are free cores is slower than one."""
    checkpoint_every: int = 200
    tell: Tell = _silent


def train(recipe: Recipe, out: str | Path, settings: Settings | None = None) -> Path:
    """Run a recipe and return the folder of the trained model, ``out/model``."""
    settings = settings or Settings()
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = _begin(recipe, out, resume=settings.resume)
    recipe = _with_own_teachers(recipe, out, settings)
    data = Data(recipe, settings.data)
    fitted = fit_heads(recipe, data, out)
    base = make_network(fitted, feature_names() if recipe.features else ())
    trained = base
    for number, stage in enumerate(recipe.stages):
        folder = out / "stages" / f"{number}-{stage.name}"
        if number < state.stage:
            trained = load_trained(folder)
            data.samples(stage.corpora, training=True)  # the card names every corpus, also after a resume
            continue
        samples, dev = _data_of(stage, trained, data, folder, settings)
        loop = Loop(
            fitted,
            stage,
            _start(stage, base, trained, fitted),
            state,
            out,
            settings.tell,
            settings.checkpoint_every,
        )
        trained = loop.run(samples, dev)
        save_trained(trained, folder)
        state.stage, state.epoch, state.best, state.waited = number + 1, 0, None, 0
        state.tensors = state.best_weights = None
        save_state(out, state)
    save_trained(trained, out / "model")
    write_card(recipe, data, state, _held_out(recipe, trained, data), out)
    return out / "model"


def _begin(recipe: Recipe, out: Path, *, resume: bool) -> State:
    text = json.dumps(asdict(recipe), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    state = load_state(out)
    if state is not None and not resume:
        raise ConfigError(f"{out} holds a run already; add --resume to go on with it, or name another folder")
    if state is not None and state.digest != digest:
        raise ConfigError(f"{out} holds a run of another recipe; name another folder")
    out.mkdir(parents=True, exist_ok=True)
    (out / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", "utf-8")
    return state or State(digest)


def _with_own_teachers(recipe: Recipe, out: Path, settings: Settings) -> Recipe:
    """Train the teachers that are named by a recipe, ``recipe:NAME``, and return the recipe with their folders."""
    stages = []
    for stage in recipe.stages:
        if stage.distill is not None:
            teachers = tuple(_teacher(one, recipe, out, settings) for one in stage.distill.teachers)
            stage = replace(stage, distill=replace(stage.distill, teachers=teachers))
        stages.append(stage)
    return replace(recipe, stages=tuple(stages))


def _teacher(name: str, recipe: Recipe, out: Path, settings: Settings) -> str:
    if not name.startswith(OWN_TEACHER):
        return name
    folder = out / "teachers" / name.removeprefix(OWN_TEACHER).removesuffix(".toml").replace("/", "-")
    if (folder / "card.json").is_file():
        return str(folder / "model")
    own = read_recipe(name.removeprefix(OWN_TEACHER))
    fold = recipe.folds.fold if recipe.folds is not None and own.folds is not None else None
    own = replace(own.with_fold(fold), precision=recipe.precision)
    return str(train(own, folder, replace(settings, resume=True)))


def _start(stage: Stage, base: Trained, before: Trained, recipe: Recipe) -> Trained:
    trained = before
    if stage.start == "base" and before is not base:
        trained = make_network(recipe, base.network.plan.features)
    if stage.fresh_heads:
        torch.manual_seed(recipe.seed)
        trained.network.fresh_heads()
    return replace(trained, decisions={})


def _data_of(
    stage: Stage, before: Trained, data: Data, folder: Path, settings: Settings
) -> tuple[list[Sample], list[Sample]]:
    """Return what a stage learns from and is chosen by."""
    samples = data.samples(stage.corpora, training=True)
    dev = data.samples(stage.dev, training=False)
    if stage.relabel:
        samples = relabel(before, samples, stage.relabel)
    if stage.drop_least_likely:
        samples = drop_least_likely(before, samples, stage.drop_least_likely)
    if stage.distill is not None:
        bare = [
            Sample(_unlabelled(one), one.part, one.split)
            for one in data.samples(stage.distill.corpora, training=True)
        ]
        fold = data.recipe.folds.fold if data.recipe.folds is not None else None
        teachers = [one.replace("{fold}", str(fold)) for one in stage.distill.teachers]
        asked = stage.distill.asked
        alone = [one for one in samples if asked and one.part.name not in asked]
        own = [one for one in samples if not asked or one.part.name in asked]
        heads = stage.distill.heads
        samples = [*_taught(teachers, [*own, *bare], heads, folder, settings), *alone]
    if not samples:
        raise ConfigError(f"stage {stage.name!r} has nothing to learn from; look at its corpora and splits")
    return samples, dev


def _unlabelled(sample: Sample) -> Example:
    return replace(sample.example, label=None, share=None, spans=None, kinds=None, dimension=None, extra={})


def _taught(
    teachers: Sequence[str],
    samples: Sequence[Sample],
    heads: Sequence[str],
    folder: Path,
    settings: Settings,
) -> list[Sample]:
    path = folder / "teacher.safetensors"
    if path.is_file():
        targets = load_soft(path)
        if len(targets) == len(samples):
            return with_soft(samples, targets)
    done = 0

    def tell(count: int) -> None:
        nonlocal done
        done += count
        settings.tell(f"{folder.name}, asking the teacher", done, len(samples) * len(teachers))

    targets = ask_teachers(teachers, samples, tell, heads=heads)
    folder.mkdir(parents=True, exist_ok=True)
    save_soft(targets, path)
    return with_soft(samples, targets)


def _held_out(recipe: Recipe, trained: Trained, data: Data) -> dict[str, dict[str, float]]:
    """Measure on the test splits of the guarded corpora and of the fold, with decisions made elsewhere."""
    names = dict.fromkeys((*recipe.guard, *((recipe.folds.corpus,) if recipe.folds else ())))
    parts = {part.name: part for stage in recipe.stages for part in (*stage.corpora, *stage.dev)}
    found = {}
    for name in names:
        part = replace(parts.get(name, Part(name)), splits=("test",), sides=(), labels=(), limit=None)
        rows = encode_for(trained, data.samples([part], training=False))
        if rows:
            outputs = predict(trained, rows, all_rows=False)
            found[name] = measure(trained.network, outputs, rows, trained.decisions)
    return found
