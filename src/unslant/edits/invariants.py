"""What no edit may touch: markup, quotations, links, what a sentence states, what tells things apart, and its grammar.

``protected.toml`` holds the words and the patterns; this file knows only how to match them. To add an invariant, add a
line there, or a function to one of the two lists at the end.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from importlib.resources import files
from itertools import pairwise
from operator import and_, or_
from typing import Any

from unslant.core.types import Edit, Sentence, Span
from unslant.edits.types import Proposal, Reason, Source
from unslant.edits.wordings import listed
from unslant.rules.compiled import paired_rules
from unslant.rules.pos import plausible
from unslant.text.function_words import DETERMINERS, FUNCTION, INDEFINITE, PREPOSITIONS, SUBJECTS
from unslant.text.tagger import WordTag, is_adverb, tag, tags
from unslant.text.tidy import indefinite_article
from unslant.text.words import Words, split_words

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SPECIAL = re.compile(rf"[<>&\[\]{{}}|*_`~\\=#^]|{_CONTROL.pattern}")
_LINE_END = re.compile(r"\r\n?|\n")
_MARKS = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_QUOTED = (re.compile('"[^"]*"'), re.compile(r"``.*?(?:''|$)", re.DOTALL))
"""A quotation within a sentence, also in the marks of tokenized text."""
_OPENING = ("\u201c", "\u201e", "\u00ab")
_INNER = re.compile(r"[-\u2010\u2011'\u2019][^\W\d_a-z]")
"""A capital within a word: *anti-Catholic*, *O'Neil*; letters beyond the alphabet count too."""
_REACH = 200
"""How far from an edit the brackets of a link are looked for."""
_NEVER = "(?!)"
_START, _END, _PLACE, _WORD = "^", "$", "_", "WORD"
_NEAR = 5
_LONGEST = 4
"""How many words a wrong order has at most."""
_BESIDE = 3
"""How many words apart a repeated word is noticed."""
_PAIRED = frozenset('()[]{}"')
_SIGN = re.compile(r"[\d%\u2030\u00b0$\u20ac\u00a3\u00a5@]|http|www")
"""What a text has in which a pattern of a fact can match."""


@lru_cache(1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.edits").joinpath("protected.toml").read_text("utf-8"))


# --- facts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fact:
    """A kind of statement that is counted before and after an edit."""

    words: frozenset[str]
    pattern: re.Pattern[str]
    any: bool
    never: bool
    review: bool
    contraction: str
    described: str
    whole: tuple[str, ...]

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> _Fact:
        return cls(
            frozenset(entry["words"].split()),
            re.compile(entry.get("pattern", _NEVER)),
            entry.get("any", False),
            entry.get("never", False),
            entry.get("review", False),
            entry.get("contraction", "\0"),
            entry.get("described", ""),
            tuple(entry.get("unless", "\0").split()),
        )

    def states(self, word: str) -> Iterator[str]:
        """Yield what a word states; where one word may stand for another, all state the same."""
        parts = [word] if word.startswith(self.whole) else word.split("-")
        found = [part for part in parts if part in self.words]
        yield from [""] * len(found) if self.any else found
        if word.endswith(self.contraction):
            yield "not"


@lru_cache(1)
def _facts() -> Mapping[str, _Fact]:
    return {name: _Fact.read(entry) for name, entry in _data()["facts"].items()}


@lru_cache(16_384)
def _stated_by(word: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, part) for name, fact in _facts().items() for part in fact.states(word))


def _stated(words: Words, first: int, end: int, around: str) -> list[tuple[str, str]]:
    """Return what some words of a sentence state, and the signs in the text around them."""
    plain = words.plain
    found = [each for word in plain[first:end] for each in _stated_by(word)]
    if _SIGN.search(around):
        found += [(name, sign) for name, fact in _facts().items() for sign in fact.pattern.findall(around)]
    for at, word in enumerate(plain[first : end + 1], first):
        if at and word in _described() and plain[at - 1] in DETERMINERS:
            found.append((_described()[word], word))
    return sorted(found)


@lru_cache(1)
def _described() -> Mapping[str, str]:
    return {fact.described: name for name, fact in _facts().items() if fact.described}


