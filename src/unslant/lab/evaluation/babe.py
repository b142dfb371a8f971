"""BABE by the publication's protocol: stratified 5-fold cross-validation, macro-F1 and its standard error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unslant.lab import corpora
from unslant.lab.evaluation.held_out import FOLDS, Answer, Setting, folded
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.bootstrap import standard_error
from unslant.lab.stats.metrics import ClassMetrics, Metric, accuracy, average_metrics

__all__ = ["babe", "corpora_of"]

CORPORA = ("babe/sg1", "babe/sg2")


def corpora_of(models: Sequence[SentenceModel]) -> tuple[str, ...]:
    """Return the groups of BABE that models may be measured on: those of their folds, or both."""
    named = [name for name in CORPORA if any(one.lineage.fold_of(name) for one in models)]
    return tuple(named) or CORPORA


def babe(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure each fold on the part it was trained without, and take the mean over folds."""
    for model in models:
        need(model, "sentence", "babe")
    sections, notes, details = [], [], {}
    for corpus in corpora_of(models):
        answers = folded(models, corpus, setting)
        sections.append(_section(corpus, answers, setting))
        notes += _notes(corpus, answers, models, setting)
        details[corpus] = _by_fold(answers)
    name = models[0].name if len(models) == 1 else f"{models[0].name} and {len(models) - 1} more"
    return Result("babe", name, tuple(sections), tuple(dict.fromkeys(notes)), details={"folds": details})


def _parts(answers: Sequence[Answer]) -> dict[int, list[Answer]]:
    found: dict[int, list[Answer]] = {}
    for one in answers:
        found.setdefault(one.fold, []).append(one)
    return found


def _classes(answers: Sequence[Answer]) -> ClassMetrics:
    return ClassMetrics.exclusive(*_labels(answers))


def _labels(answers: Sequence[Answer]) -> tuple[list[bool], list[bool]]:
    return [bool(one.example.label) for one in answers], [one.prediction.slanted for one in answers]


def _section(corpus: str, answers: Sequence[Answer], setting: Setting) -> Section:
    parts = list(_parts(answers).values())
    by_fold: dict[str, list[Metric]] = {
        "macro-F1": [_classes(one).macro() for one in parts],
        "weighted F1": [_classes(one).weighted() for one in parts],
        "accuracy": [accuracy(*_labels(one)) for one in parts],
        "F1 of biased": [_classes(one).f1(True) for one in parts],
        "F1 of neutral": [_classes(one).f1(False) for one in parts],
    }
    measures = {f"{corpus}, {name}": average_metrics(some) for name, some in by_fold.items()}
    found = figures("babe", measures, setting.resampling)
    errors = [standard_error([one.value or 0.0 for one in some]) for some in by_fold.values()]
    return Section(
        f"{corpus}, mean of {len(parts)} fold{'s' if len(parts) != 1 else ''}",
        tuple(replace(one, error=error) for one, error in zip(found, errors, strict=True)),
    )


def _by_fold(answers: Sequence[Answer]) -> list[dict[str, float | int | None]]:
    return [
        {
            "fold": fold,
            "sentences": len(some),
            "macro_f1": _classes(some).macro().value,
            "weighted_f1": _classes(some).weighted().value,
        }
        for fold, some in sorted(_parts(answers).items())
    ]


def _notes(
    corpus: str, answers: Sequence[Answer], models: Sequence[SentenceModel], setting: Setting
) -> list[str]:
    total = sum(one.label is not None for one in corpora.load(corpus, setting.data))
    notes = [note for model in models for note in model.lineage.notes(corpus)]
    if len(_parts(answers)) < FOLDS and len(models) <= FOLDS:
        notes.append(f"{corpus}: {len(answers):,} of {total:,} sentences, as not all folds are there")
    if corpus == "babe/sg2":
        notes.append(f"the publication counts 3,700 sentences in SG2, this copy has {total:,} with agreement")
    notes.append("folds keep equal sentences together; those of the publication are not known")
    return notes
