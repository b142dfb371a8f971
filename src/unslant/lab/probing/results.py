"""From answers to figures: by class of description and number of examples, with what the wording does."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.taxonomy import dimensions
from unslant.lab.probing.descriptions import Description
from unslant.lab.probing.figures import (
    FIGURES,
    MAIN,
    Figure,
    Spread,
    calibration,
    counts_of,
    spread,
    variance_shares,
)
from unslant.lab.probing.items import Item, Items
from unslant.lab.probing.prompts import Answer
from unslant.lab.probing.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SCHEMA", "Cell", "Measuring", "Result", "measure", "published", "with_setting"]

SCHEMA = "unslant/probe-result/1"


@dataclass(frozen=True, slots=True)
class Measuring:
    """How answers are measured."""

    threshold: float = 0.5
    """From which probability on the answer is yes."""
    resamples: int = 1000


@dataclass(frozen=True, slots=True)
class Cell:
    """One class of descriptions with one number of examples."""

    family: str
    shots: int
    wordings: int
    seeds: int
    figures: Mapping[str, Spread]
    by_dimension: Mapping[str, Spread]
    each: tuple[tuple[str, float], ...]
    """The main figure of each wording, averaged over seeds, the best first."""
    variance: Mapping[str, float] | None
    words: Mapping[str, Mapping[str, float]]
    """The main figure by slot and variant."""
    calibration: Mapping[str, Any] | None
    set_aside: int
    """Answers that were none, or texts that did not fit; they count nowhere."""
    answers: int

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "class": self.family,
            "shots": self.shots,
            "wordings": self.wordings,
            "seeds": self.seeds,
            "answers": self.answers,
            "set_aside": self.set_aside,
            "figures": {name: one.to_dict() for name, one in self.figures.items()},
            "by_dimension": {name: one.to_dict() for name, one in self.by_dimension.items()},
            "variance": self.variance,
            "best": self.each[0] if self.each else None,
            "worst": self.each[-1] if self.each else None,
            "each": [list(one) for one in self.each],
            "words": self.words,
            "calibration": self.calibration,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that was found out about one task."""

    task: str
    model: str
    title: str
    """Which texts, and whether they stand in for others."""
    setting: Mapping[str, Any]
    cells: tuple[Cell, ...]
    baselines: Mapping[str, Mapping[str, float | None]]
    texts: Mapping[str, str]
    """The wordings by their ids."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "schema": SCHEMA,
            "task": self.task,
            "model": self.model,
            "texts": self.title,
            "setting": dict(self.setting),
            "cells": [one.to_dict() for one in self.cells],
            "baselines": self.baselines,
            "wordings": dict(self.texts),
            "notes": list(self.notes),
        }


@cache
def published(task: str, sampling: str = "random", decoding: str = "span") -> Mapping[str, Any]:
    """Return the publication's figures for a task by class, figure or dimension, and examples; empty if none."""
    data = tomllib.loads(Path(__file__).with_name("published.toml").read_text("utf-8"))
    name = task
    if task == "identification":
        name = f"{task}-{sampling}"
    elif task == "extraction" and decoding != "span":
        name = f"{task}-{decoding}"
    found: Mapping[str, Any] = data.get(name, {})
    return found


def measure(
    records: Sequence[Record],
    items: Items,
    descriptions: Sequence[Description],
    measuring: Measuring | None = None,
) -> Result:
    """Return the figures of a run; model, setting and notes are the caller's to fill in."""
    how = measuring or Measuring()
    by_key = {one.key: one.answer for one in records}
    rounds = list(dict.fromkeys((one.shots, one.seed) for one in records))
    families = list(dict.fromkeys(one.family for one in descriptions))
    cells = []
    for family in families:
        some = [one for one in descriptions if one.family == family]
        for shots in dict.fromkeys(shots for shots, _ in rounds):
            seeds = [seed for number, seed in rounds if number == shots]
            answers = [
                [[by_key[one.id, shots, seed, item.id] for item in items.judged] for seed in seeds]
                for one in some
            ]
            cells.append(_cell((family, shots), some, answers, items, how))
    return Result(
        items.task,
        "",
        items.title,
        {},
        tuple(cells),
        _baselines(items, how),
        {one.id: one.text for one in descriptions},
    )


