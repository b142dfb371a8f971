"""Proposals for sentences with a marked edit, as the invariants and the features see them."""

from __future__ import annotations

import unslant
from tests.marked import parse_edits
from unslant.core.types import Finding, Sentence, Span
from unslant.edits.invariants import refusal
from unslant.edits.types import EditTarget, Proposal, Reason, Source
from unslant.text.tidy import tidy_edit

__all__ = ["proposed", "refused"]


def proposed(marked: str, source: Source = Source.RULE, rule: str | None = "framing/praise") -> Proposal:
    """Return the edit of a sentence such as ``The {legendary |}singer came.``, as if somebody proposed it."""
    text, (edit, *_) = parse_edits(marked)
    span = Span(edit.start, max(edit.end, edit.start + 1))
    finding = Finding(span, text[span.start : span.end], "framing", "", "rules", rule)
    target = EditTarget(Sentence(unslant.read(text), Span(0, len(text))), (finding,))
    return Proposal(target, finding, edit, tidy_edit(text, edit), source, 1.0)


def refused(marked: str, source: Source = Source.RULE) -> Reason | None:
    """Return why the edit is refused, or None."""
    return refusal(proposed(marked, source))
