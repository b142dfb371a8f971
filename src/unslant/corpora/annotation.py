"""What one annotator said of one item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Annotation", "Task"]

Task = Literal["bias", "opinion", "words"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One judgement, before any majority was taken."""

    item: str
    """What was judged: the id of the example in the corpus of the same name."""
    annotator: str
    label: str
    """The judgement, in the corpus's words; for ``words`` one marked word or phrase."""
    task: Task
    """What was asked: ``bias``, ``opinion`` or ``words``."""
    batch: str | None = None
    text: str = ""
    """The item itself."""
