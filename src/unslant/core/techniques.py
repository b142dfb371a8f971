"""The techniques by which wording slants, as versioned data: what a copy editor would name as the reason."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unslant.core.errors import UnknownName

__all__ = ["PREFIX", "Technique", "technique", "technique_of_rule", "techniques"]

PREFIX = "model/"
"""What the ids of the model's findings begin with; the name of the technique follows."""


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

    @property
    def id(self) -> str:
        """The id under which its findings are reported, selected, ignored and explained."""
        return PREFIX + self.name


@cache
def _data() -> dict[str, Technique]:
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
    return tuple(_data())


def technique(name: str) -> Technique:
    """Return a technique by its name."""
    try:
        return _data()[name]
    except KeyError:
        raise UnknownName("technique", name, techniques()) from None


def technique_of_rule(rule: str | None) -> Technique | None:
    """Return the technique that an id such as ``model/praise`` names; None for any other id."""
    return _data().get(rule.removeprefix(PREFIX)) if rule and rule.startswith(PREFIX) else None
