"""The metrics that training uses to choose epochs and thresholds; 1 is the best value of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unslant.core.types import Span
from unslant.lab.stats.metrics import ClassMetrics, f1_score

__all__ = ["best_threshold", "f1", "macro_f1", "span_f1"]


def f1(hits: float, predicted: float, gold: float) -> float:
    """Return the harmonic mean of precision and recall; 0 without hits."""
    return float(f1_score(hits, predicted, gold)) if predicted + gold else 0.0


def macro_f1(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """Return the mean F1 of the classes that occur in the gold labels."""
    return ClassMetrics.exclusive(gold, predicted).macro().value or 0.0 if gold else 0.0


def span_f1(gold: Sequence[Iterable[Span]], predicted: Sequence[Iterable[Span]]) -> tuple[float, float]:
    """Return exact and overlap F1 of spans.

    Exact: same start and end. Overlap: precision is the share of predicted spans that overlap a gold span, recall the
    share of gold spans that overlap a predicted one.
    """
    exact = met = found = wanted = hit = 0
    for truth, guess in zip(map(list, gold), map(list, predicted), strict=True):
        exact += len(set(truth) & set(guess))
        met += sum(any(span.overlaps(other) for other in truth) for span in guess)
        hit += sum(any(span.overlaps(other) for other in guess) for span in truth)
        found += len(guess)
        wanted += len(truth)
    precision, recall = met / found if found else 0.0, hit / wanted if wanted else 0.0
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f1(exact, found, wanted), both


def best_threshold(gold: Sequence[bool], probabilities: Sequence[float]) -> float:
    """Return the threshold with the best F1 of the positive class, midway between two neighbouring scores."""
    ranked = sorted(zip(probabilities, gold, strict=True), reverse=True)
    total = sum(gold)
    best, threshold, hits = 0.0, 0.5, 0
    for index, (score, label) in enumerate(ranked):
        hits += label
        last = index + 1 == len(ranked)
        following = 0.0 if last else ranked[index + 1][0]
        if (last or following < score) and (value := f1(hits, index + 1, total)) > best:
            middle = (score + following) / 2
            best, threshold = value, middle if middle > following else score
    return threshold