@lru_cache(256)
def changed_fact(before: str, after: str) -> str | None:
    """Return the kind of statement that differs between two sentences, or None; names come before degrees."""
    place = _changed_place(before, after)
    old, new = _around(before, after)
    was = _stated(place.old, place.first, place.old_end, old)
    now = _stated(place.new, place.first, place.new_end, new)
    differ = [name for name in _facts() if _of(name, was) != _of(name, now)] if was != now else []
    stated = [name for name in differ if not _facts()[name].review]
    return next(iter(stated or (("name",) if _changes_name(place) else differ)), None)


def _of(name: str, stated: Sequence[tuple[str, str]]) -> list[str]:
    return [what for kind, what in stated if kind == name]


def _around(before: str, after: str) -> tuple[str, str]:
    """Return the parts of two texts that differ, up to the spaces around them: no sign crosses a space."""
    start = _alike(before, after)
    end = _alike(before[start:][::-1], after[start:][::-1])
    first = before.rfind(" ", 0, start) + 1
    end -= len(before[len(before) - end :].partition(" ")[0])
    return before[first : len(before) - end], after[first : len(after) - end]


def _alike(text: str, other: str) -> int:
    """Return how many letters two texts have in common at their start."""
    least, most = 0, min(len(text), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if text[:middle] == other[:middle] else (least, middle - 1)
    return least


def _changes_name(place: _ChangedPlace) -> bool:
    """Return whether a name goes or comes."""
    old, new = place.old.written, place.new.written
    first = place.first if old[: place.first] == new[: place.first] else 0
    behind = 0 if old[place.old_end :] == new[place.new_end :] else len(old) - place.old_end
    changed = old[first : place.old_end + behind] + new[first : place.new_end + behind]
    if not any(word[0].isupper() or _INNER.search(word) for word in changed):
        return False
    return bool(_names(place.old) - Counter(new) or _names(place.new) - Counter(old))


def _names(words: Words) -> Counter[str]:
    """Count words written like names: with a capital that their place does not ask for, also after a hyphen."""
    return Counter(
        word
        for at, word in enumerate(words.written)
        if words.plain[at] != "i" and ((word[0].isupper() and not _opens(words, at)) or _INNER.search(word))
    )


def _opens(words: Words, at: int) -> bool:
    """Return whether a capital is due here: at the start of the sentence or of a quotation, unless a name goes on."""
    if len(words.written[at]) > 1 and words.written[at].isupper():
        return False
    before = words.text[: words.spans[at][0]]
    quoted = before.endswith(_OPENING) or (before.endswith('"') and not before[:-1].rstrip("(")[-1:].strip())
    if before.strip() and not quoted:
        return False
    follows = at + 1 < len(words) and words.written[at + 1][0].isupper()
    return not (follows and words.plain[at] not in FUNCTION)


# --- patterns --------------------------------------------------------------------------------------------------------


_Token = tuple[str, WordTag]
"""A word in lower case, and what it is."""


def _token(words: Words, at: int) -> _Token:
    if 0 <= at < len(words.plain):
        return words.plain[at], tags(words)[at]
    return (_START if at < 0 else _END), WordTag.EDGE


class _Expression:
    """What a word may be: ``a|B-C`` is *a* or one of class B, but none of class C."""

    def __init__(self, written: str) -> None:
        wanted, *unwanted = written.split("-")
        self._wanted = [_Alternative(part) for part in wanted.split("|")]
        self._unwanted = [_Alternative(part) for part in unwanted]
        self._known: dict[_Token, bool] = {}

    def fits(self, token: _Token) -> bool:
        found = self._known.get(token)
        if found is None:
            found = any(each.matches(*token) for each in self._wanted)
            found = found and not any(each.matches(*token) for each in self._unwanted)
            self._known[token] = found
        return found

    def matches(self, words: Words, at: int) -> bool:
        return self.fits(_token(words, at))


class _Alternative:
    """A word, a class of words, or a tag."""

    def __init__(self, name: str) -> None:
        self._tag = name.lower() if name in WordTag.__members__ else ""
        self._word = name == _WORD
        if name == "FUNCTION":
            words = [*FUNCTION]
        elif name == "LISTED":
            words = [*listed().adjectives]
        else:
            words = _data()["classes"].get(name, name).split()
        self._words = frozenset(words)
        self._starts = tuple(word[:-1] for word in words if len(word) > 1 and word.endswith("*"))
        self._ends = tuple(word[1:] for word in words if len(word) > 1 and word.startswith("*"))

    def matches(self, word: str, tagged: WordTag) -> bool:
        if self._word:
            return tagged not in (WordTag.MARK, WordTag.EDGE)
        if self._tag and tagged == self._tag:
            return True
        return (
            word in self._words or word.startswith(self._starts or "\0") or word.endswith(self._ends or "\0")
        )


@lru_cache(512)
def _expression(written: str) -> _Expression:
    return _Expression(written)


class _ChangedPlace:
    """An edit among the words of its sentence, before and after."""

    def __init__(self, before: str, after: str) -> None:
        self.old, self.new = split_words(before), split_words(after)
        old, new = self.old.plain, self.new.plain
        shorter, start, end = min(len(old), len(new)), 0, 1
        while start < shorter and old[start] == new[start]:
            start += 1
        while end <= shorter - start and old[-end] == new[-end]:
            end += 1
        self.old_end, self.new_end = len(old) - end + 1, len(new) - end + 1
        # a changed article belongs to the words that stay
        if start < min(self.old_end, self.new_end) and {old[start], new[start]} == INDEFINITE:
            start += 1
        self.first = start
        """The first word that goes; in the new sentence the first that comes."""
        self.gone, self.come = range(start, self.old_end), range(start, self.new_end)
        self.left_out = [at for at in self.gone if self.old.is_word(at)]
        """Those that go and are words, not marks."""
        self.put_in = [at for at in self.come if self.new.is_word(at)]


_changed_place = lru_cache(256)(_ChangedPlace)
_Test = Callable[[_ChangedPlace, "Proposal"], bool]


class _RefusedEdit:
    """An entry of the file: edits that are refused where certain words stand around them."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        before, _, after = f" {entry.get('at', _PLACE)} ".partition(f" {_PLACE} ")
        self._before = [_expression(part) for part in reversed(before.split())]
        self._after = [_expression(part) for part in after.split()]
        self._tests = [make(entry) for key, make in _TESTS.items() if key in entry]
        self._deletes = entry.get("deletes", False if {"replaces", "single", "put"} & entry.keys() else None)
        self._wanted = {
            role: _expression(entry[role]) for role in ("gone", "unless_gone", "last", "put") if role in entry
        }
        self._wanted |= {role: words[0] for role, words in (("^", self._before), ("$", self._after)) if words}
        self.reason = Reason(entry.get("reason", Reason.DISTINCTION))

    def allows(self, role: str, token: _Token | None) -> bool:
        """Return whether the entry may hold if this word, or none, has a role in the edit."""
        if role == "put" and self._deletes is not None and self._deletes != (token is None):
            return False
        wanted = self._wanted.get(role)
        return wanted is None or (token is not None and wanted.fits(token)) != (role == "unless_gone")

    def holds(self, place: _ChangedPlace, proposal: Proposal) -> bool:
        """Return whether an entry that may hold does."""
        return (
            all(test(place, proposal) for test in self._tests)
            and all(
                each.matches(place.new, place.first - 2 - back) for back, each in enumerate(self._before[1:])
            )
            and all(
                each.matches(place.new, place.new_end + 1 + on) for on, each in enumerate(self._after[1:])
            )
        )


def _some(
    key: str, where: Callable[[_ChangedPlace, int], tuple[Words, Iterable[int]]]
) -> Callable[..., _Test]:
    """Return what makes a test for one of the words in a place that fits what the entry says."""

    def make(entry: Mapping[str, Any]) -> _Test:
        wanted, reach = _expression(entry[key]), entry.get("reach", _NEAR)

        def test(place: _ChangedPlace, _: Proposal) -> bool:
            words, places = where(place, reach)
            return any(wanted.matches(words, at) for at in places if 0 <= at < len(words))

        return test

    return make


def _later(entry: Mapping[str, Any]) -> _Test:
    rows = [[_expression(part) for part in row.split()] for row in entry["later"].split(" / ")]
    return lambda place, _: any(
        all(wanted.matches(place.new, start + on) for on, wanted in enumerate(row))
        for row in rows
        for start in range(place.new_end, len(place.new))
    )


def _puts_phrase(place: _ChangedPlace, _: Proposal) -> bool:
    inside = place.new.plain[place.first + 1 : place.new_end - 1]
    return not PREPOSITIONS.isdisjoint(inside) and PREPOSITIONS.isdisjoint(
        place.old.plain[place.first : place.old_end]
    )


def _takes_commas(place: _ChangedPlace, _: Proposal) -> bool:
    taken = place.old.plain[place.first : place.old_end]
    return bool(taken) and taken[0] == "," == taken[-1]


_TESTS: Mapping[str, Callable[[Mapping[str, Any]], _Test]] = {
    "sources": lambda entry: lambda _, proposal: proposal.source in entry["sources"],
    "rules": lambda entry: lambda _, proposal: proposal.finding.rule in entry["rules"],
    "replaces": lambda _: lambda place, _: bool(place.come and place.gone),
    "alone": lambda _: lambda place, _: len(place.left_out) == 1,
    "single": lambda _: lambda place, _: len(place.put_in) == 1,
    "put_phrase": lambda _: _puts_phrase,
    "takes_commas": lambda _: _takes_commas,
    "later": _later,
    "before": _some("before", lambda place, reach: (place.new, range(place.first - reach, place.first))),
    "after": _some("after", lambda place, reach: (place.new, range(place.new_end, place.new_end + reach))),
    "anywhere": _some(
        "anywhere",
        lambda place, _: (place.new, (*range(place.first), *range(place.new_end, len(place.new)))),
    ),
}
"""What an entry may state beside the words at the edges, by its key."""


@lru_cache(1)
def _refused() -> tuple[_RefusedEdit, ...]:
    return tuple(map(_RefusedEdit, _data()["refused"]))


@lru_cache(65_536)
def _allowed(role: str, token: _Token | None) -> int:
    """Return the entries that may hold if a word has a role in the edit, each as a bit: few are left to be tested."""
    return sum(1 << number for number, each in enumerate(_refused()) if each.allows(role, token))


def _in_pattern(place: _ChangedPlace, proposal: Proposal) -> Reason | None:
    """Refuse what the entries of the file refuse."""
    gone: list[_Token | None] = [_token(place.old, at) for at in place.gone] or [None]
    possible = (
        _allowed("^", _token(place.new, place.first - 1))
        & _allowed("$", _token(place.new, place.new_end))
        & _allowed("last", _token(place.old, place.left_out[-1]) if place.left_out else None)
        & _allowed("put", _token(place.new, place.put_in[0]) if place.put_in else None)
        & reduce(or_, (_allowed("gone", token) for token in gone))
        & reduce(and_, (_allowed("unless_gone", token) for token in gone))
    )
    while possible:
        lowest = possible & -possible
        entry = _refused()[lowest.bit_length() - 1]
        if entry.holds(place, proposal):
            return entry.reason
        possible -= lowest
    return None


# --- what tells things apart -----------------------------------------------------------------------------------------


@lru_cache(1)
def _opposites() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in (frozenset(line.split()) for line in _data()["told_apart"]["opposites"]):
        found |= {word: found.get(word, frozenset()) | line - {word} for word in line}
    return found


@lru_cache(1)
def mirrored() -> Mapping[str, str]:
    """Return the names of groups, each with the one that stands for it and its mirror images."""
    lines = (line.split() for line in _data()["told_apart"]["mirrored"])
    return {word: line[0] for line in lines for word in line}


def _tells_apart(place: _ChangedPlace, _: Proposal) -> Reason | None:
    """Refuse to change words that tell one thing from another: *the far-right party … the far-left party*."""
    old, words = place.old, place.old.plain
    kept = place.new.plain[place.first : place.new_end]
    gone = [words[at] for at in place.left_out if words[at] not in kept]
    others = [*words[: place.first], *words[place.old_end :]]
    opposite = [other for word in gone for other in _opposites().get(word, ())]
    if opposite and any(word.removesuffix("'s") in opposite for word in others):
        return Reason.DISTINCTION
    if place.put_in:
        return None
    for word in gone:
        if word not in others:
            continue
        if word not in FUNCTION and not is_adverb(word):
            return Reason.DISTINCTION
        if any(
            words[at] == word and words[at - 1] in _words("order", "compares")
            for at in range(place.old_end + 1, len(old))
        ):
            return Reason.DISTINCTION
    following = place.old_end
    if following >= len(old) or not old.is_word(following) or words[following] in FUNCTION:
        return None
    head = _singular(words[following])
    if others.count(head) + others.count(f"{head}s") == 1:
        return None
    modified = (
        at > 0 and old.is_word(at - 1) and words[at - 1] not in FUNCTION
        for at in range(len(old))
        if at != following and at not in place.gone and old.is_word(at) and _singular(words[at]) == head
    )
    return Reason.DISTINCTION if any(modified) else None


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


@lru_cache(16)
def _words(table: str, key: str) -> frozenset[str]:
    return frozenset(_data()[table][key].split())


def _in_idiom(place: _ChangedPlace, _: Proposal) -> Reason | None:
    text = f" {' '.join(place.old.plain[max(0, place.first - _LONGEST) : place.old_end + _LONGEST])} "
    for idiom in _data()["told_apart"]["idioms"]:
        if f" {idiom} " in text:
            words = idiom.split()
            for at in range(max(0, place.first - len(words) + 1), place.old_end):
                if place.old.plain[at : at + len(words)] == words:
                    return Reason.DISTINCTION
    return None


def _takes_side(place: _ChangedPlace, _: Proposal) -> Reason | None:
    """Refuse to put in the word of one side."""
    come = _words("told_apart", "one_sided").intersection(place.new.plain[place.first : place.new_end])
    return Reason.SIDE if come.difference(place.old.plain) else None


# --- grammar ---------------------------------------------------------------------------------------------------------


@lru_cache(1)
def _wrong_orders() -> tuple[tuple[_Expression, ...], ...]:
    return tuple(tuple(map(_expression, line.split())) for line in _data()["order"]["wrong"])


def _wrong_in(words: Words, first: int, end: int) -> Counter[int]:
    """Count the orders of words that English does not have, around some words."""
    found: Counter[int] = Counter()
    tokens = [
        _token(words, at) for at in range(max(-1, first - _LONGEST + 1), min(end + _LONGEST, len(words) + 1))
    ]
    for start, (token, following) in enumerate(pairwise(tokens)):
        begun = _begins(token) & _goes_on(following)
        for number, (_, _, *rest) in enumerate(_wrong_orders()) if begun else ():
            behind = tokens[start + 2 : start + 2 + len(rest)]
            if begun >> number & 1 and len(behind) == len(rest) and all(map(_Expression.fits, rest, behind)):
                found[number] += 1
    return found


@lru_cache(16_384)
def _begins(token: _Token) -> int:
    """Return the wrong orders that a word may begin, each as a bit."""
    return sum(1 << number for number, order in enumerate(_wrong_orders()) if order[0].fits(token))


@lru_cache(16_384)
def _goes_on(token: _Token) -> int:
    return sum(1 << number for number, order in enumerate(_wrong_orders()) if order[1].fits(token))


def _wrong_order(place: _ChangedPlace) -> bool:
    wrong = _wrong_in(place.new, place.first, place.new_end)
    return bool(wrong and wrong - _wrong_in(place.old, place.first, place.old_end))


def _says_twice(place: _ChangedPlace) -> bool:
    """Refuse a word beside itself: *the estate tax (estate tax)*."""
    new, words = place.new, place.new.plain
    for at in range(max(1, place.first), min(place.new_end + 1, len(new))):
        if (
            words[at] == words[at - 1]
            and new.is_word(at)
            and words[at] not in _words("order", "twice_is_fine")
        ):
            return True
    beside = (
        words[max(0, place.first - _BESIDE) : place.first] + words[place.new_end : place.new_end + _BESIDE]
    )
    put = words[place.first : place.new_end]
    return any(len(word) > _BESIDE and word in beside and word not in FUNCTION for word in put)


def _wrong_article(place: _ChangedPlace) -> bool:
    for at in (place.first - 1, place.first, place.new_end - 1):
        if 0 <= at < len(place.new) - 1 and place.new.plain[at] in INDEFINITE:
            following = place.new.written[at + 1]
            if following[0].isalpha() and indefinite_article(following) != place.new.plain[at]:
                return True
    return False


def _unpaired(place: _ChangedPlace) -> bool:
    """Refuse a bracket or a quotation mark without its partner, and a sentence without a word or a verb."""
    changed = (*place.old.plain[place.first : place.old_end], *place.new.plain[place.first : place.new_end])
    if not _PAIRED.isdisjoint(changed):
        for opening, closing in ("()", "[]", "{}", '""'):
            odd = [
                words.plain.count(opening) - words.plain.count(closing) or words.plain.count('"') % 2
                for words in (place.old, place.new)
            ]
            if odd[0] != odd[1]:
                return True
    if not any(map(place.new.is_word, range(len(place.new)))):
        return True
    verbs = _verbs(place.old)
    # what stands so far from the edit has the same words around it as before
    apart = any(at + _BESIDE <= place.first or at - _BESIDE >= place.old_end for at in verbs)
    return bool(verbs) and not apart and not any(_is_verb(place.new, at) for at in range(len(place.new)))


@lru_cache(256)
def _verbs(words: Words) -> list[int]:
    return [at for at in range(len(words)) if _is_verb(words, at)]


def _is_verb(words: Words, at: int) -> bool:
    """Return whether a word is surely or probably a verb with a subject."""
    tagged = tag(words, at)
    if tagged in (WordTag.BE, WordTag.HAVE, WordTag.MODAL, WordTag.LINKING):
        return True
    if tagged is WordTag.ADVERB:
        return False
    before = words.plain[at - 1] if at else ""
    if tagged is WordTag.PARTICIPLE:
        return "-" not in words.plain[at] and before not in DETERMINERS and before not in PREPOSITIONS
    if before in SUBJECTS:
        return words.is_word(at)
    if not at or not words.is_word(at) or not (words.plain[at].endswith("s") or before.endswith("s")):
        return False
    context = [
        words.plain[near] if 0 <= near < len(words) and words.is_word(near) else ""
        for near in range(at - 3, at + 3)
    ]
    return plausible(context, "v", "s" if words.plain[at].endswith("s") else "base")


def _loses_verb(place: _ChangedPlace) -> bool:
    """Refuse to leave out a verb and keep its subject or object: *critics blasted the plan*."""
    if place.put_in or len(place.gone) > _BESIDE:
        return False
    return any(at in place.gone for at in _verbs(place.old))


def _loses_subject(place: _ChangedPlace) -> bool:
    """Refuse to leave out a subject and keep its verb: *critics argue that …*."""
    if place.put_in or place.first or not place.left_out or place.old_end >= len(place.old):
        return False
    last = tag(place.old, place.left_out[-1])
    followed = place.left_out[-1] + 1 == place.old_end
    return (
        followed
        and last in (WordTag.PLURAL, WordTag.SUBJECT, WordTag.NAME)
        and _is_verb(place.old, place.old_end)
    )


_GRAMMAR = (_loses_verb, _loses_subject, _wrong_order, _says_twice, _wrong_article, _unpaired)
_MEANING = (_tells_apart, _in_idiom, _takes_side, _in_pattern)
"""What is asked of every edit; the first that finds something decides."""


def broken(before: str, after: str) -> bool:
    """Return whether several edits together break a sentence that was whole."""
    place = _changed_place(before, after)
    return _wrong_order(place) or _unpaired(place)


def refusal(proposal: Proposal) -> Reason | None:
    """Return why an edit is not offered, or only to review; None: nothing speaks against it."""
    before, after = proposal.target.text, proposal.after
    if _cuts_word(before, proposal.tidied):
        return Reason.WORD
    place = _changed_place(before, after)
    if any(ask(place) for ask in _GRAMMAR):
        return Reason.BROKEN
    for distinguish in _MEANING:
        found = distinguish(place, proposal)
        if found is not None:
            return found
    name = changed_fact(before, after)
    if name is None:
        return None
    fact = _facts().get(name)
    if fact is not None and fact.review:
        return Reason.DEGREE
    # a label that one side gives the other states no fact, though it may say "fake" or "hoax"
    label = proposal.finding.rule in paired_rules()
    by_rule = proposal.source is Source.RULE and (fact is None or not fact.never or label)
    return Reason.STATED if by_rule else Reason.FACT


def _cuts_word(text: str, edit: Edit) -> bool:
    """Return whether an edge of the edit lies within a word, hyphens included."""
    removed = text[edit.start : edit.end]
    before, following = text[edit.start - 1 : edit.start], text[edit.end : edit.end + 1]
    left = (_inner(before) or before in ("'", "\u2019")) and _inner(removed[:1])
    left = bool(before) and left and not edit.replacement[:1].isspace()
    right = _inner(following) and _inner(removed[-1:]) and not edit.replacement[-1:].isspace()
    return bool(left or right)


def _inner(char: str) -> bool:
    return bool(char) and (char.isalnum() or char in "-\u2010\u2011_")


# --- markup, quotations, links ---------------------------------------------------------------------------------------


def untouchable(proposal: Proposal) -> Reason | None:
    """Return why an edit can only be shown: it would touch markup, a quotation or a link."""
    target, edit = proposal.target, proposal.tidied
    document = target.sentence.document
    removed, wording = target.masked[edit.start : edit.end], edit.replacement
    beside = target.masked[edit.start - 1 : edit.start] + target.masked[edit.end : edit.end + 1]
    empties = not wording.strip() and beside in ("\0", "\0\0")
    unsafe = _CONTROL if document.format == "text" else _SPECIAL
    if "\0" in removed or empties:
        return Reason.MARKUP
    if _LINE_END.findall(removed) != _LINE_END.findall(wording):
        return Reason.LINE
    if set(unsafe.findall(wording)) - set(removed):
        return Reason.MARKUP
    if _quoted(target.sentence, edit) or _MARKS.findall(wording) != _MARKS.findall(removed):
        return Reason.QUOTATION
    return Reason.LINK if _linked(target.sentence, edit) else None


def _clip(spans: Sequence[Span], sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the parts of ordered spans that lie in a sentence, by offsets from its start."""
    own = sentence.span
    for other in spans[bisect_right(spans, own.start, key=lambda each: each.end) :]:
        if other.start >= own.end:
            break
        yield max(other.start, own.start) - own.start, min(other.end, own.end) - own.start


def _quoted(sentence: Sentence, edit: Edit) -> bool:
    text = sentence.text
    found = [*_clip(sentence.document.quotations, sentence)]
    if '"' in text or "``" in text:
        found += [match.span() for pattern in _QUOTED for match in pattern.finditer(text)]
    return any(edit.start < end and start < edit.end for start, end in found)


def _linked(sentence: Sentence, edit: Edit) -> bool:
    """Return whether the words are an address, or the name by which a link finds its target."""
    document = sentence.document
    if any(start < edit.end and edit.start < end for start, end in _clip(document.hidden, sentence)):
        return True
    if document.format not in ("markdown", "wikitext"):
        return False
    source = document.source
    start, end = sentence.span.start + edit.start, sentence.span.start + edit.end
    opening = source.rfind("[", max(0, start - _REACH), start)
    closing = source.find("]", end, end + _REACH)
    if opening < 0 or closing < 0:
        return False
    inside = source[opening + 1 : closing]
    if "]" in source[opening:start] or "[" in source[end:closing] or "\n\n" in inside:
        return False
    if document.format == "wikitext":
        return source[opening - 1 : opening] == "[" and "|" not in source[opening:start]
    following = source[closing + 1 : closing + 2]
    return following != "(" and (following != "[" or source[closing + 1 : closing + 3] == "[]")
