"""Before and after: by how much debiasing reduces a bias, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.lab.audit.bias import Bias
from unslant.lab.audit.design import Design
from unslant.lab.audit.suite import Side
from unslant.lab.stats.bootstrap import Resampling, basic_interval, draw_swaps, p_value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["BiasComparison", "BiasReduction", "compare"]

Rows = Mapping[tuple[str, Side], "Numbers"]


@dataclass(frozen=True, slots=True)
class BiasReduction:
    """The relative reduction of a bias, 1 - after / before. 0: no change, 1: all of it; higher is better."""

    reduction: float | None
    """None where there was no bias before."""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """The p-value of a two-sided paired permutation test, which swaps the texts of a task."""
    excess: float | None = None
    """The reduction of the bias above chance; None where there was none before."""

    def to_dict(self) -> dict[str, float | None]:
        """Return the wire form."""
        return {
            "reduction": self.reduction,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "excess": self.excess,
        }


@dataclass(frozen=True, slots=True)
class BiasComparison:
    """How the bias of one set of texts differs from that of another."""

    indirect: BiasReduction
    direct: BiasReduction | None

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"indirect": self.indirect.to_dict(), "direct": self.direct.to_dict() if self.direct else None}


def compare(before: Bias, after: Bias, resampling: Resampling | None = None) -> BiasComparison:
    """Compare two measurements of the same attributes, averaged over attributes."""
    resampling = resampling or Resampling()
    designs = _designs(before), _designs(after)
    changes: dict[str, BiasReduction] = {}
    for kind, figure in (("indirect", _indirect), ("direct", _direct)):
        first, other = getattr(before, kind), getattr(after, kind)
        if first is None or other is None:
            continue
        excess = 1 - (other.excess or 0) / first.excess if first.excess else None
        if not first.value:
            changes[kind] = BiasReduction(None)
            continue
        reduction = 1 - other.value / first.value
        low, high = _interval(designs, figure, reduction, resampling)
        changes[kind] = BiasReduction(reduction, low, high, _chance(designs, figure, resampling), excess)
    return BiasComparison(changes["indirect"], changes.get("direct"))


def _designs(bias: Bias) -> dict[tuple[str, Side], Design]:
    return {
        (attribute.name, side): design  # type: ignore[misc]
        for attribute in bias.attributes
        for side, design in attribute.designs.items()
    }


BiasFigure = Callable[[Mapping[tuple[str, Side], Design], Rows], "Numbers"]


def _indirect(designs: Mapping[tuple[str, Side], Design], rows: Rows) -> Numbers:
    import numpy as np

    found = [
        design.distances(rows[key]).mean(axis=1) for key, design in designs.items() if key[1] == "indirect"
    ]
    return np.asarray(np.mean(found, axis=0))


def _direct(designs: Mapping[tuple[str, Side], Design], rows: Rows) -> Numbers:
    import numpy as np

    found = []
    for name in dict.fromkeys(name for name, _ in designs):
        left, right = (
            designs[name, side].distances(rows[name, side]) for side in ("liberal", "conservative")
        )
        found.append(np.abs(left - right).mean(axis=1))
    return np.asarray(np.mean(found, axis=0))


def _interval(
    designs: tuple[Mapping[tuple[str, Side], Design], ...],
    figure: BiasFigure,
    reduction: float,
    resampling: Resampling,
) -> tuple[float | None, float | None]:
    import numpy as np

    if not resampling.resamples:
        return None, None
    drawn = []
    for number, some in enumerate(designs):
        rows = {
            key: design.values[design.bootstrap(resampling.resamples, resampling.seed + 100 * number + at)]
            for at, (key, design) in enumerate(some.items())
        }
        drawn.append(figure(some, rows))
    low, high = basic_interval(reduction, 1 - drawn[1] / np.maximum(drawn[0], 1e-12), resampling.level)
    return low, min(1.0, high)


def _chance(
    designs: tuple[Mapping[tuple[str, Side], Design], ...], figure: BiasFigure, resampling: Resampling
) -> float | None:
    import numpy as np

    first, other = designs
    if not resampling.resamples or any(first[key].keys != other[key].keys for key in first):
        return None  # without the same tasks there are no pairs to swap
    swapped: tuple[dict[Any, Numbers], dict[Any, Numbers]] = ({}, {})
    swaps = draw_swaps(
        [len(design.values) for design in first.values()], resampling.resamples, resampling.seed
    )
    for mask, (key, design) in zip(swaps, first.items(), strict=True):
        swapped[0][key] = np.where(mask, other[key].values, design.values)
        swapped[1][key] = np.where(mask, design.values, other[key].values)
    whole = [figure(some, {key: d.values[None, :] for key, d in some.items()})[0] for some in designs]
    gaps = np.abs(figure(first, swapped[0]) - figure(other, swapped[1]))
    return p_value(abs(whole[0] - whole[1]), gaps)
