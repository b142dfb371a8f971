"""One labelled text of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unslant.core.errors import AlignmentError
from unslant.core.types import Span

__all__ = ["Example", "LabelledSpan"]


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """Words that annotators marked, with what they said of them."""

    span: Span
    kind: str | None = None
    """How it slants, where the corpus says so."""
    share: float | None = None
    """The share of annotators who marked it, where the corpus says so."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text with what a corpus says of it; what the corpus does not say is None or empty."""

    id: str
    """Unique within its corpus."""
    text: str
    """Natural text, as people write it."""
    source: str
    """The corpus, by its registered name."""
    licence: str
    split: str | None = None
    """``train``, ``dev`` or ``test`` as published."""
    label: bool | None = None
    """Whether the text is slanted; None where nobody judged or annotators did not agree."""
    share: float | None = None
    """The share of annotators who called it slanted."""
    spans: tuple[LabelledSpan, ...] | None = None
    """The marked words, in order; None where the corpus marks none, empty where nothing was marked."""
    kinds: frozenset[str] | None = None
    dimension: str | None = None
    pair: str | None = None
    """What belongs together: a sentence before and after an edit share it, and so do counterparts."""
    side: str | None = None
    """Which part of the pair this is: ``source`` or ``target``."""
    outlet: str | None = None
    topic: str | None = None
    leaning: str | None = None
    """``left``, ``center`` or ``right``: of the outlet, never of the text."""
    page: str | None = None
    """The article or page it was taken from, where known."""
    extra: Mapping[str, str | float | None] = field(default_factory=dict)
    """What else the corpus says, by its own column names."""

    def __post_init__(self) -> None:
        for marked in self.spans or ():
            if marked.span.end > len(self.text):
                raise AlignmentError(
                    f"{self.source} {self.id}: a span ends at {marked.span.end}, after the text"
                )
