"""Subwords: preparing texts for a network, and mapping its outputs back to words.

White space is normalized and long texts are cut into windows. A network sees subwords and people mark words: only the
first subword of a word carries a tag, so spans always begin and end at the border of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unslant.core.types import Span

TAGS = ("O", "B", "I")
OUTSIDE, BEGIN, INSIDE = range(3)
IGNORED = -100
"""The tag of every subword that is not the first of its word."""

Offsets = Sequence[tuple[int, int]]
Words = Sequence[tuple[int, Span]]
"""Words in order, each with the index of its first subword."""

_UNEVEN = re.compile(r"\s\s|[^\S ]|[\ud800-\udfff]|^\s|\s$")
_RUNS = re.compile(r"(\s+)|\S+")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A text in which every gap is one space, with the original position of each character."""

    text: str
    places: Sequence[int]
    """The original position of each character."""

    @classmethod
    def unchanged(cls, text: str) -> NormalizedText:
        """Wrap a text that needs no normalization."""
        return cls(text, range(len(text)))

    def original(self, span: Span) -> Span:
        """Return the position of a span in the original text."""
        return Span(self.places[span.start], self.places[span.end - 1] + 1)


def normalize_whitespace(text: str) -> NormalizedText:
    """Collapse white space, so that the network does not see the gaps left by masked markup.

    Lone surrogates, which no tokenizer accepts, become the replacement character.
    """
    if not _UNEVEN.search(text):
        return NormalizedText.unchanged(text)
    parts: list[str] = []
    places: list[int] = []
    for match in _RUNS.finditer(text):
        if match[1] is None:
            parts.append(match[0])
            places.extend(range(match.start(), match.end()))
        elif parts and match.end() < len(text):
            parts.append(" ")
            places.append(match.start())
    return NormalizedText(_SURROGATES.sub("\ufffd", "".join(parts)), places)


@dataclass(frozen=True, slots=True)
class Window:
    """Subwords that the network reads together, and those whose output is taken from this window."""

    start: int
    end: int
    first: int
    """The first subword whose output is taken."""
    last: int
    """The end of the subwords whose output is taken."""


def windows(count: int, room: int) -> list[Window]:
    """Cut ``count`` subwords into windows of at most ``room`` that overlap by a quarter.

    The output of each subword is taken exactly once, from the window that shows more of its context.
    """
    if count <= room:
        return [Window(0, count, 0, count)]
    overlap = room // 4
    starts = list(range(0, count - overlap, room - overlap))
    found = []
    for start in starts:
        end = min(start + room, count)
        first = start + overlap // 2 if start else 0
        last = end if start == starts[-1] else end - overlap + overlap // 2
        found.append(Window(start, end, first, last))
    return found


def find_words(text: str, offsets: Offsets) -> list[tuple[int, Span]]:
    """Return the words that subwords make up, each with the index of its first subword.

    A subword continues a word if it follows without a gap and the characters on both sides of the seam belong to
    words. The words are therefore the same for every tokenizer that does not merge letters with other characters.
    """
    found: list[tuple[int, int, int]] = []
    last = -1
    for index, (start, end) in enumerate(offsets):
        # Byte-level tokenizers count the space before a word as part of it.
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        if start >= end:
            continue
        if found and start <= last and _continues(text, last, start):
            last = max(end, last)
            found[-1] = (*found[-1][:2], last)
        else:
            last = end
            found.append((index, start, end))
    return [(index, Span(start, end)) for index, start, end in found]


def _continues(text: str, end: int, start: int) -> bool:
    return start < end or (start == end and _is_wordlike(text[start - 1]) and _is_wordlike(text[start]))


def _is_wordlike(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character).startswith("M")


def tag_subwords(text: str, offsets: Offsets, spans: Iterable[Span]) -> list[int]:
    """Tag each subword: a word that shares a character with a span belongs to it."""
    tags = [IGNORED] * len(offsets)
    ordered = sorted(spans)
    before: Span | None = None
    for index, word in find_words(text, offsets):
        holder = next((span for span in ordered if span.overlaps(word)), None)
        if holder is None:
            tags[index] = OUTSIDE
        else:
            tags[index] = INSIDE if holder == before else BEGIN
        before = holder
    return tags


def snap_to_words(text: str, spans: Iterable[Span]) -> list[Span]:
    """Widen spans to whole words, join those that then meet, and drop those without a letter or digit.

    Some tokenizers drop marks such as a combining accent, which would otherwise be cut off their word.
    """
    found: list[Span] = []
    for span in sorted(spans):
        start, end = span.start, span.end
        if not any(map(_is_wordlike, text[start:end])):
            continue
        while start > 0 and _is_wordlike(text[start - 1]) and _is_wordlike(text[start]):
            start -= 1
        while end < len(text) and _is_wordlike(text[end]) and _is_wordlike(text[end - 1]):
            end += 1
        if found and start < found[-1].end:
            found[-1] = Span(found[-1].start, max(end, found[-1].end))
        else:
            found.append(Span(start, end))
    return found
