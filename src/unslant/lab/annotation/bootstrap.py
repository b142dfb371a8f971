"""Intervals by resampling items.

A statistic is a function of item weights: with every weight 1 it is the estimate itself, with the weights of a
resample (how often each item was drawn) its value on that resample. So the estimate and its interval come from one
formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Estimate", "Resampling", "Statistic", "estimate", "estimates", "resamples"]

_CELLS = 4_000_000  # weights held at a time: 32 MB


class Statistic(Protocol):
    """A value for each row of item weights."""

    def __call__(self, weights: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Return one value a row; not a number where the statistic is undefined."""
        ...


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made; the same seed gives the same interval."""

    resamples: int = 1000
    """0: no interval."""
    seed: int = 0
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; None where it is undefined, which is not the same as 0."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"value": self.value, "low": self.low, "high": self.high}


def estimate(statistic: Statistic, items: int, resampling: Resampling) -> Estimate:
    """Return a statistic with its percentile interval over resampled items."""
    return estimates({"": statistic}, items, resampling)[""]


def estimates(statistics: Mapping[str, Statistic], items: int, resampling: Resampling) -> dict[str, Estimate]:
    """Return several statistics of the same items, all on the same resamples."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        ones = np.ones((1, items))
        points = {name: _number(statistic(ones)[0]) for name, statistic in statistics.items()}
        draws: dict[str, list[NDArray[np.float64]]] = {name: [] for name in statistics}
        for weights in resamples(items, resampling):
            for name, statistic in statistics.items():
                draws[name].append(statistic(weights))
    return {name: _with_interval(points[name], draws[name], resampling) for name in statistics}


def resamples(items: int, resampling: Resampling) -> Iterator[NDArray[np.float64]]:
    """Yield blocks of weights, (rows, items): how often each resample drew each item."""
    import numpy as np

    if items == 0:
        return
    generator = np.random.default_rng(resampling.seed)
    step = max(1, _CELLS // items)
    for start in range(0, resampling.resamples, step):
        rows = min(step, resampling.resamples - start)
        drawn = generator.integers(0, items, size=(rows, items)) + np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def _with_interval(value: float | None, draws: list[NDArray[np.float64]], resampling: Resampling) -> Estimate:
    import numpy as np

    if value is None or not draws:
        return Estimate(value)
    drawn = np.concatenate(draws)
    drawn = drawn[np.isfinite(drawn)]  # a resample in which only one label is left says nothing
    if not len(drawn):
        return Estimate(value)
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def _number(value: np.float64) -> float | None:
    import math

    return float(value) if math.isfinite(value) else None
