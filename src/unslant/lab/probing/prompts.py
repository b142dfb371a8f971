"""Prompts: examples with their answers, a document, a description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unslant.core.errors import ConfigError
from unslant.lab.probing.descriptions import NULL, Description, dimension_answers, layout
from unslant.lab.probing.items import Item
from unslant.neural.subwords import normalize_whitespace

__all__ = ["DECODINGS", "Answer", "Question", "default_decoding", "lead", "prompt_text", "right_answer"]

DECODINGS = ("choice", "unconstrained", "constrained", "span")
"""Among fixed answers; anything; tokens of the document; stretches of the document."""
_BY_TASK = {
    "diagnosis": ("choice",),
    "identification": ("choice",),
    "extraction": ("span", "constrained", "unconstrained"),
    "rephrasing": ("unconstrained",),
}


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt, and how its answer is to be found."""

    task: str
    prompt: str
    document: str
    """What the question is about, with single spaces; a span is a stretch of it."""
    lead: str
    """What stands between the prompt and its answer."""
    decoding: str
    temperature: float = 0.7
    top_k: int = 50
    seed: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """What may be answered, by its meaning; empty: what the task allows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered."""

    text: str
    """``yes`` or ``no``, a dimension, or words."""
    probability: float | None = None
    """Of ``yes``, where that was the question; else of the answer among those that were allowed."""
    place: tuple[int, int] | None = None
    """Where the words stand in the document."""
    judged: bool = True
    """Whether the answer is one; where it does not fit the question it is set aside, never mended."""


def default_decoding(task: str, wanted: str | None) -> str:
    """Return how answers to a task are found, and check what was asked for."""
    if wanted is None:
        return _BY_TASK[task][0]
    if wanted not in _BY_TASK[task]:
        raise ConfigError(f"--decoding {wanted}: {task} can be decoded by {', '.join(_BY_TASK[task])}")
    return wanted


def lead(description: Description) -> str:
    """Return what stands between a description and the answer; without a description it is a line of its own."""
    return "" if description.family == NULL else " "


def right_answer(task: str, item: Item) -> str:
    """Return the answer as it stands after an example."""
    said = item.answers[0]
    if task == "diagnosis":
        return layout().yes if said == "yes" else layout().no
    return dimension_answers()[said] if task == "identification" else normalize_whitespace(said).text


def prompt_text(
    item: Item, examples: Sequence[Item], description: Description, *, name_dimension: bool = False
) -> str:
    """Return everything that the model reads before it answers."""
    parts = [
        _shown(one, description, name_dimension) + lead(description) + right_answer(description.task, one)
        for one in examples
    ]
    return layout().between_examples.join([*parts, _shown(item, description, name_dimension)])


def _shown(item: Item, description: Description, name_dimension: bool) -> str:
    if name_dimension and item.dimension is None:
        raise ConfigError("--name-dimension: these texts have no dimension that could be named")
    said = dimension_answers()[str(item.dimension)] if name_dimension else None
    return normalize_whitespace(item.text).text + layout().before_description + description.worded(said)
