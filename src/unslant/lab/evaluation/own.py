"""Measure a model on a user's own labelled table: sentences by their label, words by their spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unslant.core.errors import ConfigError
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.evaluation.held_out import Answer, Setting, left_out_notes, predict_examples
from unslant.lab.evaluation.models import SentenceModel
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, Metric, accuracy, calibration_error
from unslant.lab.stats.spans import (
    exact_f1,
    overlap_f1,
    overlap_precision,
    overlap_recall,
    token_f1,
)

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The probabilities from which a sentence could count as slanted, for which a result gives the figures."""


def measure_own(model: SentenceModel, dataset: FileDataset, setting: Setting) -> tuple[Result, list[Answer]]:
    """Return the figures of a model on a table, and its answers; only labelled texts count.

    Sentences are measured where the table has labels of both kinds, words where it has spans. Texts that the model has
    learned from are left out and counted.
    """
    examples = [example for example in dataset if example.label is not None or example.spans is not None]
    if not examples:
        raise ConfigError(
            f"{dataset.name}: no text has a label or spans; name the columns with --column label=… or spans=…, and "
            "what the labels mean with --label VALUE=1"
        )
    answers = predict_examples(model, examples, dataset.name, setting)
    sections = [*_sentence_sections(model, answers, setting), *_span_sections(model, answers, setting)]
    if not sections:
        raise ConfigError(
            f"{dataset.name}: all labels are the same and there are no spans, so there is nothing to measure"
        )
    notes = [note for note in model.lineage.notes(dataset.name) if "missing" in note]
    notes += left_out_notes(setting)
    if skipped := sum(dataset.skipped.values()):
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in dataset.skipped.items())
        notes.append(f"left out: {skipped:,} rows that cannot be used ({reasons})")
    details = {"thresholds": _by_threshold(answers)}
    return Result("own", model.name, tuple(sections), tuple(notes), details=details), answers


def _labelled(answers: Sequence[Answer]) -> list[Answer]:
    return [answer for answer in answers if answer.example.label is not None]


def _sentence_sections(model: SentenceModel, answers: Sequence[Answer], setting: Setting) -> list[Section]:
    judged = _labelled(answers)
    gold = [bool(answer.example.label) for answer in judged]
    if "sentence" not in model.answers or len(set(gold)) < 2:
        return []
    found = [answer.prediction.slanted for answer in judged]
    classes = ClassMetrics.exclusive(gold, found)
    measures: dict[str, Metric] = {
        "macro-F1": classes.macro(),
        "F1 of slanted": classes.f1(True),
        "precision of slanted": classes.precision(True),
        "recall of slanted": classes.recall(True),
        "accuracy": accuracy(gold, found),
    }
    lower = []
    if all(answer.prediction.probability is not None for answer in judged):
        chances = [answer.prediction.probability or 0.0 for answer in judged]
        measures["calibration error"] = calibration_error(chances, gold)
        lower = ["calibration error"]
    # the title does not count the sentences: two models are compared where titles are equal
    sections = [Section("sentences", figures("own", measures, setting.resampling, lower))]
    for threshold in THRESHOLDS if lower else ():
        at = ClassMetrics.exclusive(gold, [chance >= threshold for chance in chances])
        some = {"precision": at.precision(True), "recall": at.recall(True), "F1": at.f1(True)}
        sections.append(
            Section(f"from {threshold:g}", figures("own", some, setting.resampling), "by threshold")
        )
    return sections


def _by_threshold(answers: Sequence[Answer]) -> list[dict[str, float | int]]:
    """Return how many sentences would be called slanted from each threshold on, and how many of them rightly."""
    judged = [
        (answer.prediction.probability, bool(answer.example.label))
        for answer in _labelled(answers)
        if answer.prediction.probability is not None
    ]
    found: list[dict[str, float | int]] = []
    for threshold in THRESHOLDS:
        called = [label for chance, label in judged if chance >= threshold]
        found.append({"threshold": threshold, "slanted": len(called), "right": sum(called)})
    return found


def _span_sections(model: SentenceModel, answers: Sequence[Answer], setting: Setting) -> list[Section]:
    marked = [answer.spans for answer in answers if answer.example.spans is not None]
    if "spans" not in model.answers or not any(text.gold for text in marked):
        return []
    measures = {
        "exact F1": exact_f1(marked),
        "overlap F1": overlap_f1(marked),
        "overlap precision": overlap_precision(marked),
        "overlap recall": overlap_recall(marked),
        "token F1": token_f1(marked),
    }
    return [Section("spans", figures("own", measures, setting.resampling))]


def errors(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return the sentences that a model gets wrong, those that it is surest of first."""

    def sureness(answer: Answer) -> float:
        chance = answer.prediction.probability
        return 0.0 if chance is None else abs(chance - 0.5)

    wrong = [
        answer for answer in _labelled(answers) if answer.prediction.slanted != bool(answer.example.label)
    ]
    return [
        {
            "id": answer.example.id,
            "error": "called slanted" if answer.prediction.slanted else "missed",
            "probability": answer.prediction.probability,
            "text": answer.example.text,
            "marked": [
                answer.example.text[found.span.start : found.span.end] for found in answer.prediction.spans
            ],
        }
        for answer in sorted(wrong, key=sureness, reverse=True)
    ]
