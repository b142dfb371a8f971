"""The word diff: what differs between two texts, as hunks of words, as edits, or as pairs of spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

from unslant.core.types import Edit, Span
from unslant.text.words import Words, split_words

_SHARED = 0.5
"""Texts that share fewer of their words are different texts, or in different languages."""
_CLOSING = tuple(",.;:!?)]\u2026")


class Hunk(NamedTuple):
    """Tokens of one text and the tokens of another that stand in their place, by half-open ranges."""

    before: tuple[int, int]
    """Empty where tokens were inserted."""
    after: tuple[int, int]
    """Empty where tokens were deleted."""

    @property
    def kind(self) -> Literal["substitution", "deletion", "addition"]:
        """What was done."""
        if self.before[0] == self.before[1]:
            return "addition"
        return "substitution" if self.after[0] < self.after[1] else "deletion"


class UnrelatedText(ValueError):
    """The new text has too little in common with the old one to be a rewording of it."""


def diff_words(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    """Return what differs between two sequences of words, in order.

    The caller decides what counts as equal by what it passes in: words as written, or ``Words.plain``.
    """
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [Hunk((i, j), (k, end)) for tag, i, j, k, end in matcher.get_opcodes() if tag != "equal"]


def equal_runs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs of equal words, in order: the start in each sequence, and the length; the last has none."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks()]


def similarity(before: Sequence[str], after: Sequence[str]) -> float:
    """Return the share of elements that two sequences have in common, in order, from 0 to 1."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, before, after, autojunk=False).ratio()


def edits_between(source: str, target: str) -> list[Edit]:
    """Return the edits of words that turn one wording into the other, in order.

    Spacing, capitals and the shape of quotation marks do not count, so tokenised text is compared as it was meant. A
    target with too few of the source's words raises ``UnrelatedText``.
    """
    old, new = split_words(source), split_words(_untokenise(target))
    hunks = diff_words(old.plain, new.plain)
    shared = len(old) - sum(last - first for (first, last), _ in hunks)
    if not len(new) or shared < _SHARED * max(len(old), len(new)):
        raise UnrelatedText(f"only {shared} of {max(len(old), len(new))} words are shared")
    return [_edit(old, hunk.before, new.wording(*hunk.after)) for hunk in hunks]


def _untokenise(text: str) -> str:
    """Undo what makes tokenised text look unlike the text it came from."""
    return text.replace("``", '"').replace("''", '"').replace(" n't", "n't").strip()


def _edit(old: Words, removed: tuple[int, int], wording: str) -> Edit:
    first, last = removed
    if first < last:
        return Edit(old.spans[first][0], old.spans[last - 1][1], wording)
    return insertion(old, first, wording)


def insertion(words: Words, at: int, wording: str) -> Edit:
    """Return the edit that inserts a wording before a token, with the space that it needs."""
    if at and wording[:1] in _CLOSING:
        return Edit(words.spans[at - 1][1], words.spans[at - 1][1], wording)
    if at < len(words) and (words.is_word(at) or at == 0):
        start = words.spans[at][0]
        return Edit(start, start, wording + " ")
    start = words.spans[at - 1][1] if at else 0
    return Edit(start, start, " " + wording)


@dataclass(frozen=True, slots=True)
class EditedPair:
    """Words before an edit and what they became; one of the two is None where words were added or deleted."""

    source: Span | None
    target: Span | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "source": self.source.to_dict() if self.source else None,
            "target": self.target.to_dict() if self.target else None,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from the JSON form."""
        source, target = data.get("source"), data.get("target")
        return cls(Span.from_dict(source) if source else None, Span.from_dict(target) if target else None)


def word_spans(text: str) -> list[Span]:
    """Return the words and marks of a text."""
    return [Span(*span) for span in split_words(text).spans]


def edited_pairs(source: str, target: str) -> tuple[EditedPair, ...]:
    """Return what was changed between two sentences, by the longest runs of words that they share."""
    before, after = split_words(source), split_words(target)
    return tuple(
        EditedPair(before.cover(*hunk.before), after.cover(*hunk.after))
        for hunk in diff_words(before.written, after.written)
    )
