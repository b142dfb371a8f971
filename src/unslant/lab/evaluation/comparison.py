"""Two models on the same text, figure by figure."""

from __future__ import annotations

from collections.abc import Iterator

from unslant.lab.evaluation.result import Figure, Result, Section
from unslant.lab.stats.bootstrap import Estimate, Resampling, compare_paired

__all__ = ["compare"]


def compare(one: Result, other: Result, resampling: Resampling) -> Result:
    """Return how much higher each figure of the first model is, by a paired bootstrap.

    Figures that rest on different items, as where one model may not be measured on a corpus, are left out.
    """
    theirs = {section.title: section for section in other.sections}
    sections = [
        Section(section.title, found, section.table)
        for section in one.sections
        if section.title in theirs
        and (found := tuple(_differences(section, theirs[section.title], resampling)))
    ]
    notes = (
        "figures of the first model less those of the second; where the interval holds 0, either may be the better",
        *dict.fromkeys((*one.notes, *other.notes)),
    )
    return Result(
        one.task, f"{one.model} less {other.model}", tuple(sections), notes, heads=one.heads or other.heads
    )


def _differences(section: Section, other: Section, resampling: Resampling) -> Iterator[Figure]:
    theirs = {figure.name: figure.measure for figure in other.figures}
    for figure in section.figures:
        ours, second = figure.measure, theirs.get(figure.name)
        if ours is None or second is None or ours.items != second.items:
            continue
        if resampling.resamples == 0 or ours.value is None or second.value is None:
            value = None if ours.value is None or second.value is None else ours.value - second.value
            estimate = Estimate(value)
        else:
            found = compare_paired(ours, second, resampling)
            estimate = Estimate(found.value, found.low, found.high)
        yield Figure(figure.name, estimate, figure.items, lower_is_better=figure.lower_is_better)
