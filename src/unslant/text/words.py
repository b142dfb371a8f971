"""What a word is, for every part that counts, compares or replaces words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache

from unslant.core.types import Span

IN_WORD = r"\w\u0300-\u036f"
"""The characters of a word, as the content of a character class: letters, digits, ``_`` and combining marks."""

_LETTERS = rf"[{IN_WORD}]+"
WORD = re.compile(rf"{_LETTERS}(?:['\u2019]{_LETTERS})*")
"""A word: letters, digits and combining marks, with apostrophes inside (*don't*, *O'Neil*)."""

COMPOUND = re.compile(rf"{_LETTERS}(?:['\u2019\-\u2010\u2011]{_LETTERS})*")
"""A word, or words joined by hyphens (*so-called*)."""

TOKEN = re.compile(rf"{COMPOUND.pattern}|[^\w\s]")
"""A word, words joined by hyphens, or a single mark."""

WORD_OR_MARK = re.compile(rf"{WORD.pattern}|[^\w\s]")
"""A word or a single mark; a hyphen is a mark of its own."""

LETTERS = re.compile(r"[^\W\d_]+")
"""A run of letters alone, for looking words up in lists."""

ALPHANUMERIC = re.compile(r"[^\W_]+")
"""A run of letters and digits."""

CHARACTERS = re.compile(r"\w+")
"""A run of word characters, for comparing texts without their punctuation."""

PART = re.compile(r"[^\W_]+|[^\w\s]|_")
"""The finest token: a run of letters and digits, or a single sign; the subwords of a model never cross one."""

_FOLD = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-"}
)


class Words:
    """The words and marks of a text, and where they stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.written: list[str] = TOKEN.findall(text)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each stands."""
        return [match.span() for match in TOKEN.finditer(self.text)]

    @cached_property
    def plain(self) -> list[str]:
        """In lower case, with straight quotation marks and hyphens: how words are compared."""
        if self.text.isascii():
            return [*map(str.lower, self.written)]
        return [word.lower().translate(_FOLD) for word in self.written]

    def __len__(self) -> int:
        return len(self.written)

    def is_word(self, at: int) -> bool:
        """Return whether a letter or digit stands there rather than a mark."""
        return self.written[at][0].isalnum() or self.written[at][0] == "_"

    def before(self, offset: int) -> int:
        """Return the index of the last token that ends at or before an offset; -1: none."""
        return bisect_right(self.spans, offset, key=lambda span: span[1]) - 1

    def after(self, offset: int) -> int:
        """Return the index of the first token that begins at or after an offset; the length: none."""
        return bisect_right(self.spans, offset - 1, key=lambda span: span[0])

    def cover(self, first: int, end: int) -> Span | None:
        """Return the span of the tokens from ``first`` up to ``end``; None where there are none."""
        return Span(self.spans[first][0], self.spans[end - 1][1]) if first < end else None

    def wording(self, first: int, end: int) -> str:
        """Return the text of the tokens from ``first`` up to ``end``, with what stands between them."""
        return self.text[self.spans[first][0] : self.spans[end - 1][1]] if first < end else ""

    def count(self) -> int:
        """Return how many words there are, not counting marks."""
        return sum(map(self.is_word, range(len(self))))


def whole_words(phrases: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return a pattern that finds these words or phrases, the longest first, but never a part of a longer word."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", flags)


@lru_cache(maxsize=1024)
def split_words(text: str) -> Words:
    """Return the words of a text; cached, because the same few texts are split many times."""
    return Words(text)
