"""Whether a model serves all alike: figures for each outlet, topic and leaning of BABE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unslant.core.example import Example
from unslant.lab.evaluation.babe import corpora_of
from unslant.lab.evaluation.held_out import Answer, Setting, folded
from unslant.lab.evaluation.models import SentenceModel, need
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ClassMetrics, Metric, mean

__all__ = ["groups"]

_BY: dict[str, Callable[[Example], str | None]] = {
    "leaning": lambda example: example.leaning,
    "outlet": lambda example: example.outlet,
    "topic": lambda example: example.topic,
}


def groups(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure each group of sentences apart: macro-F1, false alarms on neutral ones, and misses."""
    for model in models:
        need(model, "sentence", "groups")
    corpus = corpora_of(models)[-1]
    answers = folded(models, corpus, setting)
    sections, spread = [], {}
    for by, key in _BY.items():
        parts: dict[str, list[Answer]] = {}
        for one in answers:
            parts.setdefault(key(one.example) or "not given", []).append(one)
        tables = {
            "macro-F1": {name: _macro(some) for name, some in sorted(parts.items())},
            "false alarms": {name: _alarms(some) for name, some in sorted(parts.items())},
        }
        for title, measures in tables.items():
            lower = list(measures) if title == "false alarms" else []
            found = figures("groups", measures, setting.resampling, lower)
            sections.append(Section(f"{title} by {by}", found, f"by {by}"))
            values = [one.estimate.value for one in found if one.estimate.value is not None]
            spread[f"{title} by {by}"] = max(values) - min(values) if values else None
    notes = (
        f"{corpus}, each sentence judged by a model that was trained without it",
        "false alarms: the share of sentences that the annotators call neutral and the model calls slanted",
        "leaning is that of the outlet, not of the sentence",
    )
    return Result("groups", models[0].name, tuple(sections), notes, details={"spread": spread})


def _macro(answers: Sequence[Answer]) -> Metric:
    gold = [bool(one.example.label) for one in answers]
    return ClassMetrics.exclusive(gold, [one.prediction.slanted for one in answers]).macro()


def _alarms(answers: Sequence[Answer]) -> Metric:
    return mean([float(one.prediction.slanted) for one in answers if one.example.label is False])
