"""Group masking: the network reads the same word for every party, gender or other listed group, and for every person.

A detector that has seen more slanted sentences about one side than about the other learns the side. With masking, its
answer cannot depend on which group of a list a sentence names, and hardly on who is named. Positions always refer to
the original text.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from unslant.neural.people import find_people

NAME_MASK = "Smith"
"""What new networks read in place of the name of a person, listed or not."""
PEOPLE_MASKS = ("worker", "workers")
"""What a network that masks people reads for one person and for several, whatever their age, work, class or health."""


Mask = tuple[int, int, str]
"""Where a mask begins and ends, and what is read in its place."""


@cache
def listed_lines() -> Mapping[str, Sequence[Sequence[str]]]:
    """Return the lines of ``group_masking.toml`` by the sort of group; the words of a line stand for each other."""
    data = tomllib.loads(files("unslant.neural").joinpath("group_masking.toml").read_text("utf-8"))
    return {sort: entry["lines"] for sort, entry in data.items() if isinstance(entry, dict)}


@cache
def listed_masks() -> Mapping[str, str]:
    """Return the mask of each word listed in ``group_masking.toml``."""
    return {word: line[0] for lines in listed_lines().values() for line in lines for word in line}


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text with listed words masked, and the mapping back to the original positions."""

    text: str
    starts: Sequence[int] = ()
    """Where the masks begin, in order."""
    ends: Sequence[int] = ()
    """Where the masks end."""
    places: Sequence[tuple[int, int]] = ()
    """What each mask replaces, in the original text."""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the original position of a range; any part of a mask maps to the whole masked word."""
        return self._position(start, False), self._position(max(end, start), True)

    def _position(self, position: int, is_end: bool) -> int:
        # an end belongs to the word before it, a start to the word after it
        at = bisect_right(self.starts, position - 1 if is_end else position) - 1
        if at < 0:
            return position
        if position < self.ends[at] or (is_end and position == self.ends[at]):
            return self.places[at][1 if is_end else 0]
        return position - self.ends[at] + self.places[at][1]


class GroupMask:
    """Replaces the words of a list by their masks, other names by one name, and words for people by one word."""

    def __init__(
        self,
        masks: Mapping[str, str],
        name: str = "",
        *,
        people: bool = False,
        is_subword: Callable[[str], bool] = str.isalpha,
    ) -> None:
        """Take the mask of each word, the name that replaces persons, and a test for words that are one subword.

        With ``people``, "older nurses" and "young bankers" are both read as "workers".
        """
        self._exact = {word: mask for word, mask in masks.items() if word != word.lower()}
        self._exact |= {word.upper(): mask for word, mask in self._exact.items() if len(word) > 1}
        self._any_case = {word: mask for word, mask in masks.items() if word == word.lower()}
        self._pattern = _compile(masks) if masks else None
        self._name = name
        self._people = people
        self._is_subword = is_subword

    def mask(self, text: str) -> MaskedText:
        """Return the text as the network reads it."""
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        places: list[tuple[int, int]] = []
        last = length = 0
        for start, end, mask in self._masks(text):
            before = text[last:start]
            parts += [before, mask]
            starts.append(length + len(before))
            length = starts[-1] + len(mask)
            ends.append(length)
            places.append((start, end))
            last = end
        return MaskedText("".join([*parts, text[last:]]), starts, ends, places) if parts else MaskedText(text)

    def _masks(self, text: str) -> list[Mask]:
        """Return what to mask, in order: of masks that overlap, the longer; a listed word before a name."""
        found = list(self._find_listed(text))
        if self._people:
            found = _merge(_find_people(text), found)
        if self._name:
            names = [(start, end, self._name) for start, end in find_names(text, self._is_subword)]
            found = sorted([*found, *_beside(names, found)])
        return found

    def _find_listed(self, text: str) -> Iterator[Mask]:
        for match in self._pattern.finditer(text) if self._pattern else ():
            mask = self._exact.get(match[0]) or self._any_case.get(match[0].lower())
            if mask is not None:
                yield *match.span(), mask


def _find_people(text: str) -> list[Mask]:
    person, people = PEOPLE_MASKS
    found = []
    for phrase in find_people(text):
        article = "a " if text[phrase.start : phrase.end].lower().startswith(("a ", "an ")) else ""
        found.append((phrase.start, phrase.end, people if phrase.plural else article + person))
    return found


def _merge(people: Sequence[Mask], listed: Sequence[Mask]) -> list[Mask]:
    """Return both, in order; words for people give way to a listed term that is longer or only overlaps them."""
    kept = [
        phrase
        for phrase in people
        if all(
            phrase[0] <= start and end <= phrase[1]
            for start, end, _ in listed
            if start < phrase[1] and phrase[0] < end
        )
    ]
    return sorted([*kept, *_beside(listed, kept)])


def _beside(masks: Sequence[Mask], others: Sequence[Mask]) -> list[Mask]:
    """Return the masks that overlap none of the others; the others are in order."""
    starts = [start for start, *_ in others]
    ends = [end for _, end, _ in others]
    return [
        mask
        for mask in masks
        # the last of the others that begins before the mask's end lies before the mask
        if not (before := bisect_left(starts, mask[1])) or ends[before - 1] <= mask[0]
    ]


def _compile(masks: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern that finds the longest listed word at each position.

    Words are grouped by their first letter; otherwise every listed word would be tried at every word of a text.
    """
    longest_first = sorted({word.lower() for word in masks}, key=lambda word: (-len(word), word))
    endings: dict[str, list[str]] = {}
    for word in longest_first:
        endings.setdefault(word[:1], []).append(re.escape(word[1:]))
    groups = (f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in endings.items())
    # anything may follow a full stop that belongs to the word
    return re.compile(rf"(?<![\w-])(?:{'|'.join(groups)})(?:(?<=\.)|(?![\w-]))", re.IGNORECASE)


