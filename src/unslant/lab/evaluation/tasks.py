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

Heads = Literal["product", "corpus"]
HEADS: tuple[Heads, ...] = ("product", "corpus")
"""Which heads of a network answer: those that ``unslant check`` uses, or those that were trained on the corpus."""

TASKS = {
    "babe": ("babe:babe", "Classify news sentences as biased or not (BABE, 5-fold cross-validation)."),
    "wikibias": ("wikibias:binary", "Classify Wikipedia sentences as biased or not (WIKIBIAS)."),
    "pairwise": ("wikibias:pairwise", "Rank a biased sentence above its neutral revision (WIKIBIAS)."),
    "fine-grained": ("wikibias:fine_grained", "Classify the kind of slant (WIKIBIAS)."),
    "tagging": ("wikibias:tagging", "Find the slanted words, as exact and as overlapping spans (WIKIBIAS)."),
    "calibration": ("calibration:calibration", "Compare predicted probabilities with observed frequencies."),
    "groups": ("babe:groups", "Break results down by outlet, topic and leaning."),
    "even-handed": ("even_handed:even_handed", "Swap the groups in sentences and measure what changes."),
    "behaviour": ("behaviour:behaviour", "Test sentences with and without each type of bias."),
    "diagnosis": ("forums:diagnosis", "Classify comments as abusive towards a group or not (CAD)."),
    "dimensions": ("forums:dimensions", "Classify the dimension of a biased text."),
    "phrases": ("forums:phrases", "Find the phrase that carries the bias of a comment."),
}
"""The function of each task, and what it measures."""

_BY_FOLD = ("babe", "calibration", "groups")
"""Tasks for which several models are the folds of a cross-validation; for the others they are runs to average."""


def run(task: str, models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure models on a task."""
    if task not in TASKS:
        raise UnknownName("task", task, TASKS)
    module, _, name = TASKS[task][0].partition(":")
    measure = getattr(importlib.import_module(f"unslant.lab.evaluation.{module}"), name)
    from unslant.lab.evaluation.held_out import left_out_notes

    if len(models) == 1 or task in _BY_FOLD:
        result: Result = measure(models, setting)
    else:
        from unslant.lab.evaluation.result import average

        result = average([measure([model], setting) for model in models], setting.resampling)
    return replace(result, heads=models[0].heads, notes=(*result.notes, *left_out_notes(setting)))
