"""What a rule is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unslant.core.types import Applicability, Severity

__all__ = ["Rule", "WrittenRule"]


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


@dataclass(frozen=True, slots=True)
class WrittenRule(Rule):
    """A rule as it is written in a file: with its terms and the sentences that try them."""

    terms: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    """Terms that are best left out."""
    swap: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Terms with wordings to prefer, the best first."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Political terms, each with its counterpart from the other side."""
    unless: tuple[str, ...] = ()
    """Contexts in which a match is a false alarm."""
    flags: tuple[str, ...] = ()
    """Sentences that must be flagged."""
    passes: tuple[str, ...] = ()
    """Sentences that must be left alone."""
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The word lists of its file."""

    def all_terms(self) -> tuple[str, ...]:
        """Return every term once, in the order in which they are written."""
        paired = [term for pair in self.pairs for term in pair]
        return tuple(dict.fromkeys([*self.terms, *self.delete, *self.swap, *paired]))
