"""Logistic regression with an L2 penalty, for some tens of features."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]


def newton_logistic(inputs: Numbers, labels: Numbers, penalties: Numbers, rounds: int) -> Numbers:
    """Return the weights w that minimize the log loss + ½ · Σ penalty · w², by Newton's method, which needs no seed."""
    ridge = np.diag(penalties)
    weights: Numbers = np.zeros(inputs.shape[1])
    for _ in range(rounds):
        # beyond 60 a probability is 0 or 1 in double precision, and exp would overflow
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -60, 60)))
        slope = inputs.T @ (chances - labels) + ridge @ weights
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + ridge
        step = np.linalg.solve(curvature, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights
