"""Measures answers by description class and number of shots, and the effect of the wording, in percent.

A metric is a formula over sums of counts, which have the axes (wordings, seeds, texts, columns). The metric of one run
is the formula over its texts; a summary holds the mean and standard deviation over wordings and seeds, and a bootstrap
interval over texts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unslant.core.encoding import encode_fields
from unslant.core.taxonomy import dimensions
from unslant.lab.probing.categories import REPHRASING_CATEGORIES, rephrasing_category
from unslant.lab.probing.descriptions import Description, ProbeAnswer
from unslant.lab.stats.bootstrap import Resampling, estimate
from unslant.lab.stats.metrics import brier_score, calibration_error, f1_score, reliability_bins
from unslant.lab.stats.metrics import mean as average
from unslant.lab.stats.text_overlap import BLEU_COLUMNS, bag_f1, bleu_counts, bleu_from_counts, meteor

if TYPE_CHECKING:
    from unslant.lab.probing.items import ProbeItem, ProbeItems
    from unslant.lab.probing.runs import AnswerRecord

Numbers: TypeAlias = NDArray[np.float64]

Formula: TypeAlias = "Callable[[Numbers], Numbers]"


@dataclass(frozen=True, slots=True)
class ProbeMetric:
    """A metric with its title and its formula, from (…, columns) to (…)."""

    name: str
    title: str
    formula: Formula


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """A metric over several runs."""

    mean: float | None
    """The mean over wordings and seeds; None if undefined."""
    deviation: float | None
    """The population standard deviation over wordings and seeds; None of a single run."""
    low: float | None = None
    high: float | None = None
    """The ends of the 95 % bootstrap interval over texts."""

    def to_dict(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return {"mean": self.mean, "sd": self.deviation, "low": self.low, "high": self.high}


def _share(column: int) -> Formula:
    return lambda sums: 100 * sums[..., column] / sums[..., 0]


def _f1(hits: int, predicted: int, gold: int) -> Formula:
    """F1 from three columns; 0 if there is something to find and none of it was found."""
    return lambda sums: 100 * f1_score(sums[..., hits], sums[..., predicted], sums[..., gold])


def _macro(sums: Numbers) -> Numbers:
    return np.asarray(np.mean([_f1(2, 3, 4)(sums), _f1(5, 6, 7)(sums)], axis=0))


_OVERLAP = (
    ProbeMetric("f1", "F1-token", _share(1)),
    ProbeMetric("bleu", "BLEU-4", lambda sums: 100 * bleu_from_counts(sums[..., 3:])),
    ProbeMetric("meteor", "METEOR", _share(2)),
)
METRICS: Mapping[str, Sequence[ProbeMetric]] = {
    "diagnosis": (
        ProbeMetric("accuracy", "Accuracy", _share(1)),
        ProbeMetric("f1", "F1 (yes)", _f1(2, 3, 4)),
        ProbeMetric("macro", "F1 (macro)", _macro),
    ),
    "identification": (ProbeMetric("exact", "Exact match", _share(1)),),
    "extraction": _OVERLAP,
    "rephrasing": _OVERLAP,
}
MAIN_METRIC = {task: metrics[0] for task, metrics in METRICS.items()}
"""The metric by which wordings are compared."""


def count_answer(task: str, item: ProbeItem, answer: ProbeAnswer, threshold: float = 0.5) -> list[float]:
    """Return the counts of one answer; all are 0 for an invalid answer."""
    if not answer.valid:
        return [0.0] * {"diagnosis": 8, "identification": 2}.get(task, 3 + BLEU_COLUMNS)
    if task == "diagnosis":
        gold = item.answers[0] == "yes"
        yes = answer.text == "yes" if answer.probability is None else answer.probability > threshold
        sides = (gold and yes, yes, gold, not gold and not yes, not yes, not gold)
        return [1.0, float(gold == yes), *map(float, sides)]
    if task == "identification":
        return [1.0, float(answer.text == item.answers[0])]
    overlap = [1.0, bag_f1(answer.text, item.answers), meteor(answer.text, item.answers)]
    return [*overlap, *bleu_counts(answer.text, item.answers)]


def summarize(counts: Numbers, formula: Formula, resamples: int = 1000, seed: int = 0) -> MetricSummary:
    """Return the mean and standard deviation over runs, and a bootstrap interval over texts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(counts.sum(axis=2))  # (wordings, seeds)
        known = values[np.isfinite(values)]
        if not known.size:
            return MetricSummary(None, None)
        mean, deviation = float(known.mean()), float(known.std()) if values.size > 1 else None
    items = counts.shape[2]
    if items < 2:
        return MetricSummary(mean, deviation)
    flat = np.moveaxis(counts, 2, 0).reshape(items, -1)

    def mean_over_runs(weights: Numbers) -> Numbers:
        sums = (weights @ flat).reshape(len(weights), *counts.shape[:2], counts.shape[3])
        values = formula(sums).reshape(len(weights), -1)
        known = np.isfinite(values)  # a resample may have no run in which the metric is defined
        return np.asarray(np.where(known, values, 0).sum(axis=1) / known.sum(axis=1))

    interval = estimate(mean_over_runs, items, Resampling(resamples, seed))
    return MetricSummary(mean, deviation, interval.low, interval.high)


