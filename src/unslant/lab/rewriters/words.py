"""Sentences as words with the space before them, and the vocabulary that gives each a number.

A word keeps its space (``" word"``), so joining gives the sentence back to the letter. A word that the vocabulary does
not know gets a number of its own in its sentence, behind those of the vocabulary, so that it can be copied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["BEGIN", "END", "PADDING", "UNKNOWN", "Vocabulary", "cut", "joined"]

PADDING, UNKNOWN, BEGIN, END = range(4)
_MARKS = 4
_WORD = re.compile(r" ?(?:\w+(?:['\u2019](?:\w+))?|[^\w\s])|\s")


def cut(text: str) -> list[str]:
    """Cut a text into words and marks; white space counts as one space."""
    return _WORD.findall(" ".join(text.split()))


def joined(words: Iterable[str]) -> str:
    """Return the text again."""
    return "".join(words).strip()


@dataclass(frozen=True)
class Vocabulary:
    """The words that have a number everywhere, the commonest first."""

    words: tuple[str, ...]
    places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {word: at for at, word in enumerate(self.words, _MARKS)})

    @classmethod
    def of(cls, texts: Iterable[str], size: int, rare: int = 0) -> Vocabulary:
        """Return the vocabulary of some texts, without what occurs ``rare`` times or less."""
        counts = Counter(word for text in texts for word in cut(text))
        common = sorted((word for word, many in counts.items() if many > rare), key=lambda w: (-counts[w], w))
        return cls(tuple(common[:size]))

    def __len__(self) -> int:
        return len(self.words) + _MARKS

    def numbers(self, words: Sequence[str], strangers: Sequence[str] = ()) -> list[int]:
        """Return the number of each word; that of a stranger lies behind the vocabulary, others are unknown."""
        own = {word: at for at, word in enumerate(strangers, len(self))}
        return [self.places.get(word, own.get(word, UNKNOWN)) for word in words]

    def strangers(self, words: Sequence[str]) -> list[str]:
        """Return the words without a number, each once, in order."""
        return [word for word in dict.fromkeys(words) if word not in self.places]

    def word(self, number: int, strangers: Sequence[str] = ()) -> str:
        """Return the word of a number; nothing for a mark."""
        if number < _MARKS:
            return ""
        if number < len(self):
            return self.words[number - _MARKS]
        return strangers[number - len(self)]
