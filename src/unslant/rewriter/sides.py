"""Political sides in a passage: exchanged for fixed names before the network reads it, and put back in what it writes.

A network that has read more slanted sentences about one side than about the other would word them differently. Here it
cannot tell the sides apart: in each list of words for parties, ideologies, politicians and outlets, the first word that
a passage contains is read as the first word of the list, the second as the second, and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from unslant.core.types import Span
from unslant.neural.group_masking import listed_lines

_SORTS = ("parties", "ideologies", "outlets", "politicians")
_PERSON = "politicians"
_GIVEN_NAME = "John"
_SURNAMES = (
    *(
        "Smith",
        "Jones",
        "Brown",
        "Miller",
        "Wilson",
        "Moore",
        "Taylor",
        "Anderson",
        "Thomas",
        "Jackson",
        "Martin",
        "Lee",
    ),
)
"""What the network reads in place of politicians."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What stands for each name of a side in a passage."""

    hidden: Mapping[str, str]
    """By the name as the passage has it."""
    shown: Mapping[str, str]
    """By what the network reads in its place."""

    @classmethod
    def of(cls, *texts: str) -> Sides:
        """Return the exchange for a passage; the texts are in reading order."""
        text = "\n".join(texts)
        hidden: dict[str, str] = {}
        order: dict[int, list[str]] = {}
        surnames = [name for name in _SURNAMES if not re.search(rf"\b{name}\b", text)]
        for name in _find(text):
            at, line = _lines()[name]
            # the full name of a politician and the surname are the same person
            key = name.rsplit(" ", 1)[-1] if line is None else name
            earlier = order.setdefault(at, [])
            if key not in earlier:
                earlier.append(key)
            place = earlier.index(key)
            if line is not None:
                hidden[name] = line[place]
            elif place < len(surnames):
                hidden[name] = surnames[place] if name == key else f"{_GIVEN_NAME} {surnames[place]}"
        return cls(hidden, {read: name for name, read in reversed(hidden.items())})

    def hide(self, text: str) -> str:
        """Return the text as the network reads it."""
        return _pattern().sub(lambda found: self._exchange(found[0], self.hidden), text)

    def hide_around(self, text: str, start: int, end: int) -> tuple[str, str, str]:
        """Return what stands before, in and after a span as the network reads it.

        A name that crosses the edge of the span belongs to the part in which it begins.
        """
        parts = ["", "", ""]
        last = 0
        for found in [*_pattern().finditer(text), None]:
            upto = len(text) if found is None else found.start()
            for at, (first, stop) in enumerate(((0, start), (start, end), (end, len(text)))):
                parts[at] += text[max(last, first) : max(last, min(upto, stop))]
            if found is not None:
                where = 0 if found.start() < start else 1 if found.start() < end else 2
                parts[where] += self._exchange(found[0], self.hidden)
                last = found.end()
        return parts[0], parts[1], parts[2]

    def hide_with_spans(self, text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
        """Return the text as the network reads it, and where spans of the text are in it.

        A name that crosses the edge of a span is in the span.
        """
        parts: list[str] = []
        moved: list[tuple[int, int, int, int]] = []
        last = length = 0
        for found in _pattern().finditer(text):
            parts += [text[last : found.start()], self._exchange(found[0], self.hidden)]
            start = length + found.start() - last
            last, length = found.end(), start + len(parts[-1])
            moved.append((found.start(), last, start, length))
        parts.append(text[last:])

        def place(offset: int, *, end: bool) -> int:
            shift = 0
            for old_start, old_end, new_start, new_end in moved:
                if offset <= old_start:
                    break
                if offset < old_end:
                    return new_end if end else new_start
                shift = new_end - old_end
            return offset + shift

        return "".join(parts), [
            Span(place(each.start, end=False), place(each.end, end=True)) for each in spans
        ]

    def names_other(self, wording: str) -> bool:
        """Return whether a wording names a side that the passage does not name."""
        return any(name not in self.hidden for name in _find(wording))

    def restore(self, wording: str) -> str | None:
        """Return what the network wrote with the names of the passage; None if it names another side."""
        if any(name not in self.shown for name in _find(wording)):
            return None
        if not self.shown:
            return wording
        return _compile(self.shown).sub(lambda found: self._exchange(found[0], self.shown), wording)

    @staticmethod
    def _exchange(word: str, names: Mapping[str, str]) -> str:
        """Return what stands for a word, in capitals where the word is."""
        listed = word if word in names else _listed(word)
        name = names.get(listed)
        if name is None:
            return word
        if word.isupper() and not listed.isupper():
            return name.upper()
        return name[0].upper() + name[1:] if word[0].isupper() and not listed[0].isupper() else name


@cache
def _lines() -> Mapping[str, tuple[int, Sequence[str] | None]]:
    """Return the number and the words of the line of each name; politicians share one number and have no line."""
    found: dict[str, tuple[int, Sequence[str] | None]] = {}
    for sort in _SORTS:
        for line in listed_lines()[sort]:
            number = -1 if sort == _PERSON else len(found)
            found |= dict.fromkeys(line, (number, None if sort == _PERSON else line))
    # "Liberal Democrats" are a party, or Democrats who are liberal: read word by word, they have a mirror
    alone = {word.lower() for word in found}
    return {
        name: line
        for name, line in found.items()
        if " " not in name or not all(word.lower() in alone for word in name.split())
    }


@cache
def _pattern() -> re.Pattern[str]:
    return _compile(_lines())


def _compile(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds the longest name at each position."""
    forms = (
        f"{re.escape(name)}|{re.escape(name.upper())}" if name != name.lower() else f"(?i:{re.escape(name)})"
        for name in sorted(names, key=lambda name: (-len(name), name))
    )
    return re.compile(rf"(?<![\w-])(?:{'|'.join(forms)})(?![\w-])")


@cache
def _in_capitals() -> Mapping[str, str]:
    return {name.upper(): name for name in _lines() if len(name) > 1}


def _listed(word: str) -> str:
    """Return the name as it is listed: one with a capital is written so or in capitals, another in any case."""
    if word in _lines():
        return word
    if word.lower() in _lines():
        return word.lower()
    return _in_capitals().get(word, word)


def _find(text: str) -> Iterator[str]:
    for found in _pattern().finditer(text):
        if (name := _listed(found[0])) in _lines():
            yield name
