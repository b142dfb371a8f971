"""The texts of each probing task with their reference answers: an evaluation set and a pool for few-shot examples."""

from __future__ import annotations

import random
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
from unslant.text.words import CHARACTERS

__all__ = ["ProbeItem", "ProbeItems", "load_items"]

_MAX_WORDS = 150
"""Maximum number of words in a few-shot example, as in the publication."""


@dataclass(frozen=True, slots=True)
class ProbeItem:
    """A text with its reference answers."""

    id: str
    text: str
    answers: tuple[str, ...]
    """``yes`` or ``no``, a dimension, the slanted words, or one or more neutral wordings."""
    dimension: str | None = None
    span: Span | None = None
    """The position of the slanted words."""


@dataclass(frozen=True, slots=True)
class ProbeItems:
    """The texts of one task."""

    task: str
    evaluated: tuple[ProbeItem, ...]
    pool: tuple[ProbeItem, ...]
    """Few-shot examples are sampled from these texts; none of them is evaluated."""
    corpora: tuple[str, ...]
    published: int | None
    """How many texts the publication evaluated."""
    stand_in: bool
    """Whether these corpora stand in for the publication's."""
    digest: str = ""
    """A digest of the files."""

    @property
    def title(self) -> str:
        """The source of the texts, shown beside every result."""
        where = " and ".join(self.corpora)
        size = f"{len(self.evaluated):,} texts of {where}"
        beside = f"; published on {self.published:,} of CAD" if self.published else ""
        return f"{size}{' (stand-in for CAD)' if self.stand_in else ''}{beside}"


def load_items(
    task: str,
    data: str | Path | None = None,
    *,
    part: str = "evaluation",
    count: int | None = None,
    seed: int = 0,
) -> ProbeItems:
    """Return the texts of a task, or a sample of ``count`` texts stratified by answer.

    If the publisher's full CAD file is available, it is used with the publication's filters; otherwise other corpora
    stand in. ``part`` is ``evaluation`` (development and test split together, as published) or ``test``.
    """
    where = _CorpusParts(data, EVALUATION_SPLITS if part == "evaluation" else ("test",))
    found = _from_full_cad(task, where) or _BUILDERS[task](where)
    taken = {_normalize(item.text) for item in found.evaluated}
    pool = tuple(
        item
        for item in found.pool
        if _normalize(item.text) not in taken and len(item.text.split()) <= _MAX_WORDS
    )
    if not found.evaluated or not pool:
        raise ConfigError(f"{task}: the corpora {', '.join(found.corpora)} have no texts for this task")
    evaluated = found.evaluated if count is None else stratify(found.evaluated, count, seed)
    return replace(found, evaluated=evaluated, pool=pool)


def stratify(items: Sequence[ProbeItem], count: int, seed: int) -> tuple[ProbeItem, ...]:
    """Return a sample stratified by answer, in the original order."""
    if count >= len(items):
        return tuple(items)
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)  # noqa: S311 - which texts, not a secret
    strata: dict[str, list[int]] = {}
    for at in order:
        item = items[at]
        answer = item.answers[0] if item.answers[0] in ("yes", "no") else ""
        strata.setdefault(item.dimension or answer, []).append(at)
    # rank every text by its relative position within its stratum, and keep the lowest ranks
    ranked = sorted(
        ((rank + 0.5) / len(members), at) for members in strata.values() for rank, at in enumerate(members)
    )
    return tuple(items[at] for at in sorted(at for _, at in ranked[:count]))


