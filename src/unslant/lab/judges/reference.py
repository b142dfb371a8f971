"""What a judge says about passages of known sides: the slant that a first audit measures itself by.

A judge's folder holds its probabilities for passages of outlets that it has not learned from, by side and by length. No
text is kept. An audit compares its own size with them, and so says what it would have found before anybody has planted
a slant in a language model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unslant.core.example import Example
from unslant.core.files import read_json, write_text
from unslant.lab.judges.fitting import select_sided
from unslant.lab.judges.judge import Judge, judge_folder, judge_texts, unusable_folder

LENGTHS = (12, 25, 50, 100)
"""Words of the passages; a judge reads no more than the last."""
_FORMAT = "unslant/judge-reference/1"
_FILE = "reference.json"
_MOST = 500
"""Passages of each side and length."""
_LEAST = 20
"""With fewer passages of a side, audits cannot be simulated."""
_PLACES = 4
"""Decimal places of the probabilities."""


@dataclass(frozen=True, slots=True)
class ReferenceSide:
    """A judge's probabilities for passages of one length."""

    left: tuple[float, ...]
    right: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class JudgeReference:
    """A judge's probabilities for passages of the left and of the right, by their number of words."""

    judge: str
    """The digest of the judge."""
    source: str
    lengths: Mapping[int, ReferenceSide]

    def nearest(self, words: float) -> tuple[int, ReferenceSide]:
        """Return the longest passages that are no longer than these texts, or else the shortest."""
        length = max((length for length in self.lengths if length <= words), default=min(self.lengths))
        return length, self.lengths[length]

    def save(self, folder: Path) -> None:
        """Write it into the judge's folder."""
        sides = {
            str(length): {"left": list(side.left), "right": list(side.right)}
            for length, side in self.lengths.items()
        }
        whole = {"format": _FORMAT, "judge": self.judge, "source": self.source, "lengths": sides}
        write_text(folder / _FILE, json.dumps(whole, separators=(",", ":")) + "\n")


def measure_reference(judge: Judge, examples: Sequence[Example]) -> JudgeReference | None:
    """Judge passages of these articles, one from each; None without articles of both sides that are long enough.

    Every outlet of a side gives as many passages as another, as far as it has them.
    """
    articles = _take_turns(select_sided(examples))
    lengths: dict[int, ReferenceSide] = {}
    for length in LENGTHS:
        sides = {
            side: _judged(judge, [article for article in articles if article.leaning == side], length)
            for side in ("left", "right")
        }
        if min(map(len, sides.values())) >= _LEAST:
            lengths[length] = ReferenceSide(sides["left"], sides["right"])
    if not lengths:
        return None
    outlets = len({article.outlet for article in articles})
    return JudgeReference(
        judge.digest(), f"passages of {outlets} outlets that the judge has not learned from", lengths
    )


def read_reference(judge: Judge) -> JudgeReference | None:
    """Return the reference in a judge's folder; None if it has none, or one of another judge."""
    folder = judge_folder(judge.name)
    if folder is None or not (folder / _FILE).is_file():
        return None
    whole = read_json(folder / _FILE)
    try:
        if whole["format"] != _FORMAT or whole["judge"] != judge.digest():
            return None
        lengths = {int(length): _read_side(side) for length, side in whole["lengths"].items()}
        if not lengths:
            return None
        return JudgeReference(whole["judge"], str(whole["source"]), lengths)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise unusable_folder(folder, f"{_FILE} is incomplete") from None


def _read_side(side: Mapping[str, Any]) -> ReferenceSide:
    left, right = (tuple(float(value) for value in side[name]) for name in ("left", "right"))
    if not all(0 <= value <= 1 for value in (*left, *right)):
        raise ValueError("a probability lies between 0 and 1")
    return ReferenceSide(left, right)


def _take_turns(articles: Sequence[Example]) -> list[Example]:
    """Return articles in an order in which outlets take turns; which article comes first depends on its id only."""
    places: dict[tuple[str, str], int] = {}
    ranked: list[tuple[int, str, Example]] = []
    for article in sorted(articles, key=_mark):
        key = (str(article.leaning), article.outlet or "")
        places[key] = places.get(key, -1) + 1
        ranked.append((places[key], _mark(article), article))
    return [article for _, _, article in sorted(ranked, key=lambda entry: entry[:2])]


def _mark(article: Example) -> str:
    return hashlib.sha256(f"reference\0{article.id}".encode()).hexdigest()


def _passage(article: Example, length: int) -> str:
    """Return so many words from a place that depends on the article's id; an empty text if it is too short."""
    words = article.text.split()
    spare = len(words) - length
    if spare < 0:
        return ""
    start = int(_mark(article)[:8], 16) % (spare + 1)
    return " ".join(words[start : start + length])


def _judged(judge: Judge, articles: Sequence[Example], length: int) -> tuple[float, ...]:
    passages = (_passage(article, length) for article in articles)
    values = judge_texts(judge, [passage for passage in passages if passage][:_MOST])
    return tuple(round(value, _PLACES) for value in values if value is not None)
