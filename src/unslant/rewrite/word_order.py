"""How usual an order of words is: trigrams over classes of words that stand in the same places.

The classes were learned from running text (``unslant train edit-judge``): frequent words are classes of their own,
other words share one with words that have the same neighbours, so that a class is close to a part of speech. Words that
were too rare are classed by their ending.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unslant.text.words import Words

__all__ = ["ALIKE", "EDGE", "NAME", "NUMBER", "WordOrder", "shape"]

ALIKE = {
    other: first
    for first, *others in (
        ("left", "right"),
        ("leftist", "rightist"),
        ("leftists", "rightists"),
        ("left-wing", "right-wing"),
        ("far-left", "far-right"),
        ("democratic", "republican"),
        ("democrats", "republicans"),
        ("liberal", "conservative", "progressive"),
        ("liberals", "conservatives", "progressives"),
        ("male", "female"),
        ("men", "women"),
        ("man", "woman"),
        ("muslim", "christian", "jewish", "hindu"),
        ("muslims", "christians", "jews", "hindus"),
        ("rural", "urban", "coastal"),
        ("black", "white"),
        ("gay", "straight"),
    )
    for other in others
}
"""Names of groups that are read as another, so that an edit is judged alike whichever group the sentence is about."""

EDGE, NAME, NUMBER = "<edge>", "<name>", "<number>"
"""Classes of their own: before and after the sentence, words written like names, and numbers."""
_LONGEST_ENDING = 4
_LESS = 0.4
"""What a shorter context costs (*stupid backoff*, Brants et al. 2007): these are scores, not probabilities."""
_FLOOR = 1e-6


def shape(words: Words, at: int) -> str:
    """Return the form in which a word is looked up: in lower case, or the class that its writing gives away."""
    written = words.written[at]
    if any(char.isdigit() for char in written):
        return NUMBER
    if written[0].isupper() and at and words.is_word(at - 1) and words.plain[at] != "i":
        return NAME
    return ALIKE.get(words.plain[at], words.plain[at])


@dataclass(frozen=True, slots=True)
class WordOrder:
    """Counts of classes, and of two and three classes in a row."""

    classes: Mapping[str, int]
    """By the word in lower case."""
    endings: Mapping[str, int]
    """For other words, by their ending; the empty ending fits every word."""
    size: int
    """How many classes there are."""
    single: array[int]
    pairs: array[int]
    """By the number of the first class times ``size``, plus the number of the second."""
    triples: array[int]
    """In ascending order: the three numbers as digits to the base ``size``."""
    counts: array[int]
    """How often each of the triples was counted."""
    total: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", sum(self.single))

    def class_of(self, form: str) -> int:
        """Return the number of a word's class, given its form (see ``shape``)."""
        known = self.classes.get(form)
        if known is not None:
            return known
        for length in range(_LONGEST_ENDING, -1, -1):
            found = self.endings.get(form[-length:] if length else "")
            if found is not None:
                return found
        return 0

    def sequence(self, words: Words) -> list[int]:
        """Return the classes of a sentence, with an edge before and after it."""
        edge = self.classes[EDGE]
        return [edge, *(self.class_of(shape(words, at)) for at in range(len(words))), edge]

    def score(self, sequence: Sequence[int], at: int) -> float:
        """Return the logarithm of how usual the class at a place is after the two before it."""
        now = sequence[at]
        before = sequence[at - 1] if at else now
        if at >= 2:
            pair = sequence[at - 2] * self.size + before
            key = pair * self.size + now
            place = bisect_left(self.triples, key)
            if place < len(self.triples) and self.triples[place] == key:
                return math.log(self.counts[place] / self.pairs[pair])
        both = self.pairs[before * self.size + now] if at else 0
        lost = _LESS if at >= 2 else 1.0
        if both:
            return math.log(lost * both / self.single[before])
        return math.log(max(_FLOOR, lost * _LESS * self.single[now] / self.total))

    def attraction(self, before: int, now: int) -> float:
        """Return how much more often two classes follow each other than chance would have it, as a logarithm."""
        expected = self.single[before] * self.single[now] / self.total
        return math.log((self.pairs[before * self.size + now] + 0.5) / (expected + 0.5))