def decompose_variance(scores: Numbers) -> dict[str, float] | None:
    """Return the share of each factor in the variance of the scores, an array of (wordings, seeds, texts).

    Each share is the sum of squares between the means of a factor divided by the total; ``rest`` is the remainder, that
    is, all interactions. None if all scores are equal.
    """
    total = float(((scores - scores.mean()) ** 2).sum())
    if not total:
        return None
    found: dict[str, float] = {}
    for axis, name in enumerate(("wording", "seed", "text")):
        others = tuple(at for at in range(3) if at != axis)
        means = scores.mean(axis=others)
        repeats = scores.size / means.size
        found[name] = float(repeats * ((means - scores.mean()) ** 2).sum() / total)
    found["rest"] = float(np.clip(1 - sum(found.values()), 0, 1))
    return found


def measure_calibration(probabilities: Sequence[float], gold: Sequence[bool]) -> dict[str, Any]:
    """Measure the calibration of the probability of yes.

    ``ece`` is the expected calibration error: the mean distance between probability and share of yes over bins of equal
    width, weighted by their size. ``brier`` is the mean squared distance between probability and label. 0 is best for
    both; a constant probability of one half has a Brier score of 0.25.
    """
    return {
        "ece": calibration_error(probabilities, gold).value,
        "brier": brier_score(probabilities, gold).value,
        "mean": average(probabilities).value,
        "bins": [group.to_dict() for group in reliability_bins(probabilities, gold) if group.count],
    }


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
    categories: Mapping[str, MetricSummary]
    """Rephrasing only: the share of answers by category, in percent."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "class": self.family,
            **encode_fields(self, "shots", "wordings", "seeds", "answers", "invalid", "metrics"),
            **encode_fields(self, "by_dimension", "categories", "variance"),
            "best": self.each[0] if self.each else None,
            "worst": self.each[-1] if self.each else None,
            **encode_fields(self, "each", "words", "calibration"),
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
            **encode_fields(self, "task", "model"),
            "texts": self.title,
            **encode_fields(self, "setting", "cells", "baselines"),
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
    rounds: dict[int, list[int]] = {}
    for shots, seed in dict.fromkeys((record.shots, record.seed) for record in records):
        rounds.setdefault(shots, []).append(seed)
    cells = []
    for family in dict.fromkeys(description.family for description in descriptions):
        group = [description for description in descriptions if description.family == family]
        for shots, seeds in rounds.items():
            answers = [
                [[by_key[description.id, shots, seed, item.id] for item in items.evaluated] for seed in seeds]
                for description in group
            ]
            cells.append(_cell((family, shots), group, answers, items, settings))
    wordings = {description.id: description.text for description in descriptions}
    return ProbeResult(items.task, "", items.title, {}, tuple(cells), _baselines(items, settings), wordings)


def _cell(
    name: tuple[str, int],
    descriptions: Sequence[Description],
    answers: Sequence[Sequence[Sequence[ProbeAnswer]]],
    items: ProbeItems,
    settings: MeasureSettings,
) -> ProbeCell:
    task = items.task

    def count(item: ProbeItem, answer: ProbeAnswer) -> list[float]:
        return count_answer(task, item, answer, settings.threshold)

    counts = _count_all(answers, items, count)
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
        int((counts[..., 0] == 0).sum()),
        counts[..., 0].size,
        _categories(answers, items, settings),
    )


def _count_all(
    answers: Sequence[Sequence[Sequence[ProbeAnswer]]],
    items: ProbeItems,
    count: Callable[[ProbeItem, ProbeAnswer], list[float]],
) -> Numbers:
    """Return the counts of all answers: (wordings, seeds, texts, columns)."""
    return np.array([[[*map(count, items.evaluated, row)] for row in rows] for rows in answers])


def _categories(
    answers: Sequence[Sequence[Sequence[ProbeAnswer]]], items: ProbeItems, settings: MeasureSettings
) -> dict[str, MetricSummary]:
    if items.task != "rephrasing":
        return {}

    def count(item: ProbeItem, answer: ProbeAnswer) -> list[float]:
        found = rephrasing_category(item.text, answer.text, item.answers) if answer.valid else None
        return [float(found is not None), *(float(found == name) for name in REPHRASING_CATEGORIES)]

    counts = _count_all(answers, items, count)
    return {
        name: summarize(counts, _share(column), settings.resamples)
        for column, name in enumerate(REPHRASING_CATEGORIES, 1)
    }


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
        name, answers = "copy", [ProbeAnswer(item.text) for item in items.evaluated]
    else:
        firsts = [item.answers[0] for item in items.evaluated]
        most_frequent = max(dict.fromkeys(firsts), key=firsts.count)
        name, answers = f"always {most_frequent}", [ProbeAnswer(most_frequent)] * len(firsts)

    def count(item: ProbeItem, answer: ProbeAnswer) -> list[float]:
        return count_answer(items.task, item, answer, settings.threshold)

    counts = _count_all([[answers]], items, count)
    return {name: {metric.name: summarize(counts, metric.formula, 0).mean for metric in METRICS[items.task]}}


def describe_result(
    result: ProbeResult, model: str, setting: Mapping[str, Any], notes: Sequence[str]
) -> ProbeResult:
    """Add the model, its settings and notes to a result."""
    return replace(result, model=model, setting=setting, notes=tuple(notes))
