"""The rewriter that needs no more than what the analyzers have said: the edits that the model proposes."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.core.types import Analysis, Proposal, Rewrite, Sentence
from unslant.rewrite.candidate import EVEN
from unslant.spec import Spec

__all__ = ["EditRewriter", "NoRewriter"]

_LOOK = 0.2
"""What is less likely is not worth anyone's look."""


class EditRewriter:
    """Words a sentence anew by the model's proposals, each by itself; they came with the findings, in the same pass."""

    def __init__(self, _spec: Spec) -> None:
        """Load nothing: the analyzers have done the work."""

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Rewrite]]:
        """Return a wording for each proposal, the likeliest first, scored by its probability."""
        return [
            [
                Rewrite(_proposed(sentence, one.start, one.end, one.replacement), one.probability)
                for one in _worth_a_look(analysis.proposals)
                if sentence.span.start <= one.start <= one.end <= sentence.span.end and _whole(sentence, one)
            ]
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]


def _worth_a_look(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals that the model stands by, and what else it would write in the same places."""
    ordered = sorted(proposals, key=lambda one: -one.probability)
    sure = [one for one in ordered if one.probability >= EVEN]
    return [one for one in ordered if one.probability >= _LOOK and any(_inside(one, place) for place in sure)]


def _inside(one: Proposal, place: Proposal) -> bool:
    """Say whether a proposal is about the words of another, give or take a space."""
    return place.start - 1 <= one.start and one.end <= place.end + 1


def _whole(sentence: Sentence, one: Proposal) -> bool:
    """Say whether a proposal is of whole words: no piece of "so-called", no lone comma."""
    source = sentence.document.source
    hyphenated = source[max(0, one.start - 1) : one.start + 1] + source[max(0, one.end - 1) : one.end + 1]
    wordless = one.replacement != "" and not one.replacement.lstrip()[:1].isalnum()
    return "-" not in hyphenated and not wordless


def _proposed(sentence: Sentence, start: int, end: int, replacement: str) -> str:
    base, text = sentence.span.start, sentence.text
    before, after = text[: start - base], text[end - base :]
    if start == end and replacement:
        # an insertion stands between words, whether or not it brings its own space
        return f"{before.rstrip()} {replacement.strip()} {after.lstrip()}".strip()
    return before + replacement + after


class NoRewriter:
    """Proposes nothing, so that only the rules' wordings and leaving words out remain."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Rewrite]]:  # noqa: ARG002
        """Return no wording for any sentence."""
        return [[] for _ in sentences]
