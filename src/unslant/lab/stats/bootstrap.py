"""Confidence intervals and paired comparisons by the bootstrap, and permutation tests.

A statistic is a function of item weights: with every weight 1 it is the estimate itself, with the weights of a resample
(how often each item was drawn) its value on that resample. So the estimate and its interval come from one formula.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unslant.core.encoding import Encoded
from unslant.lab.stats.metrics import Metric

Numbers: TypeAlias = NDArray[np.float64]
Places: TypeAlias = NDArray[np.intp]

_CELLS = 4_000_000  # weights in memory at a time: 32 MB


class Statistic(Protocol):
    """A value for each row of item weights."""

    def __call__(self, weights: Numbers, /) -> Numbers:
        """Return one value per row; NaN where the statistic is undefined."""
        ...


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are computed; the same seed gives the same interval."""

    resamples: int = 1000
    """The number of resamples; 0 computes no interval."""
    seed: int = 0
    """The seed of the random generator."""
    level: float = 0.95
    """The confidence level."""


@dataclass(frozen=True, slots=True)
class Estimate(Encoded):
    """A value with its interval; None where it is undefined, which is not the same as 0."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the first of two systems scores on the same items. 0: no difference."""

    value: float
    low: float
    high: float
    p: float
    """The share of resamples in which the system that wins on all items does not win (Koehn 2004)."""


def estimate(statistic: Statistic, items: int, resampling: Resampling) -> Estimate:
    """Return a statistic with its percentile interval over resampled items."""
    return estimates({"": statistic}, items, resampling)[""]


def estimates(statistics: Mapping[str, Statistic], items: int, resampling: Resampling) -> dict[str, Estimate]:
    """Return several statistics of the same items, all computed on the same resamples."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.ones((1, items))
        points = {name: float(statistic(ones)[0]) for name, statistic in statistics.items()}
        draws: dict[str, list[Numbers]] = {name: [] for name in statistics}
        for weights in draw_weights(items, resampling):
            for name, statistic in statistics.items():
                draws[name].append(statistic(weights))
    return {name: _with_interval(points[name], draws[name], resampling.level) for name in statistics}


def estimate_metric(metric: Metric, resampling: Resampling) -> Estimate:
    """Return a metric with its percentile interval over resampled items."""
    return estimate(metric, metric.items, resampling)


def estimate_metrics(metrics: Mapping[str, Metric], resampling: Resampling) -> dict[str, Estimate]:
    """Return several metrics; those with the same number of items are computed on the same resamples."""
    found: dict[str, Estimate] = {}
    for size in {metric.items for metric in metrics.values()}:
        same_size = {name: metric for name, metric in metrics.items() if metric.items == size}
        found |= estimates(same_size, size, resampling)
    return {name: found[name] for name in metrics}


def compare_paired(first: Metric, second: Metric, resampling: Resampling) -> Difference:
    """Compare two systems on the same items: both metrics are computed on each resample (paired bootstrap)."""
    if first.items != second.items:
        raise ValueError(f"the systems were measured on {first.items} and on {second.items} items")
    ones = np.ones((1, first.items))
    value = float((first(ones) - second(ones))[0])
    draws = np.concatenate(
        [first(weights) - second(weights) for weights in draw_weights(first.items, resampling)]
    )
    draws = draws[np.isfinite(draws)]
    low, high = percentile_interval(draws, resampling.level)
    lost = draws <= 0 if value > 0 else draws >= 0
    return Difference(value, float(low), float(high), float(lost.mean()))


def draw_weights(items: int, resampling: Resampling) -> Iterator[Numbers]:
    """Yield blocks of weights, (rows, items): how often each resample drew each item."""
    if items == 0:
        return
    generator = np.random.default_rng(resampling.seed)
    step = max(1, _CELLS // items)
    for start in range(0, resampling.resamples, step):
        rows = min(step, resampling.resamples - start)
        drawn = generator.integers(0, items, size=(rows, items)) + np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def draw_within(strata: Sequence[Places], count: int, seed: int) -> Places:
    """Draw items with replacement, each from its own stratum (stratified bootstrap): (count, items).

    The strata are positions that together cover all items once. Column i holds what was drawn in place of item i.
    """
    generator = np.random.default_rng(seed)
    drawn = np.empty((count, sum(map(len, strata))), dtype=np.intp)
    for places in strata:
        drawn[:, places] = places[generator.integers(0, len(places), size=(count, len(places)))]
    return drawn


def percentile_interval(draws: Numbers, level: float) -> tuple[Numbers, Numbers]:
    """Return the bounds of the central share of the draws, (draws, …) to twice (…)."""
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return low, high


def basic_interval(value: float, draws: Numbers, level: float) -> tuple[float, float]:
    """Return the basic bootstrap interval, 2 · value - percentiles, which always contains the value.

    For statistics such as distances, which resampling inflates just as sampling did: percentiles would be too high, and
    the basic interval subtracts this bias.
    """
    near, far = percentile_interval(draws, level)
    return min(value, 2 * value - float(far)), max(value, 2 * value - float(near))


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of a mean over folds.

    Formula: the standard deviation (n - 1) over √n. 0: all folds alike; lower is better; None for fewer than two.
    """
    if len(values) < 2:
        return None
    return statistics.stdev(values) / math.sqrt(len(values))


def _with_interval(value: float, draws: Sequence[Numbers], level: float) -> Estimate:
    if not math.isfinite(value):
        return Estimate(None)
    if not draws:
        return Estimate(value)
    drawn = np.concatenate(draws)
    drawn = drawn[np.isfinite(drawn)]  # the statistic is undefined for a resample with only one label
    if not len(drawn):
        return Estimate(value)
    low, high = percentile_interval(drawn, level)
    return Estimate(value, float(low), float(high))


_TOLERANCE = 1e-12  # the order of a sum changes its last digit


def p_value(observed: float, draws: Numbers) -> float:
    """Return how probable a value at least as large as the observed one is under the null hypothesis.

    Formula: (1 + number of draws ≥ observed) / (1 + number of draws), so that it is never 0. Near 0: chance hardly
    explains the value; 1: every draw reaches it. For a two-sided test pass absolute values.
    """
    reached = int((draws >= observed - _TOLERANCE).sum())
    return (1 + reached) / (1 + len(draws))


def permute_within(groups: Sequence[Places], count: int, seed: int) -> Places:
    """Permute the items of each group: (count, items), for groups of positions that cover all items once."""
    generator = np.random.default_rng(seed)
    permuted = np.empty((count, sum(map(len, groups))), dtype=np.intp)
    for places in groups:
        permuted[:, places] = generator.permuted(np.tile(places, (count, 1)), axis=1)
    return permuted


def draw_swaps(sizes: Sequence[int], count: int, seed: int) -> list[NDArray[np.bool_]]:
    """Return, for each block of pairs, which pairs exchange their two values in each draw: (count, size) each."""
    generator = np.random.default_rng(seed)
    return [generator.random((count, size)) < 0.5 for size in sizes]
