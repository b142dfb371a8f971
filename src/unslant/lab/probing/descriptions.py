"""Task descriptions as data (families of wordings, expanded from templates with slots), and the prompts made of them.

A prompt is few-shot examples, a document and a description.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from unslant.core.errors import ConfigError, nearest
from unslant.core.files import read_toml
from unslant.core.taxonomy import dimensions
from unslant.neural.subwords import normalize_whitespace

if TYPE_CHECKING:
    from unslant.core.types import Span
    from unslant.lab.probing.items import ProbeItem

_BY_TASK = {
    "diagnosis": ("choice",),
    "identification": ("choice",),
    "extraction": ("span", "constrained", "unconstrained"),
    "rephrasing": ("unconstrained",),
}


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """A prompt and how its answer is decoded."""

    task: str
    prompt: str
    document: str
    """The text in question, with white space collapsed; spans refer to it."""
    answer_prefix: str
    """The text between the prompt and its answer."""
    decoding: str
    temperature: float = 0.7
    top_k: int = 50
    seed: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """Permitted answers as (meaning, spelling); empty for those of the task."""


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """A model's answer."""

    text: str
    """``yes`` or ``no``, a dimension, or free text."""
    probability: float | None = None
    """For diagnosis the probability of ``yes``, otherwise of this answer among the permitted ones."""
    span: Span | None = None
    """The position of the answer in the document."""
    valid: bool = True
    """Whether the answer fits the question; an invalid answer is excluded, never repaired."""


def default_decoding(task: str, wanted: str | None) -> str:
    """Return the decoding for a task; raise if the requested one is not available."""
    if wanted is None:
        return _BY_TASK[task][0]
    if wanted not in _BY_TASK[task]:
        raise ConfigError(f"--decoding {wanted}: {task} supports {', '.join(_BY_TASK[task])}")
    return wanted


def answer_prefix(description: Description) -> str:
    """Return the text between a description and the answer; with the null description, there is none."""
    return "" if description.family == NULL else " "


def reference_answer(task: str, item: ProbeItem) -> str:
    """Return the answer as it is shown after an example."""
    answer = item.answers[0]
    if task == "diagnosis":
        return layout().yes if answer == "yes" else layout().no
    return dimension_answers()[answer] if task == "identification" else normalize_whitespace(answer).text


def build_prompt(
    item: ProbeItem, examples: Sequence[ProbeItem], description: Description, *, name_dimension: bool = False
) -> str:
    """Return the prompt: examples with their answers, then the text and the description."""
    parts = [
        _show(example, description, name_dimension)
        + answer_prefix(description)
        + reference_answer(description.task, example)
        for example in examples
    ]
    return layout().between_examples.join([*parts, _show(item, description, name_dimension)])


def _show(item: ProbeItem, description: Description, name_dimension: bool) -> str:
    if name_dimension and item.dimension is None:
        raise ConfigError("--name-dimension: these texts have no dimension")
    dimension = dimension_answers()[str(item.dimension)] if name_dimension else None
    return normalize_whitespace(item.text).text + layout().before_description + description.render(dimension)


TASKS = ("diagnosis", "identification", "extraction", "rephrasing")
NULL = "null"
"""The class of the empty description."""
_SLOT = re.compile(r"\{(\w+)\}")
_TARGETING = "targeting"
_MAX_WORDINGS = 2_000
"""The maximum number of wordings in a family."""


