"""Counts of a corpus, with the published figures beside ours."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from unslant.core.encoding import encode_fields
from unslant.lab.published import find_published

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.corpora.dataset import Dataset


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """One figure as published and as measured."""

    name: str
    published: float | None
    """None if the publication gives none."""
    ours: float | None
    """None if it cannot be determined from this copy."""
    why: str = ""
    """What explains the difference, if there is one."""
    digits: int = 0
    """The digits after the point that the publication gives."""

    @property
    def same(self) -> bool | None:
        """Whether the two agree to the digits that were published; None where one is missing."""
        if self.published is None or self.ours is None:
            return None
        # Tables round or cut: a whole unit of the last digit covers both.
        return abs(self.ours - self.published) < 10.0**-self.digits

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return encode_fields(self, "name", "published", "ours", "same", "why")


@cache
def published_figures(corpus: str) -> dict[str, Any]:
    """Return the published figures of a corpus."""
    data = tomllib.loads(files("unslant.lab.corpora").joinpath("published.toml").read_text("utf-8"))
    figures: dict[str, Any] = data[corpus]
    return figures


_ANSWERS = {True: "slanted", False: "not slanted", None: "not judged"}


@dataclass
class CorpusStatistics:
    """What is in a corpus, counted."""

    examples: int = 0
    words: int = 0
    spans: int = 0
    pairs: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    dimensions: Counter[str] = field(default_factory=Counter)
    leanings: Counter[str] = field(default_factory=Counter)
    outlets: dict[str, Counter[str]] = field(default_factory=dict)
    """Labels by outlet."""
    topics: dict[str, Counter[str]] = field(default_factory=dict)
    """Labels by topic."""
    opinions: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    """Where sentences are judged factual or opinionated: these judgements by label, outlet and topic."""

    def add(self, example: Example) -> None:
        """Count one example."""
        answer = _ANSWERS[example.label]
        self.examples += 1
        self.words += len(example.text.split())
        self.spans += len(example.spans or ())
        self.labels[answer] += 1
        self.splits[example.split or "none"] += 1
        self.kinds.update(example.kinds or ())
        for counts, value in ((self.dimensions, example.dimension), (self.leanings, example.leaning)):
            if value:
                counts[value] += 1
        for table, value in ((self.outlets, example.outlet), (self.topics, example.topic)):
            if value:
                table.setdefault(value, Counter())[answer] += 1
        if opinion := example.extra.get("opinion"):
            groups = {"labels": answer, "outlets": example.outlet, "topics": example.topic}
            for name, group in groups.items():
                if group:
                    rows = self.opinions.setdefault(name, {})
                    rows.setdefault(group, Counter())[str(opinion)] += 1

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        opinions = {
            name: {key: _with_shares(row) for key, row in rows.items()}
            for name, rows in self.opinions.items()
        }
        return encode_fields(self) | {"opinions": opinions}


def _with_shares(counts: Counter[str]) -> dict[str, dict[str, float]]:
    """Return each count with its share of the row in percent."""
    total = counts.total()
    return {name: {"count": count, "percent": 100 * count / total} for name, count in counts.most_common()}


def count_corpus(dataset: Dataset) -> CorpusStatistics:
    """Count a corpus in one reading."""
    counts = CorpusStatistics()
    pairs: set[str] = set()
    for example in dataset:
        counts.add(example)
        if example.pair:
            pairs.add(example.pair)
    counts.pairs = len(pairs)
    counts.skipped = dict(dataset.skipped)
    return counts


def compare_published(dataset: Dataset) -> list[FigureComparison]:
    """Return the published figures beside ours; empty where none are known."""
    figures = find_published(f"{dataset.card.corpus} figures")
    found: list[FigureComparison] = figures.compare(list(dataset), dataset.card.variant) if figures else []
    return found


def largest_groups(table: dict[str, Counter[str]], count: int) -> Iterable[tuple[str, Counter[str]]]:
    """Return the rows with the most examples, the largest first."""
    return sorted(table.items(), key=lambda item: (-item[1].total(), item[0]))[:count]
