"""Whether a sentence is still grammatical, by the order of its words.

There is no parser, only a list of things that no sentence of edited English has, such as two articles in a row or a
preposition before a full stop. Only problems that an edit adds count; it is not blamed for an odd sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from unslant.rules.pos import plausible
from unslant.text.function_words import (
    BE,
    DETERMINERS,
    HAVE,
    LINKING,
    MODALS,
    PASTS,
    PREPOSITIONS,
    SUBJECTS,
)
from unslant.text.tidy import indefinite_article
from unslant.text.words import Words, split_words

__all__ = ["ARTICLES", "ENDS", "FINITE", "NO_NOUNS", "is_verb", "problems"]

ARTICLES = frozenset("a an the his her its their my our your every".split())
NO_NOUNS = frozenset("of in by for with to on at from against into during upon among between until".split())
"""Prepositions that cannot follow an article, unlike those of *the above* and *the like*."""
ENDS = frozenset(",.;:!?)")
FINITE = BE | HAVE | MODALS
_SHORT_PASTS = frozenset("died used owed fled tied lied".split())
_FREE_LAST = frozenset(
    "in on over through about up off out around before after since within without inside outside".split()
)
"""Prepositions that may also stand at the end: *the plan he spoke about*."""
_OPEN_CONJUNCTIONS = frozenset("and or but nor than because although though while".split())
_PAIRS: Sequence[tuple[str, Callable[[str, str], bool]]] = (
    ("two articles in a row", lambda word, following: word in ARTICLES and following in ARTICLES),
    (
        "an article with nothing to stand for",
        lambda word, following: (
            word in ARTICLES - {"her"}
            and (following in ENDS or following in FINITE or following in _OPEN_CONJUNCTIONS)
        ),
    ),
    (
        "an article before a preposition",
        lambda word, following: word in ARTICLES - {"her"} and following in NO_NOUNS,
    ),
    (
        "a preposition with nothing after it",
        lambda word, following: (
            word in PREPOSITIONS - _FREE_LAST
            and (following in ENDS or following in ("and", "or", "is", "was"))
        ),
    ),
    (
        "two prepositions in a row",
        lambda word, following: word in ("of", "by", "for", "with") and following in PREPOSITIONS,
    ),
    (
        "a conjunction before a stop",
        lambda word, following: word in _OPEN_CONJUNCTIONS and following in ENDS,
    ),
    (
        "two conjunctions in a row",
        lambda word, following: word in ("and", "or", "but") and following in ("and", "or"),
    ),
    (
        "a verb of being with nothing after it",
        lambda word, following: (
            word in LINKING - {"look", "looked", "looks", "go", "went", "goes", "fell"} and following in ENDS
        ),
    ),
    (
        "a comma with nothing before it",
        lambda word, following: word in ("(", ",") and following in (",", ".", ";", ":", ")"),
    ),
    ("empty brackets", lambda word, following: word + following in ("()", "[]", '""')),
)


@lru_cache(16_384)
def _wrong_pair(word: str, following: str) -> tuple[str, ...]:
    """Return the problems of two adjacent words; cached, as a sentence and its candidates share nearly all pairs."""
    found = [name for name, wrong in _PAIRS if wrong(word, following)]
    if word == following and (word[0].isalnum() or word[0] == "_") and word not in ("that", "had", "her"):
        found.append("a word twice")
    return tuple(found)


@lru_cache(1024)
def problems(text: str) -> Counter[str]:
    """Return the problems in the order of the words; cached, as all candidates compare with the same sentence."""
    return Counter(_problems(split_words(text)))


def _problems(words: Words) -> Iterator[str]:
    plain = words.plain
    if len(words):
        yield from _edges(words)
    for at in range(len(words) - 1):
        word, following = plain[at], plain[at + 1]
        yield from _wrong_pair(word, following)
        if (
            word in ("a", "an")
            and following[0].isalpha()
            and indefinite_article(words.written[at + 1]) != word
        ):
            yield "the wrong article"
        if word in ARTICLES and plain[at + 1 : at + 3] == ["opposed", "to"]:
            yield "an article before a phrase that cannot follow it"
    for opening, closing in ("()", "[]", "{}"):
        if plain.count(opening) != plain.count(closing):
            yield "a bracket without its partner"
    if plain.count('"') % 2:
        yield "a quotation mark without its partner"
    if not any(is_verb(words, at) for at in range(len(words))):
        yield "no verb"


def _edges(words: Words) -> Iterator[str]:
    first, last = words.plain[0], words.plain[-1]
    if first in (",", ".", ";", ")") or words.written[0][0].islower():
        yield "an odd beginning"
    dangling = words.plain[1:3] == [",", "that"]  # "However, that one agent was near."
    if first in ("and", "or", "that", "of", "than") or dangling:
        yield "a beginning with a joining word"
    if last in DETERMINERS or last in _OPEN_CONJUNCTIONS or words.is_word(len(words) - 1):
        yield "an odd end"


def is_verb(words: Words, at: int) -> bool:
    """Say whether a word is surely or probably a verb with a subject."""
    word = words.plain[at]
    if word in FINITE or word in PASTS or word in LINKING:
        return True
    before = words.plain[at - 1] if at else ""
    if word.endswith("ed") and (len(word) > 4 or word in _SHORT_PASTS):
        # "the renowned singer", "a self-proclaimed king"
        return "-" not in word and before not in DETERMINERS and before not in PREPOSITIONS
    if before in SUBJECTS:
        return words.is_word(at)
    if not at or not words.is_word(at) or not (word.endswith("s") or before.endswith("s")):
        return False
    return plausible(_context(words, at), "v", "s" if word.endswith("s") else "base")


def _context(words: Words, at: int) -> list[str]:
    """Return three words before, the word and two after; marks leave empty strings."""
    found = []
    for place in range(at - 3, at + 3):
        inside = 0 <= place < len(words) and words.is_word(place)
        found.append(words.plain[place] if inside else "")
    return found
