"""The four evaluation sets that Bauer et al. (2023) made of CAD, and what can be made of the short copy.

Their filters: an entry has a rationale; the rationale is a stretch of the entry; it speaks of one of the eleven
dimensions; an entry of the training part has at most 150 words. Development and test part together are for evaluation.
How the neutral half of ``diagnosis`` was drawn, and how an entry with several dimensions or rationales was counted, is
not stated: here the neutral half is drawn with a seed, as large as the other; ``identification`` takes entries with one
dimension, ``extraction`` and ``rephrasing`` those that also have one rationale. The rephrased texts were collected
by the authors and are not part of CAD: ``rephrasing`` holds what is to be rephrased.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace

from unslant.core.example import Example
from unslant.lab.corpora.cad import ABUSE
from unslant.lab.corpora.published import Compared, published

__all__ = ["EVALUATION", "TRAIN_WORDS", "evaluation_sets", "sizes"]

EVALUATION = ("dev", "test")
TRAIN_WORDS = 150
_GROUPS = {
    "IdentityDirectedAbuse": "identity",
    "AffiliationDirectedAbuse": "affiliation",
    "PersonDirectedAbuse": "person",
}


def evaluation_sets(
    examples: Iterable[Example], *, part: str = "evaluation", seed: int = 0
) -> Mapping[str, tuple[Example, ...]]:
    """Build the sets from ``cad/full``; from ``cad``, ``diagnosis`` and ``group``.

    ``part`` is ``evaluation`` (development and test) or ``train``. In ``diagnosis`` the label is the answer, in
    ``identification`` the dimension, in ``extraction`` the span; in ``group`` the answer is ``extra["group"]``.
    """
    splits = EVALUATION if part == "evaluation" else ("train",)
    kept = [example for example in examples if example.split in splits and _short_enough(example)]
    neutral = [example for example in kept if example.label is False]
    full = any("dimensions" in example.extra for example in kept)
    biased = [example for example in kept if (_has_rationale(example) if full else _directed(example))]
    sets = {"diagnosis": _balanced(biased, neutral, seed)}
    if full:
        single = [example for example in biased if example.dimension]
        spans = [example for example in single if len(example.spans or ()) == 1]
        sets |= {"identification": tuple(single), "extraction": tuple(spans), "rephrasing": tuple(spans)}
    else:
        sets["group"] = tuple(_grouped(kept))
    return sets


def _short_enough(example: Example) -> bool:
    return example.split != "train" or len(example.text.split()) <= TRAIN_WORDS


def _categories(example: Example) -> list[str]:
    return str(example.extra.get("categories") or "").split(",")


def _has_rationale(example: Example) -> bool:
    return bool(example.label and example.spans and example.extra.get("dimensions") and _directed(example))


def _directed(example: Example) -> bool:
    return any(name in ABUSE[:2] for name in _categories(example))


def _balanced(biased: list[Example], neutral: list[Example], seed: int) -> tuple[Example, ...]:
    drawn = random.Random(seed).sample(neutral, min(len(biased), len(neutral)))  # noqa: S311
    return tuple([replace(example, label=True) for example in biased] + drawn)


def _grouped(examples: Iterable[Example]) -> Iterable[Example]:
    for example in examples:
        groups = [_GROUPS[name] for name in _categories(example) if name in _GROUPS]
        if len(groups) == 1:
            yield replace(example, extra={**example.extra, "group": groups[0]})


def sizes(sets: Mapping[str, tuple[Example, ...]], part: str = "evaluation") -> list[Compared]:
    """Return the size of each set beside the published one."""
    figures = published("cad")[part]
    full = "identification" in sets
    note = "" if full else "this copy has no rationales or dimensions to filter by"
    rows = [Compared(f"{name} ({part})", figures.get(name), len(items), note) for name, items in sets.items()]
    if full:
        for dimension, figure in figures["dimension"].items():
            ours = sum(example.dimension == dimension for example in sets["identification"])
            rows.append(Compared(f"identification: {dimension} ({part})", figure, ours))
    return rows
