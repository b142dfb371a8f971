"""The part of speech of a word: one small tagger for everybody who asks *adjective?*, *adverb?* or *noun?*.

It knows the function words, a list of adjectives, and the endings that English gives its parts of speech. It is right
often enough to tell what may be left out of a sentence, and takes microseconds.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from unslant.text.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BE,
    CONJUNCTIONS,
    DEGREES,
    DETERMINERS,
    HAVE,
    INDEFINITE,
    LINKING,
    MODALS,
    NO_ADVERBS,
    NOUN_ENDINGS,
    OBJECT_PRONOUNS,
    PASTS,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
    SHORT_PASTS,
    SUBJECTS,
    THE,
)
from unslant.text.words import Words


class WordTag(StrEnum):
    """What a word or mark is."""

    EDGE = "edge"
    MARK = "mark"
    NUMBER = "number"
    NAME = "name"
    ARTICLE = "article"
    DETERMINER = "determiner"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    MODAL = "modal"
    BE = "be"
    HAVE = "have"
    LINKING = "linking"
    SUBJECT = "subject"
    OBJECT = "object"
    TO = "to"
    DEGREE = "degree"
    ADVERB = "adverb"
    ADJECTIVE = "adjective"
    PARTICIPLE = "participle"
    """Ends with *-ed*, or is an irregular past."""
    GERUND = "gerund"
    PLURAL = "plural"
    """Ends with *-s*: a noun of many, or a verb of one."""
    NOUN = "noun"
    """Anything else: mostly a noun, or the bare form of a verb."""


_CLOSED = (
    (WordTag.ARTICLE, INDEFINITE | THE),
    (WordTag.TO, frozenset(("to",))),
    (WordTag.DEGREE, DEGREES),
    (WordTag.BE, BE),
    (WordTag.HAVE, HAVE),
    (WordTag.MODAL, MODALS),
    (WordTag.DETERMINER, DETERMINERS),
    (WordTag.SUBJECT, SUBJECTS),
    (WordTag.OBJECT, OBJECT_PRONOUNS),
    (WordTag.CONJUNCTION, CONJUNCTIONS),
    (WordTag.PREPOSITION, PREPOSITIONS),
    (WordTag.ADVERB, ADVERBS),
    (WordTag.LINKING, LINKING),
    (WordTag.ADJECTIVE, ADJECTIVES),
    (WordTag.PARTICIPLE, PASTS | SHORT_PASTS),
)
"""Words that are listed; where a word is in two lists, the first one counts."""
_SHORTEST = 4
"""An ending tells nothing about a word that is hardly longer."""


def is_adverb(word: str) -> bool:
    """Return whether a word in lower case is an adverb: it is listed, or ends with *-ly* and is no *family*."""
    return word in ADVERBS or (word.endswith("ly") and len(word) > _SHORTEST and word not in NO_ADVERBS)


def is_adjective(word: str) -> bool:
    """Return whether a word in lower case is surely an adjective, listed or by its ending."""
    return word in ADJECTIVES or (word.endswith(ADJECTIVE_ENDINGS) and len(word) > _SHORTEST)


@lru_cache(16_384)
def word_tag(word: str) -> WordTag:
    """Return what a word in lower case most likely is by itself."""
    for found, listed in _CLOSED:
        if word in listed:
            return found
    if any(char.isdigit() for char in word):
        return WordTag.NUMBER
    if not (word[0].isalnum() or word[0] == "_"):
        return WordTag.MARK
    if is_adverb(word):
        return WordTag.ADVERB
    long = len(word) > _SHORTEST
    if is_adjective(word) or (
        long and word.endswith(PERHAPS_ADJECTIVE_ENDINGS) and not word.endswith(NOUN_ENDINGS)
    ):
        return WordTag.ADJECTIVE
    if long and word.endswith("ed"):
        return WordTag.PARTICIPLE
    if long and word.endswith("ing"):
        return WordTag.GERUND
    return WordTag.PLURAL if word.endswith("s") and not word.endswith("ss") else WordTag.NOUN


@lru_cache(512)
def tags(words: Words) -> tuple[WordTag, ...]:
    """Return what each word is where it stands; a capital within a sentence makes a name."""
    found = []
    inside = False
    for word, written in zip(words.plain, words.written, strict=True):
        name = inside and written[0].isupper() and word != "i"
        found.append(WordTag.NAME if name else word_tag(word))
        inside = written[0].isalnum() or written[0] == "_"
    return tuple(found)


def tag(words: Words, at: int) -> WordTag:
    """Return what a word is where it stands."""
    found = tags(words)
    return found[at] if 0 <= at < len(found) else WordTag.EDGE
