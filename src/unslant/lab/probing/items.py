"""What is asked about: texts with their answers, parted into those to be judged and those to learn from."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.core.types import Span
from unslant.lab import corpora
from unslant.lab.corpora.cad import EVALUATION_SPLITS, build_cad_sets
from unslant.lab.corpora.problems import CorpusMissing
from unslant.lab.corpora.splits import find_splits
from unslant.lab.corpora.statistics import published_figures

__all__ = ["Item", "Items", "load_items"]

_WORD = re.compile(r"\w+")
_LONGEST = 150
"""Words of a text that serves as an example, as in the publication."""


@dataclass(frozen=True, slots=True)
class Item:
    """One text, and what a right answer is."""

    id: str
    text: str
    answers: tuple[str, ...]
    """``yes`` or ``no``, a dimension, the words that slant, or one or more neutral wordings."""
    dimension: str | None = None
    span: Span | None = None
    """Where the words that slant stand."""


@dataclass(frozen=True, slots=True)
class Items:
    """The texts of one task."""

    task: str
    judged: tuple[Item, ...]
    pool: tuple[Item, ...]
    """What examples are drawn from; none of these texts is judged."""
    corpora: tuple[str, ...]
    published: int | None
    """How many texts the publication judged."""
    stand_in: bool
    """Whether other corpora stand in for the publication's."""
    digest: str = ""
    """Of the files they were read from."""

    @property
    def title(self) -> str:
        """Where the figures come from, for every place that shows one."""
        where = " and ".join(self.corpora)
        size = f"{len(self.judged):,} texts of {where}"
        beside = f"; published on {self.published:,} of CAD" if self.published else ""
        return f"{size}{' (stand-in for CAD)' if self.stand_in else ''}{beside}"


def load_items(
    task: str,
    data: str | Path | None = None,
    *,
    part: str = "evaluation",
    count: int | None = None,
    seed: int = 0,
) -> Items:
    """Return the texts of a task; ``count`` of them, each answer in its share, where not all are wanted.

    Where the publisher's full CAD file is at hand, it is used by the publication's filters; else the corpora that
    stand in for it. ``part`` is ``evaluation`` (development and test part together, as published) or ``test``.
    """
    where = _Where(data, EVALUATION_SPLITS if part == "evaluation" else ("test",))
    found = _from_full_cad(task, where) or _BUILDERS[task](where)
    taken = {_plain(one.text) for one in found.judged}
    pool = tuple(
        one for one in found.pool if _plain(one.text) not in taken and len(one.text.split()) <= _LONGEST
    )
    if not found.judged or not pool:
        raise ConfigError(f"{task}: the corpora {', '.join(found.corpora)} hold no texts for it")
    judged = found.judged if count is None else stratified(found.judged, count, seed)
    return replace(found, judged=judged, pool=pool)


def stratified(items: Sequence[Item], count: int, seed: int) -> tuple[Item, ...]:
    """Return some of the items, each answer in its share as nearly as can be, in their order."""
    if count >= len(items):
        return tuple(items)
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)  # noqa: S311 - which texts, not a secret
    strata: dict[str, list[int]] = {}
    for place in order:
        one = items[place]
        strata.setdefault(
            one.dimension or (one.answers[0] if one.answers[0] in ("yes", "no") else ""), []
        ).append(place)
    # every text gets the share of its stratum that is drawn before it; the smallest shares go first
    ranked = sorted(
        (
            ((rank + 0.5) / len(members), place)
            for members in strata.values()
            for rank, place in enumerate(members)
        ),
    )
    return tuple(items[place] for place in sorted(place for _, place in ranked[:count]))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class _Where:
    data: str | Path | None
    splits: tuple[str, ...]

    def load(self, name: str) -> list[Example]:
        return list(corpora.load(name, self.data))

    def judged(self, examples: Iterable[Example]) -> list[Example]:
        return [one for one in examples if one.split in self.splits]

    def digest(self, *names: str) -> str:
        found = [f"{name}:{corpora.load(name, self.data).fingerprint()[:16]}" for name in names]
        return "+".join([*found, *self.splits])


