"""Who judges which texts: a few each, by every method, with the methods hidden."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unslant.lab.corpora.problems import CorpusError

if TYPE_CHECKING:
    from unslant.lab.corpora.annotation_project import Batching

__all__ = ["deal"]


def deal(
    tasks: Sequence[Mapping[str, Any]],
    manifest: Mapping[str, Any],
    batching: Batching,
    generator: random.Random,
) -> dict[str, list[int]]:
    """Return the places of each annotator's tasks: the test, then as many items as make the wanted number of texts.

    An annotator gets an item by all methods, so that methods are compared on the same items by the same people; items
    go round, so that all are judged about as often.
    """
    entries = [manifest["items"][task["data"]["item"]] for task in tasks]
    tests = [place for place, entry in enumerate(entries) if "gold" in entry]
    systems = sorted({entry["system"] for entry in entries if "gold" not in entry})
    places: dict[str, dict[str, int]] = {}
    for place, entry in enumerate(entries):
        if "gold" not in entry:
            places.setdefault(entry["item"], {})[entry["system"]] = place
    whole = sorted(item for item, by in places.items() if len(by) == len(systems))
    wanted = (batching.paragraphs or 0) // len(systems)
    if (batching.paragraphs or 0) % len(systems) or not 0 < wanted <= len(whole):
        raise CorpusError(
            f"{batching.paragraphs} texts an annotator cannot be dealt: there are {len(whole)} items by all of "
            f"{len(systems)} methods; choose a multiple of {len(systems)}, at most {len(systems) * len(whole)}"
        )
    generator.shuffle(whole)
    hands: dict[str, list[int]] = {}
    for number in range(batching.annotators):
        items = [whole[(number * wanted + step) % len(whole)] for step in range(wanted)]
        mine = [place for item in items for place in places[item].values()]
        generator.shuffle(mine)
        hands[str(number + 1)] = [*tests, *mine]
    return hands
