"""A training run: fits the heads' vocabularies, trains the stages of a recipe, and writes the model and its card."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import read_json
from unslant.lab.corpora.seen import read_seen, write_seen
from unslant.lab.detector.card import make_card, write_card
from unslant.lab.detector.checkpoint import RunState, open_run, save_state
from unslant.lab.detector.data import Data
from unslant.lab.detector.heads import fit_head
from unslant.lab.detector.loop import ProgressCallback, StageLoop
from unslant.lab.detector.network import Trained, load_trained, make_network, save_trained
from unslant.lab.detector.predict import encode_for, measure, predict
from unslant.lab.detector.pseudo_labels import (
    ask_teachers,
    attach_soft_labels,
    drop_least_likely,
    load_soft_labels,
    relabel,
    save_soft_labels,
)
from unslant.lab.detector.recipe import (
    Distill,
    HeadPlan,
    Part,
    Recipe,
    Stage,
    read_recipe,
    recipe_digest,
)
from unslant.lab.detector.rows import TrainingSample, feature_names
from unslant.lab.detector.tracking import Tracker, check_trackers, open_trackers

OWN_TEACHER = "recipe:"
_NO_LABELS: dict[str, Any] = {**dict.fromkeys(("label", "share", "spans", "kinds", "dimension")), "extra": {}}


def _no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """How to run a recipe; none of these settings affects the resulting weights."""

    data: str | Path | None = None
    """The folder of the corpora."""
    resume: bool = False
    threads: int = 1
    """Threads for torch; more than there are free cores slows training down."""
    checkpoint_every: int = 200
    progress: ProgressCallback = _no_progress
    trackers: tuple[str, ...] = ()
    """Where figures are recorded while the run goes on; see :mod:`unslant.lab.detector.tracking`."""


def train(recipe: Recipe, out: str | Path, settings: TrainSettings | None = None) -> Path:
    """Run a recipe and return the folder of the trained model, ``out/model``. A finished run is kept."""
    settings = settings or TrainSettings()
    check_trackers(settings.trackers)
    torch.set_num_threads(settings.threads)
    out = Path(out)
    state = open_run(recipe, out, recipe_digest(recipe), resume=settings.resume)
    if state.stage == len(recipe.stages) and (out / "card.json").is_file():
        return out / "model"
    recipe = _train_teachers(recipe, out, settings)
    data = Data(recipe, settings.data)
    fitted = fit_heads(recipe, data, out)
    base = make_network(fitted, feature_names() if recipe.features else (), _counted_texts(recipe, data))
    tracker = open_trackers(settings.trackers, out, asdict(recipe), state.total_steps)
    with closing(tracker):
        trained, seen = _train_stages(fitted, base, data, state, out, settings, tracker)
    save_trained(trained, out / "model")
    write_seen(out, seen, _seen_before(recipe))
    write_card(make_card(recipe, data, state, _measure_held_out(recipe, trained, data)), out)
    return out / "model"


def _train_stages(
    recipe: Recipe,
    base: Trained,
    data: Data,
    state: RunState,
    out: Path,
    settings: TrainSettings,
    tracker: Tracker,
) -> tuple[Trained, list[str]]:
    """Train the stages that are left; return the network and every text that it has seen."""
    trained = base
    seen: list[str] = []
    for number, stage in enumerate(recipe.stages):
        folder = out / "stages" / f"{number}-{stage.name}"
        if number < state.stage:
            trained = load_trained(folder)
            corpora = (*stage.corpora, *(stage.distill.corpora if stage.distill else ()))
            again = data.samples(corpora, training=True)  # the card names every corpus after a resume, too
            seen += [sample.example.text for sample in (*again, *data.samples(stage.dev, training=False))]
            continue
        samples, dev = _load_samples(stage, trained, data, folder, settings)
        seen += [sample.example.text for sample in (*samples, *dev)]
        loop = StageLoop(
            recipe,
            stage,
            _initial_network(stage, base, trained, recipe, data),
            state,
            out,
            settings.progress,
            settings.checkpoint_every,
            tracker,
        )
        trained = loop.run(samples, dev)
        save_trained(trained, folder)
        state.begin(number + 1)
        save_state(out, state)
    return trained, seen


def _seen_before(recipe: Recipe) -> set[str]:
    """Return the digests of the texts that the base model and the teachers have learned from."""
    return {digest for folder in (recipe.encoder, *recipe.all_teachers()) for digest in read_seen(folder)}


def _train_teachers(recipe: Recipe, out: Path, settings: TrainSettings) -> Recipe:
    """Train the teachers given as ``recipe:NAME``, and return the recipe with their folders."""
    stages = []
    for stage in recipe.stages:
        if stage.distill is not None:
            teachers = tuple(_teacher(teacher, recipe, out, settings) for teacher in stage.distill.teachers)
            stage = replace(stage, distill=replace(stage.distill, teachers=teachers))
        stages.append(stage)
    return replace(recipe, stages=tuple(stages))


def _teacher(name: str, recipe: Recipe, out: Path, settings: TrainSettings) -> str:
    if not name.startswith(OWN_TEACHER):
        return name
    folder = out / "teachers" / name.removeprefix(OWN_TEACHER).removesuffix(".toml").replace("/", "-")
    if (folder / "card.json").is_file():
        return str(folder / "model")
    own = read_recipe(name.removeprefix(OWN_TEACHER))
    fold = recipe.folds.fold if recipe.folds is not None and own.folds is not None else None
    own = replace(own.with_fold(fold), precision=recipe.precision)
    return str(train(own, folder, replace(settings, resume=True)))


def _counted_texts(recipe: Recipe, data: Data) -> Iterator[str]:
    """Yield the texts in which subwords are counted, for a recipe with a smaller vocabulary."""
    if recipe.vocabulary is not None:
        trained_on = [part for stage in recipe.stages for part in stage.corpora]
        for sample in data.samples([*trained_on, *recipe.vocabulary.corpora], training=False):
            yield sample.example.text


def _initial_network(stage: Stage, base: Trained, before: Trained, recipe: Recipe, data: Data) -> Trained:
    trained = before
    if stage.start == "base" and before is not base:
        trained = make_network(recipe, base.network.plan.features, _counted_texts(recipe, data))
    if stage.fresh_heads:
        torch.manual_seed(recipe.seed)
        trained.network.reset_heads()
    return replace(trained, decisions={})


def _load_samples(
    stage: Stage, before: Trained, data: Data, folder: Path, settings: TrainSettings
) -> tuple[list[TrainingSample], list[TrainingSample]]:
    """Return the training and development samples of a stage."""
    samples = data.samples(stage.corpora, training=True)
    dev = data.samples(stage.dev, training=False)
    if stage.relabel:
        samples = relabel(before, samples, stage.relabel)
    if stage.drop_least_likely:
        samples = drop_least_likely(before, samples, stage.drop_least_likely)
    if stage.distill is not None:
        samples = _taught_samples(stage.distill, samples, data, folder, settings)
    if not samples:
        removed = sum(data.dropped[part.name] for part in stage.corpora)
        why = (
            f"the guard removed all {removed:,} texts, because they are in held-out text of "
            f"{', '.join(data.recipe.guard)}"
            if removed
            else "check its corpora and splits"
        )
        raise ConfigError(f"stage {stage.name!r} has no training data; {why}")
    return samples, dev


def _taught_samples(
    distill: Distill, samples: list[TrainingSample], data: Data, folder: Path, settings: TrainSettings
) -> list[TrainingSample]:
    """Return the samples and further texts with what the teachers say of them."""
    bare = [
        TrainingSample(replace(sample.example, **_NO_LABELS), sample.part, sample.split)
        for sample in data.samples(distill.corpora, training=True)
    ]
    asked = distill.asked
    alone = [sample for sample in samples if asked and sample.part.name not in asked]
    own = [sample for sample in samples if not asked or sample.part.name in asked]
    teachers = data.recipe.teacher_folders(distill)
    return [*_add_soft_labels(teachers, [*own, *bare], distill.heads, folder, settings), *alone]


def _add_soft_labels(
    teachers: Sequence[str],
    samples: Sequence[TrainingSample],
    heads: Sequence[str],
    folder: Path,
    settings: TrainSettings,
) -> list[TrainingSample]:
    path = folder / "teacher.safetensors"
    if path.is_file():
        targets = load_soft_labels(path)
        if len(targets) == len(samples):
            return attach_soft_labels(samples, targets)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        settings.progress(f"{folder.name}, asking the teacher", done, len(samples) * len(teachers))

    targets = ask_teachers(teachers, samples, advance, heads=heads)
    folder.mkdir(parents=True, exist_ok=True)
    save_soft_labels(targets, path)
    return attach_soft_labels(samples, targets)


def _measure_held_out(recipe: Recipe, trained: Trained, data: Data) -> dict[str, dict[str, float]]:
    """Measure the model on the test splits of the guarded corpora and of the held-out fold."""
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


_FILE = "fitted.json"


def fit_heads(recipe: Recipe, data: Data, out: Path) -> Recipe:
    """Return the recipe with all options that its heads derive from the training data, such as a vocabulary.

    The options are written to the folder of the run and read back on a resume. A head that continues from a trained
    model keeps its options, because its outputs must keep their meaning.
    """
    path = out / _FILE
    known = _read_fitted(path) if path.is_file() else _inherited_options(recipe)
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


def _read_fitted(path: Path) -> dict[str, Mapping[str, Any]]:
    try:
        found = read_json(path)
        return {str(name): dict(options) for name, options in found.items()}
    except (InputError, TypeError, ValueError, AttributeError):
        raise ConfigError(f"{path}: cannot read the file; delete the folder to start over") from None


def _inherited_options(recipe: Recipe) -> dict[str, Mapping[str, Any]]:
    """Return the fitted options of the trained model that this recipe continues from."""
    path = Path(recipe.encoder, "network.json")
    if not path.is_file():
        return {}
    try:
        heads = read_json(path)["plan"]["heads"]
        return {
            name: {"vocabulary": plan["options"]["vocabulary"]}
            for name, plan in heads.items()
            if plan.get("options", {}).get("vocabulary")
            and name in recipe.heads
            and plan["type"] == recipe.heads[name].type
        }
    except (InputError, KeyError, TypeError, AttributeError):
        raise ConfigError(f"{path}: is not the description of a trained model") from None


def _samples(recipe: Recipe, plan: HeadPlan, data: Data) -> list[TrainingSample]:
    """Return every text that a head learns from in any stage, once."""
    parts = [
        part
        for stage in recipe.stages
        for part in stage.corpora
        if (not plan.corpora or part.name in plan.corpora) and (not part.labels or plan.type in part.labels)
    ]
    found = data.samples(parts, training=True)
    return list({(sample.part.name, sample.example.id): sample for sample in found}.values())
