"""Task descriptions as data: families of wordings, expanded from slots and variants."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, nearest
from unslant.core.taxonomy import dimensions

__all__ = [
    "NULL",
    "TASKS",
    "Description",
    "Layout",
    "builtin",
    "dimension_answers",
    "layout",
    "read_families",
    "select",
    "version",
]

TASKS = ("diagnosis", "identification", "extraction", "rephrasing")
NULL = "null"
"""The class of the empty description."""
_SLOT = re.compile(r"\{(\w+)\}")
_TARGETING = "targeting"
_MOST = 2_000
"""A family that expands to more wordings than this was surely not meant to."""


@dataclass(frozen=True, slots=True)
class Description:
    """One wording of one task."""

    task: str
    family: str
    """Its class: ``statement``, ``question``, ``completion``, ``null``, or one of the user's own."""
    number: int
    """Its place in the family, from 1 on."""
    text: str
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Which variant fills which slot."""

    @property
    def id(self) -> str:
        """A name that stays the same as long as the family does."""
        return (
            f"{self.task}/{NULL}" if self.family == NULL else f"{self.task}/{self.family}/{self.number:03d}"
        )

    def worded(self, dimension: str | None = None) -> str:
        """Return the description as the model reads it; with a dimension, that is what should be removed."""
        said = layout().targeting.replace("{dimension}", dimension) if dimension else ""
        return self.text.replace(f"{{{_TARGETING}}}", said)

    @property
    def takes_dimension(self) -> bool:
        """Whether the wording can name a dimension."""
        return f"{{{_TARGETING}}}" in self.text


@dataclass(frozen=True, slots=True)
class Layout:
    """How documents, descriptions and examples make a prompt."""

    before_description: str
    between_examples: str
    targeting: str
    yes: str
    no: str


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("descriptions.toml").read_text("utf-8"))


def version() -> int:
    """Return the version of the built-in wordings."""
    return int(_data()["version"])


@cache
def layout() -> Layout:
    """Return how prompts are laid out."""
    data = _data()
    return Layout(**data["layout"], yes=data["answers"]["yes"], no=data["answers"]["no"])


@cache
def dimension_answers() -> Mapping[str, str]:
    """Return, for each dimension of the taxonomy, what a model has to answer."""
    named: Mapping[str, str] = _data()["answers"]["dimensions"]
    return {name: named.get(name, name) for name in dimensions()}


@cache
def builtin() -> tuple[Description, ...]:
    """Return every built-in wording, task by task, the null description of each task last."""
    found = list(_expanded(_data(), "the built-in descriptions"))
    return tuple(one for task in TASKS for one in [*_of_task(found, task), Description(task, NULL, 1, "")])


def read_families(path: Path) -> tuple[Description, ...]:
    """Return the wordings of a user's own file, which has the form of the built-in one."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from None
    found = tuple(_expanded(data, str(path)))
    if not found:
        raise ConfigError(f"{path}: has no [[family]]; 'docs/probe.md' shows the form")
    taken = {one.family for one in builtin()}
    if clash := next((one.family for one in found if one.family in taken), None):
        raise ConfigError(f"{path}: the class {clash!r} is built in; give your family another class")
    return found


def select(known: Sequence[Description], task: str, wanted: Sequence[str]) -> tuple[Description, ...]:
    """Return the wordings of a task that selectors name: ``all``, a class, or the id of one wording.

    A selector that begins with a task and a slash is for that task only, and takes the place of the general ones.
    """
    of_task = _of_task(known, task)
    own = [name for name in wanted if name.startswith(f"{task}/")]
    general = [name for name in wanted if name.partition("/")[0] not in TASKS]
    wanted = [
        name if name.count("/") == 2 or name == f"{task}/{NULL}" else name.partition("/")[2] for name in own
    ]
    wanted = wanted or general or ["all"]
    classes = {one.family for one in of_task}
    ids = {one.id for one in of_task}
    for name in wanted:
        if name not in ("all", *classes, *ids):
            close = nearest(name, [*classes, *ids, "all"])
            hint = (
                f" Did you mean {close!r}?" if close else " 'unslant probe --list-descriptions' lists them."
            )
            raise ConfigError(f"--descriptions: {task} has no description {name!r}.{hint}")
    return tuple(one for one in of_task if {"all", one.family, one.id} & set(wanted))


def _of_task(known: Sequence[Description], task: str) -> list[Description]:
    return [one for one in known if one.task == task]


def _expanded(data: Mapping[str, Any], where: str) -> Iterator[Description]:
    counts: dict[tuple[str, str], int] = {}
    families = data.get("family", [])
    if not isinstance(families, list):
        raise ConfigError(f"{where}: 'family' should be written as [[family]]")
    for family in families:
        task, name, templates = _checked(family, where)
        general = data.get("slots", {})
        shared = general.get(task, {}) if isinstance(general, dict) else {}
        slots = {**shared, **family.get("slots", {})}
        for template in templates:
            for text, chosen in _filled(template, slots, f"{where}: {task}/{name}"):
                number = counts[task, name] = counts.get((task, name), 0) + 1
                if number > _MOST:
                    raise ConfigError(
                        f"{where}: {task}/{name} makes more than {_MOST:,} wordings; use fewer variants"
                    )
                yield Description(task, name, number, text, chosen)


def _checked(family: Any, where: str) -> tuple[str, str, Sequence[str]]:
    if not isinstance(family, dict):
        raise ConfigError(f"{where}: 'family' should be written as [[family]]")
    task, name, templates = family.get("task"), family.get("class"), family.get("templates")
    if task not in TASKS:
        raise ConfigError(f"{where}: the task {task!r} of a family is not one of {', '.join(TASKS)}")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ConfigError(
            f"{where}: a family of {task} needs a class in lower-case letters, such as 'formal'"
        )
    if not isinstance(templates, list) or not templates or not all(isinstance(one, str) for one in templates):
        raise ConfigError(f"{where}: {task}/{name} needs 'templates', a list of strings")
    return task, name, templates


def _filled(template: str, slots: Mapping[str, Any], where: str) -> Iterator[tuple[str, dict[str, str]]]:
    names = list(dict.fromkeys(name.lower() for name in _SLOT.findall(template) if name != _TARGETING))
    for name in names:
        variants = slots.get(name)
        if (
            not isinstance(variants, list)
            or not variants
            or not all(isinstance(one, str) for one in variants)
        ):
            raise ConfigError(f"{where}: the slot {{{name}}} has no list of variants under 'slots'")
    for values in product(*(slots[name] for name in names)):
        chosen = dict(zip(names, values, strict=True))

        def fill(match: re.Match[str], chosen: Mapping[str, str] = chosen) -> str:
            name = match[1]
            if name == _TARGETING:
                return match[0]
            value = chosen[name.lower()]
            return value[:1].upper() + value[1:] if name[0].isupper() else value

        yield _SLOT.sub(fill, template), chosen
