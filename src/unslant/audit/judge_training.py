"""Trains the small judge on outlet-labelled news, so that it holds for outlets it has not seen.

Logistic regression on hashed words and pairs (``features``). A house counts by the root of its articles, or the largest
would be all there is to learn. How strongly weights are held back, and how sums become probabilities, is chosen on
houses that were left out in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.audit.features import document_frequencies, inverse_frequencies, places, weighted
from unslant.audit.judge_linear import LinearJudge
from unslant.audit.problems import JudgeError
from unslant.core.errors import MissingExtra
from unslant.core.example import Example
from unslant.corpora.news_text import news_words
from unslant.corpora.outlet_halves import house

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["Settings", "Trained", "sided", "train_judge"]

_SIDES = {"left": 0, "right": 1}
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


@dataclass(frozen=True, slots=True)
class Trained:
    """A judge, and what its training says of it."""

    judge: LinearJudge
    penalty: float
    losses: dict[float, float]
    """The mean loss on what was left out, for each penalty."""
    texts: int
    houses: int


def sided(examples: Sequence[Example]) -> list[Example]:
    """Return the examples of the left and the right."""
    return [one for one in examples if one.leaning in _SIDES]


def train_judge(examples: Sequence[Example], settings: Settings | None = None) -> Trained:
    """Train a judge on articles of the left and the right; the same articles give the same judge."""
    import numpy as np

    settings = settings or Settings()
    examples = sided(examples)
    if len({one.leaning for one in examples}) < 2:
        raise JudgeError("a judge learns from articles of both sides; there are none of one of them")
    rows = [places(news_words(one.text, one.outlet or "")) for one in examples]
    labels = np.array([_SIDES[str(one.leaning)] for one in examples], dtype=np.float64)
    houses = [house(one.outlet or "") for one in examples]
    folds = _folds(houses, labels, settings)
    losses, sums = {}, {}
    for penalty in settings.penalties:
        sums[penalty] = _left_out(rows, labels, houses, folds, replace(settings, penalties=(penalty,)))
        scale, offset = _probability(sums[penalty], labels, _shares(houses, labels, settings))
        losses[penalty] = _loss(sums[penalty] * scale + offset, labels, _shares(houses, labels, settings))
    best = min(losses, key=losses.__getitem__)
    scale, offset = _probability(sums[best], labels, _shares(houses, labels, settings))
    inverse = inverse_frequencies(document_frequencies(rows), len(rows), settings.least)
    weights = _fit(rows, inverse, labels, _shares(houses, labels, settings), best)
    judge = LinearJudge(weights.astype(np.float32), inverse, scale, offset)
    return Trained(judge, best, losses, len(examples), len(set(houses)))


def _shares(houses: Sequence[str], labels: Numbers, settings: Settings) -> Numbers:
    """How much each article counts: by the root of its house's articles, both sides as much as each other."""
    import numpy as np

    sizes = Counter(houses)
    shares = np.array([sizes[name] ** -0.5 if settings.by_house else 1.0 for name in houses])
    for side in (0, 1):
        shares[labels == side] /= shares[labels == side].sum()
    return shares / shares.sum()


def _folds(houses: Sequence[str], labels: Numbers, settings: Settings) -> NDArray[np.intp]:
    import numpy as np

    if not settings.by_house:
        return np.random.default_rng(0).permutation(len(houses)) % settings.folds
    sizes = Counter(zip(houses, labels, strict=True))
    loads: dict[tuple[int, float], int] = Counter()
    dealt: dict[str, int] = {}
    for (name, side), size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
        at = dealt.get(name, min(range(settings.folds), key=lambda fold: loads[fold, side]))
        dealt[name] = at
        loads[at, side] += size
    return np.array([dealt[name] for name in houses])


def _left_out(
    rows: Sequence[list[int]],
    labels: Numbers,
    houses: Sequence[str],
    folds: NDArray[np.intp],
    settings: Settings,
) -> Numbers:
    """Return each article's sum by a model that has not seen its fold."""
    import numpy as np

    sums = np.zeros(len(rows))
    for fold in range(settings.folds):
        inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(outside) or len(set(labels[inside])) < 2:
            continue
        mine = [rows[at] for at in inside]
        inverse = inverse_frequencies(document_frequencies(mine), len(mine), settings.least)
        shares = _shares([houses[at] for at in inside], labels[inside], settings)
        weights = _fit(mine, inverse, labels[inside], shares, settings.penalties[0])
        sums[outside] = _matrix([rows[at] for at in outside], inverse) @ weights
    return sums


def _matrix(rows: Sequence[list[int]], inverse: NDArray[np.float32]) -> Any:
    try:
        from scipy.sparse import csr_matrix
    except ModuleNotFoundError as error:
        raise MissingExtra("training a judge", "scipy", "corpora") from error
    values, columns, borders = weighted(rows, inverse)
    return csr_matrix((values, columns, borders), shape=(len(rows), len(inverse)))


def _fit(
    rows: Sequence[list[int]],
    inverse: NDArray[np.float32],
    labels: Numbers,
    shares: Numbers,
    penalty: float,
) -> Numbers:
    """Minimise Σ share · log(1 + exp(-y·(x·w + b))) + penalty / 2 · |w|²; the sum's own offset is fitted later."""
    import numpy as np

    matrix = _matrix(rows, inverse)
    from scipy.optimize import minimize

    used = np.flatnonzero(inverse > 0)  # most of the table is empty, and need not be walked at every step
    matrix = matrix[:, used]

    def value(parameters: Numbers) -> tuple[float, Numbers]:
        weights, bias = parameters[:-1], parameters[-1]
        sums = matrix @ weights + bias
        gap = shares * (0.5 + 0.5 * np.tanh(sums / 2) - labels)
        loss = _loss(sums, labels, shares) + penalty / 2 * float(weights @ weights)
        return loss, np.append(matrix.T @ gap + penalty * weights, gap.sum())

    start = np.zeros(matrix.shape[1] + 1)
    found = minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    weights: Numbers = np.zeros(len(inverse))
    weights[used] = found.x[:-1]
    return weights


def _probability(sums: Numbers, labels: Numbers, shares: Numbers) -> tuple[float, float]:
    """Return the scale, at least 0, and the offset that turn sums into probabilities (Platt)."""
    import numpy as np
    from scipy.optimize import minimize

    spread = float(sums.std()) or 1.0

    def value(parameters: Numbers) -> float:
        return _loss(np.exp(min(parameters[0], _STEEPEST)) * sums / spread + parameters[1], labels, shares)

    found = minimize(value, np.zeros(2), method="Nelder-Mead").x
    return float(np.exp(min(found[0], _STEEPEST)) / spread), float(found[1])


def _loss(sums: Numbers, labels: Numbers, shares: Numbers) -> float:
    import numpy as np

    return float((shares * (np.logaddexp(0, sums) - labels * sums)).sum())
