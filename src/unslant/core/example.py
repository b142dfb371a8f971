"""One labelled text of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from unslant.core.errors import AlignmentError

if TYPE_CHECKING:
    from unslant.core.types import Span


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """Words that annotators marked, with what they said about them; None where the corpus does not say."""

    span: Span
    kind: str | None = None
    """How the words slant, as the taxonomy names it."""
    share: float | None = None
    """The share of annotators who marked them."""
    technique: str | None = None
    """What the words do, by the corpus's own name for it, such as ``loaded-label``."""
    grade: Literal["must", "may"] | None = None
    """``must``: every editor would change the words; ``may``: reasonable editors differ."""
    fix: str | None = None
    """What an editor would write instead, empty to leave the words out; None where no small change helps."""


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
    document: str | None = None
    """The article or page it was taken from, where known; its examples follow one another in the order of the text."""
    genre: str | None = None
    """``news``, ``encyclopedia`` or ``documentation``."""
    techniques: frozenset[str] | None = None
    """The techniques of the text as a whole, where the corpus names them without marking words."""
    second: tuple[LabelledSpan, ...] | None = None
    """What an independent second reader marked; None where nobody read the text twice."""
    extra: Mapping[str, str | float | None] = field(default_factory=dict)
    """What else the corpus says, by its own column names."""

    def __post_init__(self) -> None:
        for marked in (*(self.spans or ()), *(self.second or ())):
            if marked.span.end > len(self.text):
                raise AlignmentError(
                    f"{self.source} {self.id}: a span ends at {marked.span.end}, after the text"
                )
