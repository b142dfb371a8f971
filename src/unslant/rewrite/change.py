"""Changes to one sentence: where, and what stands there afterwards."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from unslant.core.types import Sentence

__all__ = ["Change", "Words", "apply", "moved", "solid", "worded", "words_changed"]

_TOKEN = re.compile(r"[\w\u0300-\u036f]+(?:['\u2019\-\u2010\u2011][\w\u0300-\u036f]+)*|[^\w\s]")
_SAME = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-"}
)


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """What a stretch of a sentence becomes, by offsets from the sentence's start."""

    start: int
    end: int
    """The same as the start where something is only put in."""
    text: str

    def touches(self, other: Change) -> bool:
        """Say whether the two want the same place."""
        return (self.start < other.end and other.start < self.end) or self.start == other.start


class Words:
    """The words and marks of a text, and where they stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(_TOKEN.finditer(text))
        self.spans = [match.span() for match in found]
        self.written = [match[0] for match in found]
        same = text.isascii()
        self.plain = [word.lower() if same else word.lower().translate(_SAME) for word in self.written]
        """In lower case, with straight quotation marks, as words are compared."""

    def __len__(self) -> int:
        return len(self.spans)

    def is_word(self, at: int) -> bool:
        """Say whether a letter or digit stands there rather than a mark."""
        return self.written[at][0].isalnum() or self.written[at][0] == "_"

    def before(self, offset: int) -> int:
        """Return the number of the last word or mark that ends at or before an offset; -1: none."""
        return bisect_right(self.spans, offset, key=lambda span: span[1]) - 1

    def after(self, offset: int) -> int:
        """Return the number of the first word or mark that begins at or after an offset; the length: none."""
        return bisect_right(self.spans, offset - 1, key=lambda span: span[0])

    def count(self) -> int:
        """Return how many words there are, marks not counted."""
        return sum(map(self.is_word, range(len(self))))


@lru_cache(maxsize=1024)
def worded(text: str) -> Words:
    """Return the words of a text; every gate asks about the same few."""
    return Words(text)


def apply(text: str, changes: Iterable[Change]) -> str:
    """Return the text with all changes made; they are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for change in changes:
        parts += (text[at : change.start], change.text)
        at = change.end
    return "".join((*parts, text[at:]))


def moved(offset: int, changes: Sequence[Change]) -> int:
    """Return where an offset is found after the changes; one inside a change goes to the end of what replaced it."""
    grown = list(accumulate(len(one.text) - (one.end - one.start) for one in changes))
    passed = bisect_right(changes, offset, key=lambda one: one.start)
    if passed and offset < changes[passed - 1].end:
        offset = changes[passed - 1].end
    return offset + (grown[passed - 1] if passed else 0)


def words_changed(text: str, changes: Iterable[Change]) -> int:
    """Return how many words differ: of each change the more of those taken out and those put in."""
    total = 0
    for change in changes:
        old, new = worded(text[change.start : change.end]), worded(change.text)
        gone = [word for at, word in enumerate(old.plain) if old.is_word(at)]
        come = [word for at, word in enumerate(new.plain) if new.is_word(at)]
        while gone and come and _alike(gone[-1], come[-1]):
            gone.pop()
            come.pop()
        while gone and come and _alike(gone[0], come[0]):
            del gone[0], come[0]
        total += max(len(gone), len(come))
    return total


def _alike(one: str, other: str) -> bool:
    return one == other or {one, other} == {"a", "an"}


def solid(sentence: Sentence) -> str:
    """Return the sentence with a NUL for every code point of markup, so that nothing is mistaken for a space."""
    source = sentence.document.source[sentence.span.start : sentence.span.end]
    text = sentence.text
    if source == text:
        return text
    return "".join(char if char == own else "\0" for char, own in zip(text, source, strict=True))