def _cell(
    name: tuple[str, int],
    some: Sequence[Description],
    answers: Sequence[Sequence[Sequence[Answer]]],
    items: Items,
    how: Measuring,
) -> Cell:
    import numpy as np

    task = items.task
    counts = np.array(
        [
            [
                [
                    counts_of(task, item, said, how.threshold)
                    for item, said in zip(items.judged, row, strict=True)
                ]
                for row in rows
            ]
            for rows in answers
        ]
    )
    aside = int((counts[..., 0] == 0).sum())
    main = next(one for one in FIGURES[task] if one.name == MAIN[task])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = main.formula(counts.sum(axis=2)).mean(axis=1)
    ranked = sorted(zip((one.id for one in some), map(float, values), strict=True), key=lambda pair: -pair[1])
    whole = (counts[..., 0] > 0).all(axis=(0, 1))
    return Cell(
        *name,
        len(some),
        counts.shape[1],
        {one.name: spread(counts, one.formula, how.resamples) for one in FIGURES[task]},
        _by_dimension(task, counts, items.judged, main, how),
        tuple(one for one in ranked if one[1] == one[1]),
        variance_shares(counts[:, :, whole, 1]) if len(some) > 1 and whole.any() else None,
        _words(some, values) if len(some) > 1 else {},
        _calibrated(answers, items.judged) if task == "diagnosis" else None,
        aside,
        counts[..., 0].size,
    )


def _by_dimension(
    task: str, counts: NDArray[np.float64], judged: Sequence[Item], main: Figure, how: Measuring
) -> dict[str, Spread]:
    if task == "diagnosis" or any(item.dimension is None for item in judged):
        return {}
    found = {}
    for name in dimensions():
        inside = [at for at, item in enumerate(judged) if item.dimension == name]
        if inside:
            found[name] = spread(counts[:, :, inside], main.formula, how.resamples)
    return found


def _words(some: Sequence[Description], values: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    """Return the mean of the main figure for each variant of each slot."""
    found: dict[str, dict[str, list[float]]] = {}
    for one, value in zip(some, values, strict=True):
        for slot, variant in one.slots.items():
            found.setdefault(slot, {}).setdefault(variant, []).append(float(value))
    return {
        slot: {variant: sum(many) / len(many) for variant, many in variants.items()}
        for slot, variants in found.items()
    }


def _calibrated(answers: Sequence[Sequence[Sequence[Answer]]], judged: Sequence[Item]) -> dict[str, Any]:
    pairs = [
        (said.probability, item.answers[0] == "yes")
        for rows in answers
        for row in rows
        for item, said in zip(judged, row, strict=True)
        if said.judged and said.probability is not None
    ]
    return calibration([chance for chance, _ in pairs], [gold for _, gold in pairs])


def _baselines(items: Items, how: Measuring) -> dict[str, dict[str, float | None]]:
    """Return what needs no model: the text itself as its rephrasing or extraction, or always the commonest answer."""
    if items.task in ("extraction", "rephrasing"):
        return {"copy": _fixed(items, [Answer(item.text) for item in items.judged], how)}
    firsts = [item.answers[0] for item in items.judged]
    commonest = max(dict.fromkeys(firsts), key=firsts.count)
    return {f"always {commonest}": _fixed(items, [Answer(commonest)] * len(firsts), how)}


def _fixed(items: Items, answers: Sequence[Answer], how: Measuring) -> dict[str, float | None]:
    import numpy as np

    pairs = zip(items.judged, answers, strict=True)
    counts = np.array([[[counts_of(items.task, item, said, how.threshold) for item, said in pairs]]])
    return {one.name: spread(counts, one.formula, 0).mean for one in FIGURES[items.task]}


def with_setting(result: Result, model: str, setting: Mapping[str, Any], notes: Sequence[str]) -> Result:
    """Return a result that says which model was asked, and how."""
    return replace(result, model=model, setting=setting, notes=tuple(notes))
