"""Trains the head of a judge on the vectors of a frozen encoder, so that it holds for outlets it has not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from unslant.core.example import Example
from unslant.lab.audit.judge_encoder import EncoderJudge, prepared
from unslant.lab.audit.judge_fitting import Settings, Trained, dealt, loss, minimised, probability, shares_of
from unslant.lab.audit.judge_training import sided
from unslant.lab.audit.problems import JudgeError
from unslant.lab.audit.sentence_vectors import SentenceEncoder
from unslant.lab.corpora.outlets import normalize_outlet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

__all__ = ["HEAD", "train_head"]

HEAD = Settings(penalties=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2))
"""Vectors of length 1 with few hundred numbers take other penalties than a quarter of a million of words."""


def train_head(
    examples: Sequence[Example],
    encoder: SentenceEncoder,
    settings: Settings = HEAD,
    tell: Callable[[str, int, int], None] | None = None,
) -> Trained[EncoderJudge]:
    """Train a judge on articles of the left and the right, read once by the encoder."""
    import numpy as np

    examples = sided(examples)
    if len({one.leaning for one in examples}) < 2:
        raise JudgeError("a judge learns from articles of both sides; there are none of one of them")
    vectors = encoder.vectors([prepared(one.text, one.outlet or "") for one in examples], tell)
    labels = np.array([one.leaning == "right" for one in examples], dtype=np.float64)
    houses = [normalize_outlet(one.outlet or "") for one in examples]
    shares, folds = shares_of(houses, labels, settings), dealt(houses, labels, settings)
    matrix = vectors.astype(np.float64)
    sums = {
        penalty: _left_out(matrix, labels, houses, folds, replace(settings, penalties=(penalty,)))
        for penalty in settings.penalties
    }
    fitted = {penalty: probability(found, labels, shares) for penalty, found in sums.items()}
    losses = {
        penalty: loss(sums[penalty] * scale + offset, labels, shares)
        for penalty, (scale, offset) in fitted.items()
    }
    best = min(losses, key=losses.__getitem__)
    scale, offset = fitted[best]
    weights = minimised(matrix, labels, shares, best) * scale
    judge = EncoderJudge(encoder, weights.astype(np.float32), offset)
    return Trained(judge, best, losses, len(examples), len(set(houses)))


def _left_out(
    matrix: Numbers, labels: Numbers, houses: Sequence[str], folds: NDArray[np.intp], settings: Settings
) -> Numbers:
    """Return each article's sum by a head that has not seen its fold."""
    import numpy as np

    sums = np.zeros(len(matrix))
    for fold in range(settings.folds):
        inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if not len(outside) or len(set(labels[inside])) < 2:
            continue
        shares = shares_of([houses[at] for at in inside], labels[inside], settings)
        sums[outside] = matrix[outside] @ minimised(
            matrix[inside], labels[inside], shares, settings.penalties[0]
        )
    return sums
