"""Prompts (few-shot examples, a document, a task description) and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.probing.descriptions import NULL, Description, dimension_answers, layout
from unslant.lab.probing.items import ProbeItem
from unslant.neural.subwords import normalize_whitespace

__all__ = [
    "DECODINGS",
    "ProbeAnswer",
    "ProbeQuestion",
    "answer_prefix",
    "build_prompt",
    "default_decoding",
    "reference_answer",
]

DECODINGS = ("choice", "unconstrained", "constrained", "span")
"""One of fixed answers; any text; tokens of the document; a span of the document."""
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
