"""What there is to say about a rule."""

from __future__ import annotations

from dataclasses import dataclass

from unslant.core.types import Applicability, Severity

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What there is to say when a rule has found something."""

    id: str
    title: str
    kind: str
    why: str
    """One kind sentence for the writer."""
    source: str
    """The guidance behind it: a style guide or a paper, by name."""
    dimension: str | None = None
    severity: Severity = Severity.WARNING
    applicability: Applicability = Applicability.REVIEW
    """How its edits may be applied."""
    names: bool = False
    """Whether words written like names match too."""
    matcher: str | None = None
    """How it matches, if not by terms."""
