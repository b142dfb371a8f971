"""The tasks that a model can be measured on, by name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from unslant.core.errors import UnknownName

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.evaluation.models import SentenceModel
    from unslant.lab.evaluation.result import Result

__all__ = ["HEADS", "TASKS", "Heads", "run"]

Heads = Literal["product", "corpus"]
HEADS: tuple[Heads, ...] = ("product", "corpus")
"""Which heads of a network answer: those that ``unslant check`` asks, or those that learned from the corpus."""

TASKS = {
    "babe": ("babe:babe", "biased or not, on news: 5-fold cross-validation on SG1 and SG2"),
    "wikibias": ("wikibias:binary", "biased or not, on Wikipedia"),
    "pairwise": ("wikibias:pairwise", "a biased sentence above its neutral revision"),
    "fine-grained": ("wikibias:fine_grained", "the three kinds of slant"),
    "tagging": ("wikibias:tagging", "the words that slant, exact and overlapping"),
    "calibration": ("calibration:calibration", "whether probabilities are shares"),
    "groups": ("groups:groups", "by outlet, topic and leaning"),
    "even-handed": ("even_handed:even_handed", "what an exchange of groups changes"),
    "diagnosis": ("diagnosis:diagnosis", "biased or not, on abuse of groups"),
    "dimensions": ("dimensions:dimensions", "against whom"),
    "phrases": ("phrases:phrases", "the phrase that carries the bias of a comment"),
}
"""Where each task lives and what it measures."""


def run(task: str, models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure models on a task."""
    if task not in TASKS:
        raise UnknownName("task", task, TASKS)
    module, _, name = TASKS[task][0].partition(":")
    measure = getattr(importlib.import_module(f"unslant.lab.evaluation.{module}"), name)
    result: Result = measure(models, setting)
    return replace(result, heads=models[0].heads)