_CAPITALISED = re.compile(
    r"(?<![\w'\u2019-])(?:[A-Z]['\u2019])?[A-Z][a-zà-öø-ÿ]+(?:[A-Z][a-zà-öø-ÿ]+)*(?:-[A-Z][a-zà-öø-ÿ]+)*(?![\w-])"
)
_SUFFIX = re.compile(
    r"(?:ly|ings?|ed|[ie]ans?|ese|ists?|isms?|ish|ics?|crats?|icans?|phob\w+|gate|[ts]ions?|ness(?:es)?|ments?|[ai]ble|ful|less|ous"
    r"|ives?|ity|ities|i[sz]e[sd]?|i[sz]ers?|ships?|hood|ical|ally|ology|ologies|ify|ifies|ates|ites?|esque|mongers?)$"
)
"""Endings of ordinary English words that few names have."""
_INFLECTIONS = ("", "s", "es", "d", "er", "ers")
_ORGANISATION = re.compile(
    r"(?:['\u2019]s?)?\s+(?:Act|Avenue|Bank|Center|Centre|City|College|Company|Corp|County|Hospital|Inc|Institute|Island|Lake"
    r"|Ltd|Mountain|Park|Party|River|School|Street|University)\b"
)


@cache
def _words(name: str) -> frozenset[str]:
    text = files("unslant.neural").joinpath(name).read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def find_names(text: str, is_subword: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the position of each word that is most likely the name of a person; of a full name, the surname.

    ``is_subword`` tells whether the tokenizer knows a word as a whole. What it knows is a name only if it is a listed
    surname; what it does not know is one unless it looks like an ordinary word.

    No list of politicians is ever complete. A capitalised word that is no ordinary English word is most likely a name,
    and the network reads all names alike: that of a politician of one side, of the other, or one it has never seen.
    """
    found = [match for match in _CAPITALISED.finditer(text) if _is_name(match[0], is_subword)]
    following = [*found[1:], None] if found else []
    for match, after in zip(found, following, strict=True):
        is_given_name = after is not None and text[match.end() : after.start()] == " "
        if not is_given_name and not _ORGANISATION.match(text, match.end()):
            yield match.span()


def _is_name(word: str, is_subword: Callable[[str], bool]) -> bool:
    if word in _words("surnames.txt"):
        return True
    lower = word.lower()
    stems = (lower.removesuffix(ending) for ending in _INFLECTIONS)
    return not _SUFFIX.search(lower) and not any(
        stem in _words("common_words.txt") or is_subword(stem) for stem in stems
    )
