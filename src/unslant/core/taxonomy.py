"""The kinds and dimensions of slant, and the techniques by which wording slants, as versioned data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from unslant.core.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Kind:
    """One name on one of the two axes."""

    name: str
    axis: Literal["kind", "dimension"]
    """``kind``: how it slants; ``dimension``: against whom."""
    title: str
    meaning: str


@cache
def _kinds() -> tuple[dict[str, Kind], dict[str, Kind]]:
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("taxonomy.toml").read_text("utf-8"))
    kinds = {name: Kind(name, "kind", **entry) for name, entry in data["kind"].items()}
    dimensions = {name: Kind(name, "dimension", **entry) for name, entry in data["dimension"].items()}
    return kinds, dimensions


def kinds() -> tuple[str, ...]:
    """Return the names of the kinds, in their published order."""
    return tuple(_kinds()[0])


def dimensions() -> tuple[str, ...]:
    """Return the names of the dimensions, in their published order."""
    return tuple(_kinds()[1])


def kind(name: str) -> Kind:
    """Return a kind by its name."""
    try:
        return _kinds()[0][name]
    except KeyError:
        raise UnknownName("kind", name, kinds()) from None


def dimension(name: str) -> Kind:
    """Return a dimension by its name."""
    try:
        return _kinds()[1][name]
    except KeyError:
        raise UnknownName("dimension", name, dimensions()) from None


PREFIX = "model/"
"""What the ids of the model's findings begin with; the name of the technique follows."""

SENTENCE = PREFIX + "sentence"
"""The id of a finding about a whole sentence in which no words stand out."""
SENTENCE_WHY = "An editor would probably reword this sentence, though no single word in it stands out."
_ORIGINS = ("model", "hf", "llm")
_KINDS_SOURCE = "Recasens, Danescu-Niculescu-Mizil and Jurafsky (2013), and the taxonomy of unslant"


@dataclass(frozen=True, slots=True)
class Technique:
    """One way in which wording slants."""

    name: str
    title: str
    kind: str
    """The kind of the taxonomy that it belongs to."""
    why: str
    """The reason shown to the writer, in one or two sentences."""
    source: str
    """The guidance it rests on."""
    flags: tuple[str, ...]
    """Sentences that use it; asterisks mark the words."""
    passes: tuple[str, ...]
    """Sentences that do not, though they look similar."""
    origin: str = "model"
    """The analyzer that reports it."""

    @property
    def id(self) -> str:
        """The id under which its findings are reported, selected, ignored and explained."""
        return f"{self.origin}/{self.name}"


@cache
def _techniques() -> dict[str, Technique]:
    import tomllib

    data = tomllib.loads(Path(__file__).with_name("techniques.toml").read_text("utf-8"))
    return {
        name: Technique(
            name=name, **{**entry, "flags": tuple(entry["flags"]), "passes": tuple(entry["passes"])}
        )
        for name, entry in data.items()
        if name != "version"
    }


def techniques() -> tuple[str, ...]:
    """Return the names of the techniques, in the order of the guidelines."""
    return tuple(_techniques())


def technique(name: str) -> Technique:
    """Return a technique by its name."""
    try:
        return _techniques()[name]
    except KeyError:
        raise UnknownName("technique", name, techniques()) from None


@cache
def model_findings() -> dict[str, Technique]:
    """Return everything that analyzers other than the rules report, by id: techniques, kinds, and whole sentences."""
    found = [*_techniques().values(), _sentence()]
    found += [_kind(name, origin) for origin in _ORIGINS for name in kinds()]
    return {entry.id: entry for entry in found}


def _sentence() -> Technique:
    return Technique(
        SENTENCE.removeprefix(PREFIX),
        "Slanted sentence",
        "framing",
        SENTENCE_WHY,
        "the model's view of the whole sentence; off by default (the setting `sentences`)",
        (),
        (),
    )


def _kind(name: str, origin: str) -> Technique:
    named = kind(name)
    why = f"These words slant by {named.title}: {named.meaning}. The analyzer names no technique."
    return Technique(name, f"{named.title.capitalize()} (model)", name, why, _KINDS_SOURCE, (), (), origin)


def technique_of_rule(rule: str | None) -> Technique | None:
    """Return what an id such as ``model/praise`` or ``llm/framing`` names; None for the id of a rule."""
    return model_findings().get(rule) if rule else None
