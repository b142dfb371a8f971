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
    "babe": ("babe:babe", "Tell biased news sentences from others: BABE, 5-fold cross-validation."),
    "wikibias": ("wikibias:binary", "Tell biased Wikipedia sentences from others: WIKIBIAS."),
    "pairwise": ("wikibias:pairwise", "Rank a biased sentence above its neutral revision: WIKIBIAS."),
    "fine-grained": ("wikibias:fine_grained", "Name the kind of slant: WIKIBIAS."),
    "tagging": ("wikibias:tagging", "Find the slanted words, as exact and as overlapping spans: WIKIBIAS."),
    "calibration": ("calibration:calibration", "Compare predicted probabilities with observed frequencies."),
    "groups": ("groups:groups", "Break results down by outlet, topic and leaning."),
    "even-handed": ("even_handed:even_handed", "Swap the groups in sentences and measure what changes."),
    "diagnosis": ("diagnosis:diagnosis", "Tell abuse of groups from other texts: CAD."),
    "dimensions": ("dimensions:dimensions", "Name the group that a text is biased against."),
    "phrases": ("phrases:phrases", "Find the phrase that carries the bias of a comment."),
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
