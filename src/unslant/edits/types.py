"""What an edit is while it is decided: who proposes it, what was decided, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Self

from unslant.core.types import Applicability, Edit, Finding, Sentence, Span, WordScore
from unslant.text.edits import apply_edits


class Source(StrEnum):
    """Who proposes an edit."""

    RULE = "rules"
    """The rule that reports the finding."""
    LIST = "list"
    """The list of wordings (``wordings.toml``)."""
    NETWORK = "model"
    """The detector's own edit head."""
    DELETION = "deletion"
    """Nobody but the finding: its words are left out."""
    REWRITER = "rewriter"
    """The rewriter that the settings name."""
    ATTRIBUTION = "attribution"
    """A form with a gap for the one whose view it is; the writer fills it in."""


class Reason(StrEnum):
    """Why an edit is not simply made; each has one text, which is empty if there is nothing to look at."""

    note: str
    """What the writer should look at."""

    def __new__(cls, code: str, note: str = "") -> Self:
        """Make a member that is its code and knows its text."""
        made = str.__new__(cls, code)
        made._value_ = code
        made.note = note
        return made

    NONE = "none"
    # not offered
    WORD = "word"
    BROKEN = "broken"
    FACT = "fact"
    DISTINCTION = "distinction"
    SIDE = "side"
    UNLIKELY = "unlikely"
    # shown only
    MARKUP = "markup", "Markup is in the way; change it by hand."
    LINE = "line", "A line would be lost; change it by hand."
    QUOTATION = "quotation", "It would change a quotation; change it by hand if it is not one."
    LINK = "link", "It would change a link; change it by hand."
    EXAMPLE = "example", "The rule gives this wording as an example; adapt it by hand."
    GAP = "gap", "Fill in whose view it is."
    FORMAT = "format", "unslant does not write this format; change it by hand."
    # to review
    STATED = "stated", "Check that the source says so: a statement changes."
    DEGREE = "degree", "Check that no degree is lost."
    REVIEW = "review"
    WRITTEN = "written", "A language model wrote this; check that it says the same."
    BUDGET = "budget", "It changes much of the sentence; read it once more."
    BESIDE = "beside", "Another edit changes words beside it."
    AGAIN = "again", "The sentence would ask for one more change; read it once more."


@dataclass(frozen=True, slots=True)
class EditTarget:
    """A sentence with what is known of it when its edits are decided."""

    sentence: Sentence
    findings: tuple[Finding, ...]
    """Those that are reported."""
    probability: float | None = None
    """How likely the sentence is slanted, as the network sees it."""
    words: tuple[WordScore, ...] = ()
    """The network's score for each word."""
    proposals: tuple[Edit, ...] = ()
    """What the network itself would change, by offsets of the document."""
    before: str = ""
    """The sentence before it, for a rewriter."""
    masked: str = field(init=False)
    """The sentence with a NUL for every code point of markup, so that no markup is mistaken for a space."""

    def __post_init__(self) -> None:
        span = self.sentence.span
        own, shown = self.sentence.document.source[span.start : span.end], self.sentence.text
        if own != shown:
            shown = "".join(char if char == as_is else "\0" for char, as_is in zip(shown, own, strict=True))
        object.__setattr__(self, "masked", shown)

    @property
    def text(self) -> str:
        """The sentence with markup blanked."""
        return self.sentence.text

    @property
    def start(self) -> int:
        """Where the sentence begins in the document."""
        return self.sentence.span.start


@dataclass(frozen=True)
class Proposal:
    """An edit that somebody proposes for a finding, by offsets from the start of its sentence."""

    target: EditTarget
    finding: Finding
    edit: Edit
    """The wording alone."""
    tidied: Edit
    """Ready to apply by itself: spaces, commas, articles and capitals put right."""
    source: Source
    trust: float
    """How sure the proposer is, from 0 to 1; a rule's first wording 1."""
    log_probability: float | None = None
    """What a rewriter says of its wording."""
    author: str = ""
    """The language model that wrote it, if the user asked one by name."""

    @cached_property
    def after(self) -> str:
        """The sentence with this edit alone, markup blanked."""
        return apply_edits(self.target.text, [self.tidied])

    @property
    def deletes(self) -> bool:
        """Whether words are only left out."""
        return not self.edit.replacement.strip()

    @property
    def span(self) -> Span:
        """The words in question."""
        return Span(self.edit.start, self.edit.end)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about a proposal."""

    proposal: Proposal
    applicability: Applicability | None
    """None: it is not offered."""
    reason: Reason
    probability: float | None = None
    """How likely a reader finds it good; None where an invariant decided before the model was asked."""

    @property
    def edit(self) -> Edit:
        """The edit of the document, ready to apply."""
        tidied = self.proposal.tidied.shift(self.proposal.target.start)
        return Edit(
            tidied.start,
            tidied.end,
            tidied.replacement,
            self.applicability or Applicability.DISPLAY,
            None if self.probability is None else round(self.probability, 4),
            str(self.proposal.source),
            self.reason.note,
        )
