"""How far a figure could be off: intervals by resampling, paired comparison, and the error over folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unslant.lab.annotation.bootstrap import Estimate, Resampling, estimates
from unslant.lab.evaluation.metrics import Measure

__all__ = ["Difference", "Estimate", "Resampling", "interval", "intervals", "paired", "standard_error"]


def interval(measure: Measure, resampling: Resampling) -> Estimate:
    """Return a figure with its percentile interval over resampled items."""
    return intervals({"": measure}, resampling)[""]


def intervals(measures: Mapping[str, Measure], resampling: Resampling) -> dict[str, Estimate]:
    """Return several figures of the same items, on the same resamples."""
    found: dict[str, Estimate] = {}
    sizes = {one.items for one in measures.values()}
    for size in sizes:
        alike = {name: one for name, one in measures.items() if one.items == size}
        found |= estimates(alike, size, resampling)
    return {name: found[name] for name in measures}


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the first of two systems is on the same items."""

    value: float
    low: float
    high: float
    chance: float
    """The share of resamples in which the system that is better on all items is not better."""


def paired(one: Measure, other: Measure, resampling: Resampling) -> Difference:
    """Compare two systems on the same items: both figures are taken on each resample (paired bootstrap)."""
    import numpy as np

    from unslant.lab.annotation.bootstrap import resamples

    if one.items != other.items:
        raise ValueError(f"the systems were measured on {one.items} and on {other.items} items")
    ones = np.ones((1, one.items))
    value = float((one(ones) - other(ones))[0])
    drawn = np.concatenate([one(weights) - other(weights) for weights in resamples(one.items, resampling)])
    drawn = drawn[np.isfinite(drawn)]
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    unlike = drawn <= 0 if value > 0 else drawn >= 0
    return Difference(value, float(low), float(high), float(unlike.mean()))


def standard_error(values: Sequence[float]) -> float | None:
    """The standard error of a mean over folds: their standard deviation (n - 1) over the root of n; None for one."""
    if len(values) < 2:
        return None
    middle = sum(values) / len(values)
    variance = sum((value - middle) ** 2 for value in values) / (len(values) - 1)
    return math.sqrt(variance / len(values))
