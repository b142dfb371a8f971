"""Measure models on BABE: the publication's stratified 5-fold cross-validation, and by outlet, topic and leaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError
from unslant.lab import corpora
from unslant.lab.detector.recipe import Folds, Recipe, build
from unslant.lab.evaluation.held_out import FOLDS, Answer, Setting, predict_folds
from unslant.lab.evaluation.models import SentenceModel, require_answer
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.bootstrap import standard_error
from unslant.lab.stats.metrics import ClassMetrics, Metric, accuracy, average_metrics, mean

if TYPE_CHECKING:
    from unslant.lab.detector.run import TrainSettings

CORPORA = ("babe/sg1", "babe/sg2")


def corpora_of(models: Sequence[SentenceModel]) -> tuple[str, ...]:
    """Return the groups of BABE to measure models on: those that their folds name, or both."""
    named = [name for name in CORPORA if any(model.lineage.fold_of(name) for model in models)]
    return tuple(named) or CORPORA


def babe(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure each model on the fold that it was trained without, and average over folds."""
    for model in models:
        require_answer(model, "sentence", "babe")
    sections, notes, details = [], [], {}
    for corpus in corpora_of(models):
        answers = predict_folds(models, corpus, setting)
        sections.append(_section(corpus, answers, setting))
        notes += _notes(corpus, answers, models, setting)
        details[corpus] = _by_fold(answers)
        if corpus == "babe/sg2" and (again := _relabel(answers, setting)):
            sections.append(_section("babe/sg2 with the labels of babe/reannotated", again, setting))
            notes.append(
                "the later labels correct only what a language model disagreed on, so they favor models like it"
            )
    name = models[0].name if len(models) == 1 else f"{models[0].name} and {len(models) - 1} more"
    return Result("babe", name, tuple(sections), tuple(dict.fromkeys(notes)), details={"folds": details})


def _relabel(answers: Sequence[Answer], setting: Setting) -> list[Answer]:
    """Return the answers to sentences of the later release, with its labels; none if it is not installed."""
    try:
        labels = {example.text: example.label for example in corpora.load("babe/reannotated", setting.data)}
    except corpora.CorpusMissing:
        return []
    found = [
        replace(answer, example=replace(answer.example, label=labels[answer.example.text]))
        for answer in answers
        if labels.get(answer.example.text) is not None
    ]
    # a fold of a small sample may contain only one class, for which F1 is undefined
    return [answer for part in _parts(found).values() if len(set(_labels(part)[0])) == 2 for answer in part]