def _from_full_cad(task: str, where: _Where) -> Items | None:
    """Return the publication's own set; None without the full file, and for rephrasing, which is not part of it."""
    if task == "rephrasing":
        return None
    try:
        examples = where.load("cad/full")
    except CorpusMissing:
        return None
    make = {"diagnosis": _diagnosed, "identification": _identified, "extraction": _extracted}[task]
    return Items(
        task,
        tuple(map(make, build_cad_sets(where.judged(examples))[task])),
        tuple(map(make, build_cad_sets(examples, part="train")[task])),
        ("cad/full",),
        published_figures("cad")["evaluation"][task],
        stand_in=False,
        digest=where.digest("cad/full"),
    )


def _diagnosed(example: Example) -> Item:
    return Item(f"{example.source}:{example.id}", example.text, ("yes" if example.label else "no",))


def _identified(example: Example) -> Item:
    dimension = str(example.dimension)
    return Item(f"{example.source}:{example.id}", example.text, (dimension,), dimension)


def _extracted(example: Example) -> Item:
    span = (example.spans or ())[0].span
    said = example.text[span.start : span.end]
    return Item(f"{example.source}:{example.id}", example.text, (said,), example.dimension, span)


def _diagnosis(where: _Where) -> Items:
    examples = where.load("cad")
    return Items(
        "diagnosis",
        tuple(map(_diagnosed, build_cad_sets(where.judged(examples))["diagnosis"])),
        tuple(map(_diagnosed, build_cad_sets(examples, part="train")["diagnosis"])),
        ("cad",),
        published_figures("cad")["evaluation"]["diagnosis"],
        stand_in=False,
        digest=where.digest("cad"),
    )


def _parted(
    names: Sequence[str],
    where: _Where,
    wanted: Callable[[Example], bool],
    make: Callable[[Example], Item],
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return what is judged and what examples are drawn from, which is always the training part."""
    judged: list[Item] = []
    pool: list[Item] = []
    for name in names:
        examples = where.load(name)
        splits = find_splits(examples)
        for one in filter(wanted, examples):
            if splits[one.id] in ("train", *where.splits):
                (pool if splits[one.id] == "train" else judged).append(make(one))
    return tuple(judged), tuple(pool)


def _identification(where: _Where) -> Items:
    names = ("reddit_bias", "crows_pairs")
    judged, pool = _parted(names, where, lambda one: bool(one.label and one.dimension), _identified)
    size = published_figures("cad")["evaluation"]["identification"]
    return Items("identification", judged, pool, names, size, stand_in=True, digest=where.digest(*names))


def _extraction(where: _Where) -> Items:
    names = ("reddit_bias",)
    judged, pool = _parted(
        names, where, lambda one: bool(one.label and len(one.spans or ()) == 1), _extracted
    )
    size = published_figures("cad")["evaluation"]["extraction"]
    return Items("extraction", judged, pool, names, size, stand_in=True, digest=where.digest(*names))


def _rephrasing(where: _Where) -> Items:
    examples = where.load("paradetox")
    splits = find_splits(examples)
    judged: list[Item] = []
    pool: list[Item] = []
    for source, targets in _pairs(examples):
        item = Item(f"paradetox:{source.id}", source.text, targets)
        if splits[source.id] in ("train", *where.splits):
            (pool if splits[source.id] == "train" else judged).append(item)
    size = published_figures("cad")["evaluation"]["rephrasing"]
    digest = where.digest("paradetox")
    return Items("rephrasing", tuple(judged), tuple(pool), ("paradetox",), size, stand_in=True, digest=digest)


def _pairs(examples: Iterable[Example]) -> Iterable[tuple[Example, tuple[str, ...]]]:
    pairs: dict[str, list[Example]] = {}
    for one in examples:
        pairs.setdefault(str(one.pair), []).append(one)
    for members in pairs.values():
        targets = tuple(one.text for one in members if one.side == "target")
        for source in members:
            if source.side == "source" and targets:
                yield source, targets


_BUILDERS: dict[str, Callable[[_Where], Items]] = {
    "diagnosis": _diagnosis,
    "identification": _identification,
    "extraction": _extraction,
    "rephrasing": _rephrasing,
}
