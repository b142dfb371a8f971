"""Trains the small judge on outlet-labelled news, so that it holds for outlets it has not seen.

Logistic regression on hashed words and pairs (``features``). A house counts by the root of its articles, or the largest
would be all there is to learn. How strongly weights are held back, and how sums become probabilities, is chosen on
houses that were left out in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.errors import MissingExtra
from unslant.core.example import Example
from unslant.lab.audit.features import document_frequencies, inverse_frequencies, places, weighted
from unslant.lab.audit.judge_fitting import Settings, Trained, dealt, loss, minimised, probability, shares_of
from unslant.lab.audit.judge_linear import LinearJudge
from unslant.lab.audit.problems import JudgeError
from unslant.lab.corpora.outlets import normalize_outlet, tokenize_news

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["sided", "train_judge"]

_SIDES = {"left": 0, "right": 1}


def sided(examples: Sequence[Example]) -> list[Example]:
    """Return the examples of the left and the right."""
    return [one for one in examples if one.leaning in _SIDES]


def train_judge(examples: Sequence[Example], settings: Settings | None = None) -> Trained[LinearJudge]:
    """Train a judge on articles of the left and the right; the same articles give the same judge."""
    import numpy as np

    settings = settings or Settings()
    examples = sided(examples)
    if len({one.leaning for one in examples}) < 2:
        raise JudgeError("a judge learns from articles of both sides; there are none of one of them")
    rows = [places(tokenize_news(one.text, one.outlet or "")) for one in examples]
    labels = np.array([_SIDES[str(one.leaning)] for one in examples], dtype=np.float64)
    houses = [normalize_outlet(one.outlet or "") for one in examples]
    folds = dealt(houses, labels, settings)
    losses, sums = {}, {}
    for penalty in settings.penalties:
        sums[penalty] = _left_out(rows, labels, houses, folds, replace(settings, penalties=(penalty,)))
        scale, offset = probability(sums[penalty], labels, shares_of(houses, labels, settings))
        losses[penalty] = loss(sums[penalty] * scale + offset, labels, shares_of(houses, labels, settings))
    best = min(losses, key=losses.__getitem__)
    scale, offset = probability(sums[best], labels, shares_of(houses, labels, settings))
    inverse = inverse_frequencies(document_frequencies(rows), len(rows), settings.least)
    weights = _fit(rows, inverse, labels, shares_of(houses, labels, settings), best)
    judge = LinearJudge(weights.astype(np.float32), inverse, scale, offset)
    return Trained(judge, best, losses, len(examples), len(set(houses)))


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
        shares = shares_of([houses[at] for at in inside], labels[inside], settings)
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
    import numpy as np

    used = np.flatnonzero(inverse > 0)  # most of the table is empty, and need not be walked at every step
    weights: Numbers = np.zeros(len(inverse))
    weights[used] = minimised(_matrix(rows, inverse)[:, used], labels, shares, penalty)
    return weights