def _parts(answers: Sequence[Answer]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = {}
    for answer in answers:
        found.setdefault(answer.fold, []).append(answer)
    return found


def _classes(answers: Sequence[Answer]) -> ClassMetrics:
    return ClassMetrics.exclusive(*_labels(answers))


def _labels(answers: Sequence[Answer]) -> tuple[list[bool], list[bool]]:
    gold = [bool(answer.example.label) for answer in answers]
    return gold, [answer.prediction.slanted for answer in answers]


def _section(corpus: str, answers: Sequence[Answer], setting: Setting) -> Section:
    parts = list(_parts(answers).values())
    by_fold: dict[str, list[Metric]] = {
        "macro-F1": list(map(_macro, parts)),
        "weighted F1": [_classes(part).weighted() for part in parts],
        "accuracy": [accuracy(*_labels(part)) for part in parts],
        "F1 of biased": [_classes(part).f1(True) for part in parts],
        "F1 of neutral": [_classes(part).f1(False) for part in parts],
    }
    measures = {f"{corpus}, {name}": average_metrics(some) for name, some in by_fold.items()}
    found = figures("babe", measures, setting.resampling)
    errors = [standard_error([metric.value or 0.0 for metric in some]) for some in by_fold.values()]
    return Section(
        f"{corpus}, mean of {len(parts)} fold{'s' if len(parts) != 1 else ''}",
        tuple(replace(figure, error=error) for figure, error in zip(found, errors, strict=True)),
    )


def _by_fold(answers: Sequence[Answer]) -> list[dict[str, float | int | None]]:
    return [
        {
            "fold": fold,
            "sentences": len(some),
            "macro_f1": _macro(some).value,
            "weighted_f1": _classes(some).weighted().value,
        }
        for fold, some in sorted(_parts(answers).items())
    ]


def _notes(
    corpus: str, answers: Sequence[Answer], models: Sequence[SentenceModel], setting: Setting
) -> list[str]:
    total = sum(example.label is not None for example in corpora.load(corpus, setting.data))
    notes = [note for model in models for note in model.lineage.notes(corpus)]
    if len(models) == 1 and models[0].lineage.fold_of(corpus) is None:
        notes.insert(0, f"no cross-validation: one model, trained without {corpus}, on all folds")
    if len(_parts(answers)) < FOLDS and len(models) <= FOLDS:
        notes.append(f"{corpus}: {len(answers):,} of {total:,} sentences, as not all folds are there")
    if corpus == "babe/sg2":
        notes.append(f"the publication counts 3,700 sentences in SG2, this copy has {total:,} with agreement")
    notes.append("folds keep equal sentences together; the folds of the publication are not known")
    return notes


_BY = ("leaning", "outlet", "topic")


def groups(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure macro-F1 and false alarms separately for each group of sentences."""
    for model in models:
        require_answer(model, "sentence", "groups")
    corpus = corpora_of(models)[-1]
    answers = predict_folds(models, corpus, setting)
    sections, spread = [], {}
    for by in _BY:
        parts: dict[str, list[Answer]] = {}
        for answer in answers:
            parts.setdefault(getattr(answer.example, by) or "not given", []).append(answer)
        for title, measure in (("macro-F1", _macro), ("false alarms", _false_alarms)):
            measures = {name: measure(some) for name, some in sorted(parts.items())}
            lower = measures if measure is _false_alarms else ()
            found = figures("groups", measures, setting.resampling, lower)
            sections.append(Section(f"{title} by {by}", found, f"by {by}"))
            values = [figure.estimate.value for figure in found if figure.estimate.value is not None]
            spread[f"{title} by {by}"] = max(values) - min(values) if values else None
    notes = (
        f"{corpus}, each sentence judged by a model that was trained without it",
        "false alarms: the share of sentences that the annotators call neutral and the model calls slanted",
        "leaning is that of the outlet, not of the sentence",
    )
    return Result("groups", models[0].name, tuple(sections), notes, details={"spread": spread})


def _macro(answers: Sequence[Answer]) -> Metric:
    return _classes(answers).macro()


def _false_alarms(answers: Sequence[Answer]) -> Metric:
    return mean([float(answer.prediction.slanted) for answer in answers if answer.example.label is False])


def _folds_of(recipe: Recipe) -> Folds:
    if recipe.folds is None:
        raise ConfigError("this recipe has no folds; add a [folds] table that names a corpus")
    return recipe.folds


def train_folds(recipe: Recipe, out: Path, settings: TrainSettings) -> Path:
    """Train one model per fold in ``out/fold-N``; keep finished folds and resume interrupted ones."""
    count = _folds_of(recipe).count
    from unslant.lab.detector.run import train

    for fold in range(count):
        folder = out / f"fold-{fold}"
        if not (folder / "card.json").is_file():
            train(recipe.with_fold(fold), folder, replace(settings, resume=True))
    return out


def replace_corpus(recipe: Recipe, corpus: str) -> Recipe:
    """Return the recipe with another corpus in place of the one that its folds name."""
    return build(Recipe, _move_paths(asdict(recipe), _folds_of(recipe).corpus, corpus), "recipe")


def _move_paths(value: Any, before: str, after: str) -> Any:
    if isinstance(value, dict):
        # None stands for a setting that was not given
        return {key: _move_paths(entry, before, after) for key, entry in value.items() if entry is not None}
    if isinstance(value, list | tuple):
        return [_move_paths(entry, before, after) for entry in value]
    return after if value == before else value
