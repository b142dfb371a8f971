"""Measures answers by description class and number of shots, and the effect of the wording."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import Description, ProbeAnswer
from unslant.lab.probing.items import ProbeItem, ProbeItems
from unslant.lab.probing.metrics import (
    MAIN_METRIC,
    METRICS,
    MetricSummary,
    ProbeMetric,
    count_answer,
    decompose_variance,
    measure_calibration,
    summarize,
)
from unslant.lab.probing.runs import AnswerRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SCHEMA", "MeasureSettings", "ProbeCell", "ProbeResult", "describe_result", "measure", "published"]

SCHEMA = "unslant/probe-result/1"


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """How to measure answers."""

    threshold: float = 0.5
    """The answer is yes above this probability."""
    resamples: int = 1000


@dataclass(frozen=True, slots=True)
class ProbeCell:
    """The results of one description class with one number of shots."""

    family: str
    shots: int
    wordings: int
    seeds: int
    metrics: Mapping[str, MetricSummary]
    by_dimension: Mapping[str, MetricSummary]
    each: tuple[tuple[str, float], ...]
    """The main metric of each wording, averaged over seeds, best first."""
    variance: Mapping[str, float] | None
    words: Mapping[str, Mapping[str, float]]
    """The main metric by slot and variant."""
    calibration: Mapping[str, Any] | None
    invalid: int
    """Invalid answers and texts that exceed the context window; they are excluded from all metrics."""
    answers: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "class": self.family,
            "shots": self.shots,
            "wordings": self.wordings,
            "seeds": self.seeds,
            "answers": self.answers,
            "invalid": self.invalid,
            "metrics": {name: summary.to_dict() for name, summary in self.metrics.items()},
            "by_dimension": {name: summary.to_dict() for name, summary in self.by_dimension.items()},
            "variance": self.variance,
            "best": self.each[0] if self.each else None,
            "worst": self.each[-1] if self.each else None,
            "each": [list(pair) for pair in self.each],
            "words": self.words,
            "calibration": self.calibration,
        }


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The results of one task."""

    task: str
    model: str
    title: str
    """Which texts were evaluated, and whether they stand in for others."""
    setting: Mapping[str, Any]
    cells: tuple[ProbeCell, ...]
    baselines: Mapping[str, Mapping[str, float | None]]
    texts: Mapping[str, str]
    """The wordings by id."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "task": self.task,
            "model": self.model,
            "texts": self.title,
            "setting": dict(self.setting),
            "cells": [cell.to_dict() for cell in self.cells],
            "baselines": self.baselines,
            "wordings": dict(self.texts),
            "notes": list(self.notes),
        }


@cache
def published(task: str, sampling: str = "random", decoding: str = "span") -> Mapping[str, Any]:
    """Return the published results for a task by class, metric or dimension, and shots; empty if there are none."""
    data = tomllib.loads(Path(__file__).with_name("published.toml").read_text("utf-8"))
    name = task
    if task == "identification":
        name = f"{task}-{sampling}"
    elif task == "extraction" and decoding != "span":
        name = f"{task}-{decoding}"
    results: Mapping[str, Any] = data.get(name, {})
    return results


def measure(
    records: Sequence[AnswerRecord],
    items: ProbeItems,
    descriptions: Sequence[Description],
    measuring: MeasureSettings | None = None,
) -> ProbeResult:
    """Return the results of a run without model, setting and notes, which the caller adds."""
    settings = measuring or MeasureSettings()
    by_key = {record.key: record.answer for record in records}
    rounds = list(dict.fromkeys((record.shots, record.seed) for record in records))
    families = list(dict.fromkeys(description.family for description in descriptions))
    cells = []
    for family in families:
        group = [description for description in descriptions if description.family == family]
        for shots in dict.fromkeys(shots for shots, _ in rounds):
            seeds = [seed for number, seed in rounds if number == shots]
            answers = [
                [[by_key[description.id, shots, seed, item.id] for item in items.evaluated] for seed in seeds]
                for description in group
            ]
            cells.append(_cell((family, shots), group, answers, items, settings))
    return ProbeResult(
        items.task,
        "",
        items.title,
        {},
        tuple(cells),
        _baselines(items, settings),
        {description.id: description.text for description in descriptions},
    )


def _cell(
    name: tuple[str, int],
    descriptions: Sequence[Description],
    answers: Sequence[Sequence[Sequence[ProbeAnswer]]],
    items: ProbeItems,
    settings: MeasureSettings,
) -> ProbeCell:
    import numpy as np

    task = items.task
    counts = np.array(
        [
            [
                [
                    count_answer(task, item, answer, settings.threshold)
                    for item, answer in zip(items.evaluated, row, strict=True)
                ]
                for row in rows
            ]
            for rows in answers
        ]
    )
    invalid = int((counts[..., 0] == 0).sum())
    main = MAIN_METRIC[task]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = main.formula(counts.sum(axis=2)).mean(axis=1)
    ranked = sorted(
        zip((description.id for description in descriptions), map(float, values), strict=True),
        key=lambda pair: -pair[1],
    )
    complete = (counts[..., 0] > 0).all(axis=(0, 1))
    return ProbeCell(
        *name,
        len(descriptions),
        counts.shape[1],
        {metric.name: summarize(counts, metric.formula, settings.resamples) for metric in METRICS[task]},
        _by_dimension(task, counts, items.evaluated, main, settings),
        tuple(pair for pair in ranked if pair[1] == pair[1]),
        decompose_variance(counts[:, :, complete, 1]) if len(descriptions) > 1 and complete.any() else None,
        _by_variant(descriptions, values) if len(descriptions) > 1 else {},
        _calibration(answers, items.evaluated) if task == "diagnosis" else None,
        invalid,
        counts[..., 0].size,
    )


def _by_dimension(
    task: str,
    counts: NDArray[np.float64],
    evaluated: Sequence[ProbeItem],
    main: ProbeMetric,
    settings: MeasureSettings,
) -> dict[str, MetricSummary]:
    if task == "diagnosis" or any(item.dimension is None for item in evaluated):
        return {}
    found = {}
    for name in dimensions():
        inside = [at for at, item in enumerate(evaluated) if item.dimension == name]
        if inside:
            found[name] = summarize(counts[:, :, inside], main.formula, settings.resamples)
    return found


def _by_variant(
    descriptions: Sequence[Description], values: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """Return the mean of the main metric for each variant of each slot."""
    found: dict[str, dict[str, list[float]]] = {}
    for description, value in zip(descriptions, values, strict=True):
        for slot, variant in description.slots.items():
            found.setdefault(slot, {}).setdefault(variant, []).append(float(value))
    return {
        slot: {variant: sum(many) / len(many) for variant, many in variants.items()}
        for slot, variants in found.items()
    }


def _calibration(
    answers: Sequence[Sequence[Sequence[ProbeAnswer]]], evaluated: Sequence[ProbeItem]
) -> dict[str, Any]:
    pairs = [
        (answer.probability, item.answers[0] == "yes")
        for rows in answers
        for row in rows
        for item, answer in zip(evaluated, row, strict=True)
        if answer.valid and answer.probability is not None
    ]
    return measure_calibration([probability for probability, _ in pairs], [gold for _, gold in pairs])


def _baselines(items: ProbeItems, settings: MeasureSettings) -> dict[str, dict[str, float | None]]:
    """Return baselines without a model: copying the text, or always giving the most frequent answer."""
    if items.task in ("extraction", "rephrasing"):
        return {"copy": _measure_fixed(items, [ProbeAnswer(item.text) for item in items.evaluated], settings)}
    firsts = [item.answers[0] for item in items.evaluated]
    most_frequent = max(dict.fromkeys(firsts), key=firsts.count)
    return {
        f"always {most_frequent}": _measure_fixed(items, [ProbeAnswer(most_frequent)] * len(firsts), settings)
    }


def _measure_fixed(
    items: ProbeItems, answers: Sequence[ProbeAnswer], settings: MeasureSettings
) -> dict[str, float | None]:
    import numpy as np

    pairs = zip(items.evaluated, answers, strict=True)
    counts = np.array(
        [[[count_answer(items.task, item, answer, settings.threshold) for item, answer in pairs]]]
    )
    return {metric.name: summarize(counts, metric.formula, 0).mean for metric in METRICS[items.task]}


def describe_result(
    result: ProbeResult, model: str, setting: Mapping[str, Any], notes: Sequence[str]
) -> ProbeResult:
    """Add the model, its settings and notes to a result."""
    return replace(result, model=model, setting=setting, notes=tuple(notes))
