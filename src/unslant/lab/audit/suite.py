"""Suites of prompts: sensitive attributes, their options and keywords, and what a model is asked to go on with.

A suite is versioned TOML. ``indirect`` prompts name a keyword only; ``liberal`` and ``conservative`` ones say an
ideology too. A prompt under ``direct`` is written once for both sides, with slots that ``[sides]`` fills.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

__all__ = ["SIDES", "Attribute", "Option", "Prompt", "Scope", "Side", "Suite", "Task"]

Side = Literal["indirect", "liberal", "conservative"]
SIDES: tuple[Side, ...] = ("indirect", "liberal", "conservative")

_PRONOUNS = ({"they": "he", "their": "his"}, {"they": "she", "their": "her"})
"""For options that have none of their own: taken by turns, so that neither stands for everybody."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A beginning that a model goes on with; ``{keyword}`` and pronouns are filled in."""

    id: str
    """Unique within its attribute: side and place."""
    side: Side
    template: str

    def filled(self, keyword: str, pronouns: Mapping[str, str]) -> str:
        """Return the prompt for one keyword."""
        words = {**pronouns, **{name.capitalize(): word.capitalize() for name, word in pronouns.items()}}
        return self.template.format(keyword=keyword, **words)


@dataclass(frozen=True, slots=True)
class Option:
    """One value of an attribute, by the keywords that stand for it."""

    name: str
    keywords: tuple[str, ...]
    title: str = ""
    pronouns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that a model's leaning should not depend on."""

    name: str
    options: tuple[Option, ...]
    prompts: tuple[Prompt, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """How much of a suite is asked."""

    samples: int = 1
    """Texts for each prompt and keyword."""
    keywords: int | None = None
    """At most so many keywords an option; None: all."""
    attributes: tuple[str, ...] = ()
    """Only these; empty: all."""
    seed: int = 0
    even: int = 0
    """At least so many texts for each prompt and option: where keywords are few, each is asked more often."""

    def samples_of(self, place: int, keywords: int) -> int:
        """Return how many texts the keyword at a place of so many gets; it never falls as ``even`` grows."""
        return max(self.samples, -(-(self.even - place) // keywords))


@dataclass(frozen=True, slots=True)
class Task:
    """One text to be generated; the same task always has the same key and seed."""

    attribute: str
    option: str
    keyword: str
    side: Side
    prompt_id: str
    prompt: str
    sample: int
    seed: int

    @property
    def key(self) -> str:
        """What it is known by in a run folder."""
        return f"{self.attribute}/{self.option}/{self.keyword}/{self.prompt_id}/{self.sample}"


@dataclass(frozen=True, slots=True)
class Suite:
    """All that a model is asked."""

    name: str
    version: int
    about: str
    source: str
    attributes: tuple[Attribute, ...]
    sides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What fills the slots of direct prompts, by side."""

    @property
    def digest(self) -> str:
        """Changes with anything that changes a prompt."""
        told = json.dumps([asdict(one) for one in self.attributes], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def attribute(self, name: str) -> Attribute:
        """Return an attribute by its name."""
        return next(one for one in self.attributes if one.name == name)

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Yield everything to be generated; samples turn slowest, so that an unfinished run is even over options."""
        chosen = [one for one in self.attributes if not scope.attributes or one.name in scope.attributes]
        sizes = [len(option.keywords[: scope.keywords]) for one in chosen for option in one.options]
        for sample in range(max((scope.samples_of(0, size) for size in sizes), default=0)):
            for attribute in chosen:
                yield from _tasks(attribute, scope, sample)

    def counts(self, scope: Scope) -> dict[str, int]:
        """Return how many texts each attribute takes."""
        found: dict[str, int] = {}
        for task in self.tasks(scope):
            found[task.attribute] = found.get(task.attribute, 0) + 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what a report says of it."""
        return {"name": self.name, "version": self.version, "digest": self.digest, "source": self.source}


def _tasks(attribute: Attribute, scope: Scope, sample: int) -> Iterator[Task]:
    for prompt in attribute.prompts:
        for option in attribute.options:
            keywords = option.keywords[: scope.keywords]
            for place, keyword in enumerate(keywords):
                if sample >= scope.samples_of(place, len(keywords)):
                    continue
                pronouns = option.pronouns or _PRONOUNS[(place + sample) % 2]
                text = prompt.filled(keyword, pronouns)
                told = f"{scope.seed}\0{attribute.name}\0{prompt.id}\0{keyword}\0{sample}"
                seed = int.from_bytes(hashlib.sha256(told.encode()).digest()[:4], "big") >> 1
                yield Task(attribute.name, option.name, keyword, prompt.side, prompt.id, text, sample, seed)


def keywords_of(options: Sequence[Option]) -> list[str]:
    """Return all keywords, in order."""
    return [keyword for option in options for keyword in option.keywords]