def _normalize(text: str) -> str:
    return " ".join(CHARACTERS.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class _CorpusParts:
    data: str | Path | None
    splits: tuple[str, ...]

    def load(self, name: str) -> list[Example]:
        return list(corpora.load(name, self.data))

    def select(self, examples: Iterable[Example]) -> list[Example]:
        return [example for example in examples if example.split in self.splits]

    def digest(self, *names: str) -> str:
        found = [f"{name}:{corpora.load(name, self.data).fingerprint()[:16]}" for name in names]
        return "+".join([*found, *self.splits])


def _from_full_cad(task: str, where: _CorpusParts) -> ProbeItems | None:
    """Return the publication's own set, or None without the full file; rephrasing is not part of it."""
    if task == "rephrasing":
        return None
    try:
        examples = where.load("cad/full")
    except CorpusMissing:
        return None
    make = {
        "diagnosis": _diagnosis_item,
        "identification": _identification_item,
        "extraction": _extraction_item,
    }[task]
    return ProbeItems(
        task,
        tuple(map(make, build_cad_sets(where.select(examples))[task])),
        tuple(map(make, build_cad_sets(examples, part="train")[task])),
        ("cad/full",),
        published_figures("cad")["evaluation"][task],
        stand_in=False,
        digest=where.digest("cad/full"),
    )


def _diagnosis_item(example: Example) -> ProbeItem:
    return ProbeItem(f"{example.source}:{example.id}", example.text, ("yes" if example.label else "no",))


def _identification_item(example: Example) -> ProbeItem:
    dimension = str(example.dimension)
    return ProbeItem(f"{example.source}:{example.id}", example.text, (dimension,), dimension)


def _extraction_item(example: Example) -> ProbeItem:
    span = (example.spans or ())[0].span
    words = example.text[span.start : span.end]
    return ProbeItem(f"{example.source}:{example.id}", example.text, (words,), example.dimension, span)


def _diagnosis(where: _CorpusParts) -> ProbeItems:
    examples = where.load("cad")
    return ProbeItems(
        "diagnosis",
        tuple(map(_diagnosis_item, build_cad_sets(where.select(examples))["diagnosis"])),
        tuple(map(_diagnosis_item, build_cad_sets(examples, part="train")["diagnosis"])),
        ("cad",),
        published_figures("cad")["evaluation"]["diagnosis"],
        stand_in=False,
        digest=where.digest("cad"),
    )


def _partition(
    names: Sequence[str],
    where: _CorpusParts,
    wanted: Callable[[Example], bool],
    make: Callable[[Example], ProbeItem],
) -> tuple[tuple[ProbeItem, ...], tuple[ProbeItem, ...]]:
    """Return the evaluation set and the pool, which is always the training split."""
    evaluated: list[ProbeItem] = []
    pool: list[ProbeItem] = []
    for name in names:
        examples = where.load(name)
        splits = find_splits(examples)
        for example in filter(wanted, examples):
            if splits[example.id] in ("train", *where.splits):
                (pool if splits[example.id] == "train" else evaluated).append(make(example))
    return tuple(evaluated), tuple(pool)


def _identification(where: _CorpusParts) -> ProbeItems:
    names = ("reddit_bias", "crows_pairs")
    evaluated, pool = _partition(
        names, where, lambda example: bool(example.label and example.dimension), _identification_item
    )
    size = published_figures("cad")["evaluation"]["identification"]
    return ProbeItems(
        "identification", evaluated, pool, names, size, stand_in=True, digest=where.digest(*names)
    )


def _extraction(where: _CorpusParts) -> ProbeItems:
    names = ("reddit_bias",)
    evaluated, pool = _partition(
        names, where, lambda example: bool(example.label and len(example.spans or ()) == 1), _extraction_item
    )
    size = published_figures("cad")["evaluation"]["extraction"]
    return ProbeItems("extraction", evaluated, pool, names, size, stand_in=True, digest=where.digest(*names))


def _rephrasing(where: _CorpusParts) -> ProbeItems:
    examples = where.load("paradetox")
    splits = find_splits(examples)
    evaluated: list[ProbeItem] = []
    pool: list[ProbeItem] = []
    for source, targets in _pairs(examples):
        item = ProbeItem(f"paradetox:{source.id}", source.text, targets)
        if splits[source.id] in ("train", *where.splits):
            (pool if splits[source.id] == "train" else evaluated).append(item)
    size = published_figures("cad")["evaluation"]["rephrasing"]
    digest = where.digest("paradetox")
    return ProbeItems(
        "rephrasing", tuple(evaluated), tuple(pool), ("paradetox",), size, stand_in=True, digest=digest
    )


def _pairs(examples: Iterable[Example]) -> Iterable[tuple[Example, tuple[str, ...]]]:
    pairs: dict[str, list[Example]] = {}
    for example in examples:
        pairs.setdefault(str(example.pair), []).append(example)
    for members in pairs.values():
        targets = tuple(member.text for member in members if member.side == "target")
        for source in members:
            if source.side == "source" and targets:
                yield source, targets


_BUILDERS: dict[str, Callable[[_CorpusParts], ProbeItems]] = {
    "diagnosis": _diagnosis,
    "identification": _identification,
    "extraction": _extraction,
    "rephrasing": _rephrasing,
}
