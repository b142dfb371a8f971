"""What is seen in one epoch: a draw by the weights of the corpora, with counterfactual copies."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from unslant.lab.detector.augment import Swapper
from unslant.lab.detector.recipe import Augment
from unslant.lab.detector.rows import Sample

__all__ = ["draw", "epoch_rng"]


def epoch_rng(seed: int, stage: str, epoch: int) -> random.Random:
    """Return the source of chance of one epoch; a resumed run draws the same."""
    return random.Random(f"{seed}/{stage}/{epoch}")  # noqa: S311


def draw(samples: Sequence[Sample], augment: Augment, rng: random.Random) -> list[Sample]:
    """Return the samples of one epoch.

    A corpus with weight 2.5 gives each text twice, and a random half of them a third time; the sides of a pair are
    drawn together.
    """
    chosen: list[Sample] = []
    luck: dict[tuple[str, str], float] = {}
    for sample in samples:
        example = sample.example
        chance = luck.setdefault((example.source, example.pair or f"\0{example.id}"), rng.random())
        whole, rest = divmod(sample.part.weight, 1)
        chosen += [sample] * (int(whole) + (chance < rest))
    return _with_copies(chosen, augment, rng) if augment.share else chosen


def _with_copies(samples: list[Sample], augment: Augment, rng: random.Random) -> list[Sample]:
    swapper = Swapper(augment.lists)
    result = list(samples)
    for at, sample in enumerate(samples):
        if rng.random() >= augment.share:
            continue
        swapped = swapper.swap(sample.example)
        if swapped is None:
            continue
        # What a teacher said was said of other words.
        copy = replace(sample, example=swapped, soft={}, rewritten=_rewritten(swapper, sample))
        if augment.consistency:
            result.append(replace(copy, copy_of=at))
        else:
            result[at] = copy
    return result


def _rewritten(swapper: Swapper, sample: Sample) -> str | None:
    # Where the editor's text names nobody, or cannot be exchanged alike, the two would differ by more than the edit.
    return None if sample.rewritten is None else swapper.text(sample.rewritten)
