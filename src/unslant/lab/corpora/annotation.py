"""What one annotator said of one item."""

from __future__ import annotations

from dataclasses import dataclass

from unslant.core.types import Span

__all__ = ["NOTHING", "Annotation"]

NOTHING = ""
"""The label of an annotator who looked at an item and marked no span in it."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One judgement, before any majority was taken."""

    item: str
    """What was judged; for a registered corpus, the id of its example."""
    annotator: str
    label: str
    """The judgement, in the annotators' words; for ``words`` one marked word or phrase."""
    task: str
    """What was asked, such as ``bias``, ``opinion``, ``words`` or the name of a field in a form."""
    batch: str | None = None
    text: str = ""
    """The item itself."""
    span: Span | None = None
    """Where in the text, for tasks that mark spans."""
