"""Words for people by age, class, work, health or place of living, found by their role in a phrase.

No list has every group in every combination: "older nurses", "deaf pupils", "people in their seventies". A phrase is
found by its noun, together with the words before and after it that say which people are meant. What is said about
them ("greedy", "heroic") is never part of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from unslant.text.words import COMPOUND


@dataclass(frozen=True, slots=True)
class PeoplePhrase:
    """Where a text names people, and whether one person or several."""

    start: int
    end: int
    plural: bool


@dataclass(frozen=True, slots=True)
class _Words:
    nouns: Mapping[str, bool]
    """Nouns that always name people, and whether they are plural."""
    others: Mapping[str, bool]
    """Nouns that name people by group only with a modifier or a phrase that follows."""
    all_nouns: Mapping[str, bool]
    modifiers: frozenset[str]
    openers: frozenset[str]
    """The first words of all of these: no phrase begins with any other word."""
    phrases: re.Pattern[str]


_DETERMINERS = frozenset(
    "a an the this that every each another one no some any my your his her its our their".split()
)
_IRREGULAR = {"child": "children", "person": "people", "wife": "wives"}
_LONGEST = 3
"""How many words the longest noun has."""


@cache
def _words() -> _Words:
    data = tomllib.loads(files("unslant.neural").joinpath("people.toml").read_text("utf-8"))
    nouns = _both(data["nouns"]) | {_plural(noun): True for noun in data["plurals"]}
    phrases = re.compile(rf" (?:{'|'.join(data['phrases'])})(?![\w-])")
    others = _both(data["others"])
    modifiers = frozenset(data["modifiers"])
    openers = frozenset(term.partition(" ")[0] for term in (*nouns, *others, *modifiers))
    return _Words(nouns, others, others | nouns, modifiers, openers, phrases)


def _both(nouns: Iterable[str]) -> dict[str, bool]:
    return dict.fromkeys(nouns, False) | {_plural(noun): True for noun in nouns}


def _plural(noun: str) -> str:
    for ending, plural in _IRREGULAR.items():
        if noun.endswith(ending):
            return noun.removesuffix(ending) + plural
    if noun.endswith("man"):
        return noun.removesuffix("man") + "men"
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if re.search(r"(?:s|x|ch|sh)$", noun) else "s")


def find_people(text: str) -> Iterator[PeoplePhrase]:
    """Yield each phrase that names people; an indefinite article belongs to it, since it depends on the next word.

    A word with a capital letter counts only at the beginning of the text: elsewhere it is most likely part of a name.
    """
    words = list(COMPOUND.finditer(text))
    known = [
        match[0].lower() if match.start() == words[0].start() and not match[0].isupper() else match[0]
        for match in words
    ]
    after = 0
    openers = _words().openers
    for at, word in enumerate(known):
        if at >= after and word in openers and (found := _phrase_at(text, words, known, at)) is not None:
            phrase, after = found
            yield phrase


def _phrase_at(
    text: str, words: Sequence[re.Match[str]], known: Sequence[str], first: int
) -> tuple[PeoplePhrase, int] | None:
    """Return the phrase that begins at a word, and the index of the word after it."""
    lists = _words()
    at = first
    while count := _count(text, words, known, at, lists.modifiers, 2):
        at += count
        if at == len(words) or text[words[at - 1].end() : words[at].start()] not in (" ", ", "):
            return None
    nouns = lists.all_nouns if at > first else lists.nouns
    count = _count(text, words, known, at, nouns, _LONGEST)
    followed = None
    if count:
        followed = lists.phrases.match(text, words[at + count - 1].end())
    elif (
        at < len(words)
        and lists.others.get(known[at])
        and (followed := lists.phrases.match(text, words[at].end()))
    ):
        count = 1
    if not count:
        return None
    last = at + count - 1
    noun = " ".join(known[at : last + 1])
    plural = lists.all_nouns[noun]
    end = followed.end() if plural and followed else words[last].end()
    start = words[first].start()
    if not plural:
        determiner = _find_determiner(words, known, first)
        if determiner is None:
            return None
        if determiner == first - 1 and known[determiner] in ("a", "an"):
            start = words[determiner].start()
    after = last + 1
    while after < len(words) and words[after].start() < end:
        after += 1
    return PeoplePhrase(start, end, plural), after


def _find_determiner(words: Sequence[re.Match[str]], known: Sequence[str], first: int) -> int | None:
    """Return the determiner of a noun, with at most two words between; "teacher" in "teacher training" has none."""
    for at in range(first - 1, max(first - 4, -1), -1):
        if words[at + 1].start() - words[at].end() != 1:
            return None
        if known[at] in _DETERMINERS:
            return at
    return None


def _count(
    text: str,
    words: Sequence[re.Match[str]],
    known: Sequence[str],
    at: int,
    listed: Mapping[str, bool] | frozenset[str],
    longest: int,
) -> int:
    """Return how many words, divided by single spaces, make the longest listed term at a place; 0 for none."""
    for count in range(min(longest, len(words) - at), 0, -1):
        if " ".join(known[at : at + count]) in listed and (
            count == 1 or text[words[at].start() : words[at + count - 1].end()].count(" ") == count - 1
        ):
            return count
    return 0
