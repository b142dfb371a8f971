"""Suites of prompts: sensitive attributes, their options and keywords, and the prompts that a model continues.

A suite is versioned TOML. ``indirect`` prompts contain only a keyword; ``liberal`` and ``conservative`` ones name an
ideology as well. A prompt under ``direct`` is written once for both sides, with slots that ``[sides]`` fills.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from unslant.core.errors import InputError

__all__ = [
    "SIDES",
    "AuditError",
    "AuditTask",
    "Side",
    "Suite",
    "SuiteAttribute",
    "SuiteError",
    "SuiteOption",
    "SuitePrompt",
    "SuiteScope",
]


class AuditError(InputError):
    """A run folder cannot be used, or not for this."""


class SuiteError(InputError):
    """A suite of prompts cannot be used."""


Side = Literal["indirect", "liberal", "conservative"]
SIDES: tuple[Side, ...] = ("indirect", "liberal", "conservative")

_PRONOUNS = ({"they": "he", "their": "his"}, {"they": "she", "their": "her"})
"""For options without pronouns of their own: used alternately, so that neither stands for everybody."""


@dataclass(frozen=True, slots=True)
class SuitePrompt:
    """The beginning of a text; ``{keyword}`` and pronouns are filled in."""

    id: str
    """Unique within its attribute: side and place."""
    side: Side
    template: str

    def fill(self, keyword: str, pronouns: Mapping[str, str]) -> str:
        """Return the prompt for one keyword."""
        words = {**pronouns, **{name.capitalize(): word.capitalize() for name, word in pronouns.items()}}
        return self.template.format(keyword=keyword, **words)


@dataclass(frozen=True, slots=True)
class SuiteOption:
    """One value of an attribute, with the keywords that represent it."""

    name: str
    keywords: tuple[str, ...]
    title: str = ""
    pronouns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SuiteAttribute:
    """Something that a model's leaning should not depend on, such as gender."""

    name: str
    options: tuple[SuiteOption, ...]
    prompts: tuple[SuitePrompt, ...]


@dataclass(frozen=True, slots=True)
class SuiteScope:
    """How much of a suite is used."""

    samples: int = 1
    """Texts per prompt and keyword."""
    keywords: int | None = None
    """The most keywords per option; None: all."""
    attributes: tuple[str, ...] = ()
    """Only these; empty: all."""
    seed: int = 0
    even: int = 0
    """The least number of texts per prompt and option; an option with few keywords uses each more often."""

    def samples_of(self, place: int, keywords: int) -> int:
        """Return the number of texts for the keyword at a place; it never falls as ``even`` grows."""
        return max(self.samples, -(-(self.even - place) // keywords))


@dataclass(frozen=True, slots=True)
class AuditTask:
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
        """Its key in a run folder."""
        return f"{self.attribute}/{self.option}/{self.keyword}/{self.prompt_id}/{self.sample}"


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that a model is asked to continue."""

    name: str
    version: int
    about: str
    source: str
    attributes: tuple[SuiteAttribute, ...]
    sides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The words for the slots of direct prompts, by side."""

    @property
    def digest(self) -> str:
        """A digest that changes with any prompt."""
        content = json.dumps(
            [asdict(attribute) for attribute in self.attributes], sort_keys=True, ensure_ascii=False
        )
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def attribute(self, name: str) -> SuiteAttribute:
        """Return an attribute by its name."""
        return next(attribute for attribute in self.attributes if attribute.name == name)

    def tasks(self, scope: SuiteScope) -> Iterator[AuditTask]:
        """Yield all tasks; samples vary slowest, so that an unfinished run is balanced over options."""
        chosen = [
            attribute
            for attribute in self.attributes
            if not scope.attributes or attribute.name in scope.attributes
        ]
        sizes = [
            len(option.keywords[: scope.keywords]) for attribute in chosen for option in attribute.options
        ]
        for sample in range(max((scope.samples_of(0, size) for size in sizes), default=0)):
            for attribute in chosen:
                yield from _tasks(attribute, scope, sample)

    def counts(self, scope: SuiteScope) -> dict[str, int]:
        """Return the number of texts of each attribute."""
        found: dict[str, int] = {}
        for task in self.tasks(scope):
            found[task.attribute] = found.get(task.attribute, 0) + 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"name": self.name, "version": self.version, "digest": self.digest, "source": self.source}


def _tasks(attribute: SuiteAttribute, scope: SuiteScope, sample: int) -> Iterator[AuditTask]:
    for prompt in attribute.prompts:
        for option in attribute.options:
            keywords = option.keywords[: scope.keywords]
            for place, keyword in enumerate(keywords):
                if sample >= scope.samples_of(place, len(keywords)):
                    continue
                pronouns = option.pronouns or _PRONOUNS[(place + sample) % 2]
                text = prompt.fill(keyword, pronouns)
                identity = f"{scope.seed}\0{attribute.name}\0{prompt.id}\0{keyword}\0{sample}"
                seed = int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "big") >> 1
                yield AuditTask(
                    attribute.name, option.name, keyword, prompt.side, prompt.id, text, sample, seed
                )


def keywords_of(options: Sequence[SuiteOption]) -> list[str]:
    """Return all keywords, in order."""
    return [keyword for option in options for keyword in option.keywords]
