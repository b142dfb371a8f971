"""What every trained judge has in common: how articles count, which are left out in turn, and the fit itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["Settings", "Trained", "dealt", "loss", "minimised", "probability", "shares_of"]

_STEEPEST = 1.5
"""Where sides can be told apart without an error, probabilities would run to 0 and 1: the log of the steepest scale."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a judge is trained."""

    penalties: tuple[float, ...] = (3e-5, 1e-4, 3e-4)
    """Tried in turn on left-out houses; the penalty is on the mean squared weight per unit of data."""
    folds: int = 5
    by_house: bool = True
    """Leave out whole houses and let each count by its root; False: all articles alike, as on the random split."""
    least: int = 3
    """Texts that must hold a word for it to count."""


J = TypeVar("J")


@dataclass(frozen=True, slots=True)
class Trained(Generic[J]):
    """A judge, and what its training says of it."""

    judge: J
    penalty: float
    losses: dict[float, float]
    """The mean loss on what was left out, for each penalty."""
    texts: int
    houses: int


def shares_of(houses: Sequence[str], labels: Numbers, settings: Settings) -> Numbers:
    """How much each article counts: by the root of its house's articles, both sides as much as each other."""
    import numpy as np

    sizes = Counter(houses)
    shares = np.array([sizes[name] ** -0.5 if settings.by_house else 1.0 for name in houses])
    for side in (0, 1):
        shares[labels == side] /= shares[labels == side].sum()
    return shares / shares.sum()


def dealt(houses: Sequence[str], labels: Numbers, settings: Settings) -> NDArray[np.intp]:
    """Return the fold of each article; a house is in one fold, and both sides are spread evenly."""
    import numpy as np

    if not settings.by_house:
        return np.random.default_rng(0).permutation(len(houses)) % settings.folds
    sizes = Counter(zip(houses, labels, strict=True))
    loads: dict[tuple[int, float], int] = Counter()
    places: dict[str, int] = {}
    for (name, side), size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        at = places.get(name, min(range(settings.folds), key=lambda fold: loads[fold, side]))
        places[name] = at
        loads[at, side] += size
    return np.array([places[name] for name in houses])


def minimised(matrix: Any, labels: Numbers, shares: Numbers, penalty: float) -> Numbers:
    """Return the w that minimises Σ share · log(1 + exp(-y·(x·w + b))) + penalty / 2 · |w|².

    The b is fitted again later, with the scale that turns sums into probabilities.
    """
    import numpy as np
    from scipy.optimize import minimize

    def value(parameters: Numbers) -> tuple[float, Numbers]:
        weights, bias = parameters[:-1], parameters[-1]
        sums = matrix @ weights + bias
        gap = shares * (0.5 + 0.5 * np.tanh(sums / 2) - labels)
        total = loss(sums, labels, shares) + penalty / 2 * float(weights @ weights)
        return total, np.append(matrix.T @ gap + penalty * weights, gap.sum())

    start = np.zeros(matrix.shape[1] + 1)
    found = minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    weights: Numbers = found.x[:-1]
    return weights


def probability(sums: Numbers, labels: Numbers, shares: Numbers) -> tuple[float, float]:
    """Return the scale, at least 0, and the offset that turn sums into probabilities (Platt)."""
    import numpy as np
    from scipy.optimize import minimize

    spread = float(sums.std()) or 1.0

    def value(parameters: Numbers) -> float:
        return loss(np.exp(min(parameters[0], _STEEPEST)) * sums / spread + parameters[1], labels, shares)

    found = minimize(value, np.zeros(2), method="Nelder-Mead").x
    return float(np.exp(min(found[0], _STEEPEST)) / spread), float(found[1])


def loss(sums: Numbers, labels: Numbers, shares: Numbers) -> float:
    """Return the mean log loss of sums that are log odds."""
    import numpy as np

    return float((shares * (np.logaddexp(0, sums) - labels * sums)).sum())
