"""Labels from annotators of different reliability, by the model of Dawid and Skene (1979).

Every annotator has a confusion matrix: how often they give each label to items of each true label. Expectation and
maximization estimate these matrices and the true labels together, so that a careful annotator counts for more than one
who guesses, and one who mixes two labels up still informs. It begins with the shares of the votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]

_ROUNDS = 100
_CLOSE = 1e-6
"""It ends when no probability changes by more."""
_PRIOR = 0.5
"""Added to each count, so that an annotator with few judgements is not taken to be perfect; half of it for a label that
differs from the true one."""


def dawid_skene(votes: Iterable[tuple[str, str, str]]) -> dict[str, Mapping[str, float]]:
    """Return the probability of each label for each item, from triples of item, annotator and label."""
    given = list(dict.fromkeys(votes))
    items, annotators, labels = (
        list(dict.fromkeys(vote[at] for vote in given)) if at < 2 else sorted({vote[2] for vote in given})
        for at in range(3)
    )
    places = [{name: at for at, name in enumerate(names)} for names in (items, annotators, labels)]
    item, annotator, label = (np.array([places[at][vote[at]] for vote in given]) for at in range(3))
    truth: Numbers = np.zeros((len(items), len(labels)))
    np.add.at(truth, (item, label), 1.0)
    truth /= truth.sum(axis=1, keepdims=True)
    prior = _PRIOR * (0.5 + 0.5 * np.eye(len(labels)))
    for _ in range(_ROUNDS):
        share = truth.sum(axis=0) + _PRIOR
        share /= share.sum()
        confusion = np.tile(prior, (len(annotators), 1, 1))  # (annotators, true label, given label)
        for true in range(len(labels)):
            np.add.at(confusion[:, true, :], (annotator, label), truth[item, true])
        confusion /= confusion.sum(axis=2, keepdims=True)
        scores = np.tile(np.log(share), (len(items), 1))
        np.add.at(scores, item, np.log(confusion[annotator, :, label]))
        new = np.exp(scores - scores.max(axis=1, keepdims=True))
        new /= new.sum(axis=1, keepdims=True)
        moved = float(np.abs(new - truth).max())
        truth = new
        if moved < _CLOSE:
            break
    return {
        name: dict(sorted(zip(labels, map(float, row), strict=True), key=lambda pair: (-pair[1], pair[0])))
        for name, row in zip(items, truth, strict=True)
    }
