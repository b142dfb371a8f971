"""Fits the weak labeller: weights and threshold, on the dev part of WIKIBIAS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unslant.core.example import Example
from unslant.lab.wiki.edits import SentenceWords, find_edits, reason_to_ignore
from unslant.lab.wiki.weak_labels import edit_features, slant_probability

__all__ = ["f1", "fit", "observations", "tune"]

Observation = tuple[dict[str, float], bool]


def observations(pairs: Iterable[tuple[Example, Example]], alike: float | None = None) -> list[Observation]:
    """Return the evidence on each edit and whether it touched what annotators call slanted."""
    found: list[Observation] = []
    for source, target in pairs:
        before, after = SentenceWords.of(source.text), SentenceWords.of(target.text)
        taking = [edit for edit in find_edits(before, after, alike) if edit.kind != "addition"]
        gold = [marked.span for marked in source.spans or ()]
        for edit in taking:
            span = before.cover(*edit.before)
            if span is None or reason_to_ignore(edit, before, after):
                continue
            right = any(span.start < other.end and other.start < span.end for other in gold)
            found.append((edit_features(edit, taking, before, after), right))
    return found


def fit(data: Sequence[Observation], penalty: float = 2.0, rounds: int = 30) -> dict[str, float]:
    """Return weights of a logistic regression with an L2 penalty, by Newton's method: no seed, one answer."""
    import numpy as np

    names = sorted(data[0][0])
    values = np.array([[1.0, *(row[name] for name in names)] for row, _ in data])
    right = np.array([float(label) for _, label in data])
    ridge = np.diag([0.0, *([penalty] * len(names))])
    weights: Any = np.zeros(values.shape[1])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-values @ weights))
        slope = values.T @ (chance - right) + ridge @ weights
        curve = (values * (chance * (1 - chance))[:, None]).T @ values + ridge
        weights = weights - np.linalg.solve(curve, slope)
    return {name: round(float(weight), 3) for name, weight in zip(["bias", *names], weights, strict=True)}


def tune(data: Sequence[Observation], weights: Mapping[str, float], kept: float = 0.8) -> float:
    """Return the highest threshold, in steps of a hundredth, that keeps this share of the edits that are slanted."""
    slanted = [slant_probability(row, weights) for row, right in data if right]
    for step in range(95, 5, -1):
        if sum(score >= step / 100 for score in slanted) >= kept * len(slanted):
            return step / 100
    return 0.05


def f1(data: Sequence[Observation], weights: Mapping[str, float], threshold: float) -> float:
    """Return the F1 of edits: the harmonic mean of the share of kept ones that are slanted and the converse."""
    kept = [right for row, right in data if slant_probability(row, weights) >= threshold]
    total = sum(right for _, right in data)
    return 2 * sum(kept) / (len(kept) + total) if kept or total else 0.0
