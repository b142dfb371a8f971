"""The few figures by which training chooses; 1 is best for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unslant.core.types import Span

__all__ = ["best_threshold", "f1", "macro_f1", "span_f1"]


def f1(hits: float, predicted: float, gold: float) -> float:
    """The harmonic mean of precision and recall; 0 where nothing was found."""
    return 2 * hits / (predicted + gold) if predicted + gold else 0.0


def macro_f1(gold: Sequence[int], predicted: Sequence[int]) -> float:
    """The mean of the classes' F1, over the classes that occur in the gold labels."""
    classes = sorted(set(gold))
    if not classes:
        return 0.0
    scores = []
    for one in classes:
        hits = sum(a == b == one for a, b in zip(gold, predicted, strict=True))
        scores.append(f1(hits, sum(b == one for b in predicted), sum(a == one for a in gold)))
    return sum(scores) / len(scores)


def span_f1(gold: Sequence[Iterable[Span]], predicted: Sequence[Iterable[Span]]) -> tuple[float, float]:
    """Exact and overlap F1 of spans.

    Exact: same start and end. Overlap: precision is the share of predicted spans that meet a gold one, recall the
    share of gold spans that are met, and F1 their harmonic mean.
    """
    exact = met = found = wanted = hit = 0
    for truth, guess in zip(map(list, gold), map(list, predicted), strict=True):
        exact += len(set(truth) & set(guess))
        met += sum(any(one.overlaps(other) for other in truth) for one in guess)
        hit += sum(any(one.overlaps(other) for other in guess) for one in truth)
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
