"""What the rewriter reads and writes: a sentence with marked words, and wordings for them."""

from __future__ import annotations

from dataclasses import dataclass

from unslant.core.taxonomy import technique_of_rule, techniques
from unslant.protocols import WordsInSentence
from unslant.rewriter.sides import Sides

_OPEN, _CLOSE, _BEFORE, _NOTHING = (f"<extra_id_{number}>" for number in range(4))
SPECIAL = (_OPEN, _CLOSE, _BEFORE, _NOTHING)
"""Subwords with a meaning of their own: around the marked words, after the sentence before, and for no words at all."""

_WORDS_BEFORE = 12
_WORDS_AROUND = 36


@dataclass(frozen=True, slots=True)
class Query:
    """A passage as the network reads it, and what is needed to read its answer."""

    text: str
    sides: Sides


def as_query(passage: WordsInSentence) -> Query:
    """Return what the network reads.

    The names of political sides are exchanged for the first names of their lists, in the order in which they appear.
    Two passages that differ only in the sides they name are one passage to the network, so they get the same wordings.
    """
    sides = Sides.of(passage.before, passage.sentence)
    around = sides.hide_around(passage.sentence, passage.span.start, passage.span.end)
    left, marked, right = (part.split() for part in around)
    # words far from the marked ones cost time and decide nothing
    room = max(_WORDS_AROUND, 2 * _WORDS_AROUND - min(len(right), _WORDS_AROUND))
    left = left[-room:]
    right = right[: 2 * _WORDS_AROUND - min(len(left), _WORDS_AROUND)]
    before = sides.hide(passage.before).split()[-_WORDS_BEFORE:]
    technique = _technique(passage.technique).replace("-", " ")
    parts = [f"neutral {technique}:" if technique else "neutral:"]
    if before:
        parts += [*before, _BEFORE]
    # a mark inside a word or before punctuation would give the tokenizer a space that the text does not have; the
    # network has learned to ignore it
    parts += [*left, _OPEN, *marked, _CLOSE, *right]
    return Query(" ".join(parts), sides)


def _technique(named: str | None) -> str:
    """Return the name of a technique, given it or the id of a finding; empty for anything else."""
    if named in techniques():
        return named or ""
    found = technique_of_rule(named)
    return found.name if found is not None and found.name in techniques() else ""


def as_target(wording: str, sides: Sides) -> str:
    """Return what the network should write for a wording."""
    return " ".join(sides.hide(wording).split()) or _NOTHING


def from_output(text: str, sides: Sides) -> str | None:
    """Return the wording that the network wrote; None if it names a side that the passage does not name."""
    text = " ".join(text.split())
    if text == _NOTHING:
        return ""
    if not text or any(special in text for special in SPECIAL):
        return None
    return sides.restore(text)
