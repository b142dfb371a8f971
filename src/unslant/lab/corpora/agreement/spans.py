"""Agreement on what was marked: spans, and alignments of spans."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from unslant.core.types import Span
from unslant.lab.corpora.agreement.ratings import need_numpy
from unslant.lab.corpora.annotation import Annotation
from unslant.lab.stats.bootstrap import Estimate, Resampling, Statistic, estimates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PRF", "Mark", "Marks", "alignment_agreement", "marks_of", "span_agreement"]

Mark = tuple[Span, str]
Marks = Mapping[str, Mapping[str, Set[Mark]]]
"""For each item and each annotator who looked at it, the marked spans with their labels."""


@dataclass(frozen=True, slots=True)
class PRF:
    """Precision, recall and F1 of one annotator against another who is taken as right."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


def marks_of(annotations: Iterable[Annotation]) -> dict[str, dict[str, set[Mark]]]:
    """Gather marked spans; an annotator who marked nothing in an item still counts as having looked at it."""
    marks: dict[str, dict[str, set[Mark]]] = {}
    for one in annotations:
        marked = marks.setdefault(one.item, {}).setdefault(one.annotator, set())
        if one.span is not None:
            marked.add((one.span, one.label))
    return marks


def span_agreement(marks: Marks, resampling: Resampling | None = None) -> dict[str, Estimate]:
    """Return how far annotators mark the same spans with the same label: ``exact`` and ``overlap`` F1.

    Definition: over all pairs of annotators of an item, pooled, ``F1 = (a + b) / (A + B)``: of the ``A`` and ``B``
    spans that the two marked, ``a`` and ``b`` have a counterpart. ``exact``: same start, end and label; ``overlap``:
    a span of the other with the same label that shares a code point. F1 is the same whoever is taken as right.

    1: all have one. 0: none has. Higher is better; chance is not taken off. Items in which nobody marked anything do
    not count; undefined (None) where nobody marked anything at all, or no item has two annotators.
    """
    need_numpy()
    import numpy as np

    rows = np.array([_pair_counts(by) for by in marks.values()], dtype=np.float64).reshape(-1, 3)
    exact, overlap, total = rows[:, 0], rows[:, 1], rows[:, 2]
    statistics = {"exact": _ratio(exact, total), "overlap": _ratio(overlap, total)}
    return estimates(statistics, len(rows), resampling or Resampling(0))


def _pair_counts(by: Mapping[str, Set[Mark]]) -> tuple[int, int, int]:
    exact = overlap = total = 0
    for one, other in combinations(by.values(), 2):
        total += len(one) + len(other)
        exact += 2 * len(one & other)
        overlap += sum(_met(mark, other) for mark in one) + sum(_met(mark, one) for mark in other)
    return exact, overlap, total


def _met(mark: Mark, others: Set[Mark]) -> bool:
    return any(mark[1] == label and mark[0].overlaps(span) for span, label in others)


def alignment_agreement(
    reference: Mapping[str, Set[Hashable]],
    other: Mapping[str, Set[Hashable]],
    resampling: Resampling | None = None,
) -> PRF:
    """Return precision, recall and F1 of one set of links by item against another that is taken as right.

    A link is anything that can be compared: a pair of spans, or a pair of words. Definition: with ``c`` links in
    both, ``precision = c / links of other``, ``recall = c / links of reference``, ``F1 = 2c / sum of the two``, pooled
    over the items that both annotated. 1: the same links; 0: none in common. Higher is better. Chance is not taken
    off.
    """
    need_numpy()
    import numpy as np

    shared = [item for item in reference if item in other]
    rows = np.array(
        [(len(reference[item] & other[item]), len(other[item]), len(reference[item])) for item in shared],
        dtype=np.float64,
    ).reshape(-1, 3)
    both, given, wanted = rows[:, 0], rows[:, 1], rows[:, 2]
    statistics = {
        "precision": _ratio(both, given),
        "recall": _ratio(both, wanted),
        "f1": _ratio(2 * both, given + wanted),
    }
    return PRF(**estimates(statistics, len(shared), resampling or Resampling(0)))


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> Statistic:
    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        result: NDArray[np.float64] = (weights @ above) / (weights @ below)
        return result

    return statistic
