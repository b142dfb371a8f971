"""What a measurement comes to: figures with intervals, and the published ones beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from unslant.lab.stats.bootstrap import Estimate, Resampling, estimate_metrics
from unslant.lab.stats.metrics import Metric

__all__ = ["Figure", "Published", "Result", "Section", "figures", "published"]


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that a paper reports."""

    system: str
    value: float
    source: str
    error: float | None = None
    same: bool = False
    """Whether it was reached by the definition and on the text used here."""
    people: bool = False
    """Whether people reached it, not a system."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "system": self.system,
            "value": self.value,
            "error": self.error,
            "same_definition": self.same,
            "source": self.source,
        }


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.lab.evaluation").joinpath("published.toml").read_text("utf-8"))


def published(task: str, name: str) -> tuple[Published, ...]:
    """Return the published figures that belong beside one of ours."""
    sources: dict[str, str] = _data()["sources"]
    entries = _data()["figures"].get(task, {}).get(name, ())
    return tuple(Published(**{**entry, "source": sources[entry["source"]]}) for entry in entries)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of ours."""

    name: str
    estimate: Estimate
    items: int
    """How many sentences, pairs or texts it rests on."""
    error: float | None = None
    """The standard error over folds."""
    published: tuple[Published, ...] = ()
    lower_is_better: bool = False
    measure: Metric | None = field(default=None, repr=False, compare=False)
    """What it was made of, so that two models can be compared on the same items."""

    @property
    def best(self) -> Published | None:
        """The published figure to compare with: by the same definition if there is one, else the best system's."""
        choose = min if self.lower_is_better else max
        systems = [one for one in self.published if not one.people]
        alike = [one for one in systems if one.same] or systems
        return choose(alike, key=lambda one: one.value) if alike else None

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "name": self.name,
            **self.estimate.to_dict(),
            "standard_error": self.error,
            "items": self.items,
            "lower_is_better": self.lower_is_better,
            "published": [one.to_dict() for one in self.published],
        }


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together."""

    title: str
    figures: tuple[Figure, ...]
    table: str = ""
    """Neighbours with the same figures and the same name here are shown as columns of one table."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"title": self.title, "figures": [one.to_dict() for one in self.figures]}


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that a measurement has to say."""

    task: str
    model: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    """What makes our figures differ from the published ones, one line each."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """SVG, by name."""
    drawings: tuple[str, ...] = ()
    """The same for a terminal."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else is worth keeping; only in the JSON."""
    heads: str = ""
    """Which heads of a network answered: ``product`` or ``corpus``; empty: the model has none."""

    def figure(self, name: str, section: str | None = None) -> Figure:
        """Return a figure by its name."""
        for one in self.sections:
            if section is None or one.title == section:
                for found in one.figures:
                    if found.name == name:
                        return found
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "task": self.task,
            "model": self.model,
            "heads": self.heads,
            "sections": [one.to_dict() for one in self.sections],
            "notes": list(self.notes),
            **({"details": dict(self.details)} if self.details else {}),
        }


def figures(
    task: str, measures: Mapping[str, Metric], resampling: Resampling, lower: Sequence[str] = ()
) -> tuple[Figure, ...]:
    """Return each measure as a figure, with its interval and what was published."""
    found = estimate_metrics(measures, resampling)
    return tuple(
        Figure(
            name,
            found[name],
            measure.items,
            published=published(task, name),
            lower_is_better=name in lower,
            measure=measure,
        )
        for name, measure in measures.items()
    )
