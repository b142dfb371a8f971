"""Which figures of a task are promised, and so stand in front of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["HEADLINES", "headlines"]

HEADLINES: Mapping[str, Sequence[tuple[str, str]]] = {
    "babe": (("", "macro-F1"),),
    "wikibias": (("", "macro-F1"),),
    "tagging": (("", "exact F1"), ("", "overlap F1")),
    "pairwise": (("", "source above its target"),),
    "fine-grained": (("all test sentences", "macro-F1"), ("sources alone", "macro-F1")),
    "diagnosis": (("", "accuracy, even odds"),),
    "dimensions": (("together", "macro-F1"),),
    "phrases": (("", "token F1, mean of texts"),),
    "calibration": (("", "ECE"),),
    "even-handed": (
        ("exchanges in real sentences", "mean change"),
        ("exchanges in real sentences", "verdicts flipped"),
    ),
}
"""For each task the beginning of a section's title and the end of a figure's name."""


def headlines(task: str, sections: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the promised figures of a task with their section's title; the first section that has one counts.

    BABE has a section for each of its parts, and calibration one for each corpus: there, every section counts.
    """
    for beginning, end in HEADLINES.get(task, ()):
        for section in sections:
            if not section["title"].startswith(beginning):
                continue
            found = [one for one in section["figures"] if one["name"].endswith(end)]
            if found:
                yield section["title"], found[0]
                if task not in ("babe", "calibration"):
                    break
