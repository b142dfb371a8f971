"""Frames: what must follow a term for the rule's sense of it to hold.

*He claimed that the roof was sound* reports speech; *the storm claimed three lives* does not. A term that ends in
``{statement}`` matches only the first. Like the part-of-speech check, a frame is a heuristic over a few words, but it
answers no when it cannot tell: a word in another sense must stay untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from unslant.text.function_words import (
    ADVERBS,
    ARTICLES,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION,
    HAVE,
    MODALS,
    OBJECTS,
    PARTICLES,
    PASTS,
    PREPOSITIONS,
    SUBJECTS,
)

if TYPE_CHECKING:
    from unslant.rules.automaton import Tokens

_REACH = 9
"""The words after a term among which the verb of a statement is looked for."""
_NUMBERS = frozenset(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred thousand million billion trillion".split()
)
_SUBJECTS = SUBJECTS - {"who", "which"} | {"there", "this", "these", "those", "that", "both"}
_STOPS = frozenset("who which whom whose to and or but because if when while".split())
_OUGHT = frozenset(("must", "should", "ought"))
"""With these, whoever insists makes a demand."""
_CLAIMED = frozenset(
    "responsibility credit victory benefits lives asylum ownership independence title titles territory jurisdiction "
    "innocence immunity privilege expenses refund refunds damages compensation sovereignty".split()
)
"""What is claimed without a word: *an effort to claim fiscal responsibility*."""
_SINGULAR = frozenset(("he", "she", "it"))
_DO = frozenset(
    "live sleep wait work pay need vote want die earn suffer stay eat lack struggle deserve receive spend speak".split()
)
"""Verbs that say what people do: *the homeless sleep in the station*."""
_NOT = frozenset(("not", "never", "n't"))
_CLOSERS = tuple(",.;:!?\"'\u201d\u2019")


def fits(frame: str, tokens: Tokens, first: int, last: int) -> bool:
    """Return whether a frame holds around the words from the first to the last."""
    return FRAMES[frame](tokens, first, last)


def _statement(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether these words report a statement, as a clause or as direct speech, and not a demand."""
    if tokens.words[first].startswith("insist") and not _OUGHT.isdisjoint(tokens.words[last : last + _REACH]):
        return False
    if tokens.words[last] == "that":
        # "insisted that any deal include the islands" is a demand, whoever makes it
        stated = not tokens.words[first].startswith("insist") or _has_verb(tokens, last + 1)
        return stated and not _demands(tokens, last + 1)
    at = last + 1
    after = tokens.gap(at) if at < len(tokens) else tokens.text[tokens.spans[last][1] :]
    if after.strip():
        return _quotes(after) or (after.lstrip().startswith(_CLOSERS) and _closes_speech(tokens, first))
    if at == len(tokens):
        return _closes_speech(tokens, first)
    while at + 1 < len(tokens) and _is_adverb(tokens.words[at]) and tokens.follows_directly(at + 1):
        at += 1
    if tokens.words[at] == "that" and at + 1 < len(tokens):
        return (_has_verb(tokens, at + 1) or _quotes(tokens.gap(at + 1))) and not _demands(tokens, at + 1)
    if tokens.words[at] in PREPOSITIONS or tokens.words[at] in _STOPS:
        return False
    if tokens.words[first].startswith("claim") and not _CLAIMED.isdisjoint(tokens.words[at : at + 3]):
        return False
    return _has_verb(tokens, at) and not _demands(tokens, at)


def _quotes(gap: str) -> bool:
    return any(mark in gap for mark in '"\u201c\u2018') or " '" in gap


def _closes_speech(tokens: Tokens, first: int) -> bool:
    """Return whether speech ends, or *as* points at it, shortly before: *the roof is sound, the owner claims*."""
    near = range(max(1, first - 4), first + 1)
    return "as" in tokens.words[max(0, first - 4) : first] or any(
        mark in tokens.gap(at) for at in near for mark in (",", "\u201d", '"')
    )


def _has_verb(tokens: Tokens, start: int) -> bool:
    """Return whether a subject and its verb follow: *the vote was close*, but not *three lives*."""
    words = tokens.words
    for at in range(start, min(start + _REACH, len(tokens))):
        if at > start and not tokens.follows_directly(at):
            return False
        word = words[at]
        if at > start and (word in BE or word in HAVE or word in MODALS or word in PASTS):
            return True
        if at > start and word.endswith("ed") and len(word) > 4 and _ends_subject(words[at - 1]):
            return True
        if at > start and _ends_subject(words[at - 1]) and words[at - 1] in _SUBJECTS:
            return not word.endswith("ing") and word not in PREPOSITIONS and word not in CONJUNCTIONS
        if word in _STOPS:
            return False
    # "claimed voters support the plan": a bare plural, and a verb that has an object of its own
    return (
        start + 2 < len(tokens)
        and words[start].endswith("s")
        and words[start] not in DETERMINERS
        and words[start + 2] in DETERMINERS
        and tokens.follows_directly(start + 1)
        and words[start + 1] not in PREPOSITIONS
    )


def _ends_subject(word: str) -> bool:
    return word not in DETERMINERS and word not in PREPOSITIONS and word not in CONJUNCTIONS


def _demands(tokens: Tokens, start: int) -> bool:
    """Return whether a clause is in the subjunctive: *that the door be left open*, *that he leave*."""
    words = tokens.words
    for at in range(start, min(start + _REACH, len(tokens))):
        word = words[at]
        before = words[at - 1]
        if word == "be" and before not in MODALS and before not in ("to", "not"):
            return True
        if word in BE or word in HAVE or word in MODALS or word in PASTS or word == "to":
            return False
        if before in _SINGULAR and at > start and not _is_adverb(word) and word not in _NOT:
            return not word.endswith(("s", "ed"))
    return False


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4)


def _number(tokens: Tokens, _: int, last: int) -> bool:
    """Return whether a number follows: *a staggering 40 million pounds*."""
    at = last + 1
    if at >= len(tokens):
        return False
    gap = tokens.gap(at).strip()
    word = tokens.words[at]
    return gap in ("", "$", "\u00a3", "\u20ac", "US$") and (word[0].isdigit() or word in _NUMBERS)


def _aside(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether the words comment on the whole sentence: *Naturally, the toll failed*."""
    at = last + 1
    if at >= len(tokens) or "," not in tokens.gap(at):
        return False
    return first == 0 or "," in tokens.gap(first) or tokens.words[first - 1] in CONJUNCTIONS


def _alone(tokens: Tokens, _: int, last: int) -> bool:
    """Return whether no noun follows to describe: *the disabled often vote*, but not *the disabled valve*."""
    at = last + 1
    if at >= len(tokens) or not tokens.follows_directly(at):
        return True
    word = tokens.words[at]
    if word in FUNCTION - DETERMINERS or word in ARTICLES or word in PASTS or word in _DO or _is_adverb(word):
        return True
    later = tokens.words[at + 1] if at + 1 < len(tokens) and tokens.follows_directly(at + 1) else ""
    # a verb that has an object of its own: "the disabled receive a pension"
    return later in DETERMINERS or later in OBJECTS or later in PARTICLES


def _noun(tokens: Tokens, first: int, last: int) -> bool:
    """Return whether a noun follows that the words describe."""
    return not _alone(tokens, first, last)


FRAMES: Mapping[str, Callable[[Tokens, int, int], bool]] = {
    "statement": _statement,
    "number": _number,
    "aside": _aside,
    "noun": _noun,
    "alone": _alone,
}
"""The test of each frame, by its name."""