@dataclass(frozen=True, slots=True)
class Description:
    """One wording of one task."""

    task: str
    family: str
    """The class: ``statement``, ``question``, ``completion``, ``null``, or a user-defined name."""
    number: int
    """The position in the family, from 1."""
    text: str
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The variant in each slot."""

    @property
    def id(self) -> str:
        """A name that is stable as long as the family does not change."""
        return (
            f"{self.task}/{NULL}" if self.family == NULL else f"{self.task}/{self.family}/{self.number:03d}"
        )

    def render(self, dimension: str | None = None) -> str:
        """Return the description as the model sees it; a dimension names the bias to remove."""
        target = layout().targeting.replace("{dimension}", dimension) if dimension else ""
        return self.text.replace(f"{{{_TARGETING}}}", target)

    @property
    def takes_dimension(self) -> bool:
        """Whether the wording has a slot for a dimension."""
        return f"{{{_TARGETING}}}" in self.text


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """How a prompt is assembled from documents, descriptions and examples."""

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
def layout() -> PromptLayout:
    """Return the layout of prompts."""
    data = _data()
    return PromptLayout(**data["layout"], yes=data["answers"]["yes"], no=data["answers"]["no"])


@cache
def dimension_answers() -> Mapping[str, str]:
    """Return the expected answer for each dimension of the taxonomy."""
    named: Mapping[str, str] = _data()["answers"]["dimensions"]
    return {name: named.get(name, name) for name in dimensions()}


@cache
def builtin_descriptions() -> tuple[Description, ...]:
    """Return every built-in wording by task, with the null description last."""
    expanded = list(_expand(_data(), "the built-in descriptions"))
    return tuple(
        description
        for task in TASKS
        for description in [*_of_task(expanded, task), Description(task, NULL, 1, "")]
    )


def read_families(path: Path) -> tuple[Description, ...]:
    """Return the wordings of a user's file, which has the same format as the built-in file."""
    data = read_toml(path, ConfigError)
    found = tuple(_expand(data, str(path)))
    if not found:
        raise ConfigError(f"{path}: has no [[family]]; see docs/probe.md for the format")
    taken = {description.family for description in builtin_descriptions()}
    if clash := next((description.family for description in found if description.family in taken), None):
        raise ConfigError(f"{path}: the class {clash!r} is built in; use another name")
    return found


def select(known: Sequence[Description], task: str, wanted: Sequence[str]) -> tuple[Description, ...]:
    """Return the wordings of a task that match a selector: ``all``, a class, or the id of a wording.

    Selectors that start with a task and a slash apply to that task only and replace the general ones.
    """
    of_task = _of_task(known, task)
    own = [name for name in wanted if name.startswith(f"{task}/")]
    general = [name for name in wanted if name.partition("/")[0] not in TASKS]
    wanted = [
        name if name.count("/") == 2 or name == f"{task}/{NULL}" else name.partition("/")[2] for name in own
    ]
    wanted = wanted or general or ["all"]
    classes = {description.family for description in of_task}
    ids = {description.id for description in of_task}
    for name in wanted:
        if name not in ("all", *classes, *ids):
            close = nearest(name, [*classes, *ids, "all"])
            hint = (
                f" Did you mean {close!r}?" if close else " 'unslant probe --list-descriptions' lists them."
            )
            raise ConfigError(f"--descriptions: {task} has no description {name!r}.{hint}")
    return tuple(
        description for description in of_task if {"all", description.family, description.id} & set(wanted)
    )


def _of_task(known: Sequence[Description], task: str) -> list[Description]:
    return [description for description in known if description.task == task]


def _expand(data: Mapping[str, Any], where: str) -> Iterator[Description]:
    counts: dict[tuple[str, str], int] = {}
    families = data.get("family", [])
    if not isinstance(families, list):
        raise ConfigError(f"{where}: 'family' must be an array of tables: [[family]]")
    for family in families:
        task, name, templates = _check_family(family, where)
        general = data.get("slots", {})
        shared = general.get(task, {}) if isinstance(general, dict) else {}
        slots = {**shared, **family.get("slots", {})}
        for template in templates:
            for text, chosen in _fill(template, slots, f"{where}: {task}/{name}"):
                number = counts[task, name] = counts.get((task, name), 0) + 1
                if number > _MAX_WORDINGS:
                    raise ConfigError(
                        f"{where}: {task}/{name} expands to more than {_MAX_WORDINGS:,} wordings; use fewer variants"
                    )
                yield Description(task, name, number, text, chosen)


def _check_family(family: Any, where: str) -> tuple[str, str, Sequence[str]]:
    if not isinstance(family, dict):
        raise ConfigError(f"{where}: 'family' must be an array of tables: [[family]]")
    task, name, templates = family.get("task"), family.get("class"), family.get("templates")
    if task not in TASKS:
        raise ConfigError(f"{where}: the task {task!r} of a family is not one of {', '.join(TASKS)}")
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise ConfigError(
            f"{where}: a family of {task} needs a class in lower-case letters, such as 'formal'"
        )
    if not _is_list_of_text(templates):
        raise ConfigError(f"{where}: {task}/{name} needs 'templates', a list of strings")
    return task, name, templates


def _is_list_of_text(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def _fill(template: str, slots: Mapping[str, Any], where: str) -> Iterator[tuple[str, dict[str, str]]]:
    names = list(dict.fromkeys(name.lower() for name in _SLOT.findall(template) if name != _TARGETING))
    for name in names:
        if not _is_list_of_text(slots.get(name)):
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
