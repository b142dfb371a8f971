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
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from unslant.core.types import Edit, Sentence, Span
from unslant.edits.propose import listed
from unslant.edits.types import Proposal, Reason, Source
from unslant.rules.compiled import paired_rules
from unslant.rules.pos import plausible
from unslant.text.function_words import DETERMINERS, FUNCTION, INDEFINITE, PREPOSITIONS, SUBJECTS
from unslant.text.tagger import WordTag, is_adverb, tag, tags
from unslant.text.tidy import indefinite_article
from unslant.text.words import Words, split_words

__all__ = ["broken", "changed_fact", "mirrored", "refusal", "untouchable"]

_SPECIAL = re.compile(r"[<>&\[\]{}|*_`~\\=#^]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_MARKS = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_GRAVE = re.compile(r"``.*?(?:''|$)", re.DOTALL)
"""A quotation in the marks of tokenized text."""
_OPENING = ("\u201c", "\u201e", "\u00ab")
_INNER = re.compile(r"[-\u2010\u2011'\u2019][^\W\d_a-z]")
"""A capital within a word: *anti-Catholic*, *O'Neil*; letters beyond the alphabet count too."""
_REACH = 200
"""How far from an edit the brackets of a link are looked for."""
_START, _END, _PLACE, _WORD = "^", "$", "_", "WORD"
_NEAR = 5
_LONGEST = 4
"""How many words a wrong order has at most."""
_BESIDE = 3
"""How many words apart a repeated word is noticed."""
_BY_RULE = frozenset((Source.RULE,))


@lru_cache(1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files("unslant.edits").joinpath("protected.toml").read_text("utf-8"))


# --- facts -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Fact:
    """A kind of statement that is counted before and after an edit."""

    name: str
    words: frozenset[str]
    pattern: re.Pattern[str] | None
    any: bool
    never: bool
    review: bool
    contraction: str
    described: str
    whole: tuple[str, ...]

    def count(self, words: Words) -> Counter[str]:
        found: Counter[str] = Counter(
            part
            for word in words.plain
            for part in ([word] if word.startswith(self.whole) else word.split("-"))
            if part in self.words
        )
        if self.pattern is not None:
            found.update(self.pattern.findall(words.text))
        if self.contraction:
            found["not"] += sum(word.endswith(self.contraction) for word in words.plain)
        if self.described:
            found[self.described] += sum(
                word == self.described and at > 0 and words.plain[at - 1] in DETERMINERS
                for at, word in enumerate(words.plain)
            )
        return Counter({"": found.total()}) if self.any else +found


@lru_cache(1)
def _facts() -> tuple[_Fact, ...]:
    return tuple(
        _Fact(
            name,
            frozenset(entry["words"].split()),
            re.compile(entry["pattern"]) if "pattern" in entry else None,
            entry.get("any", False),
            entry.get("never", False),
            entry.get("review", False),
            entry.get("contraction", ""),
            entry.get("described", ""),
            tuple(entry.get("unless", "").split()) or ("\0",),
        )
        for name, entry in _data()["facts"].items()
    )


@lru_cache(512)
def _counts(text: str) -> Mapping[str, Counter[str]]:
    words = split_words(text)
    return {fact.name: fact.count(words) for fact in _facts()}


def changed_fact(before: str, after: str) -> str | None:
    """Return the kind of statement that differs between two sentences, or None; names come before degrees."""
    was, now = _counts(before), _counts(after)
    changed = [fact for fact in _facts() if was[fact.name] != now[fact.name]]
    for fact in changed:
        if not fact.review:
            return fact.name
    old, new = split_words(before), split_words(after)
    if _names(before) - Counter(new.written) or _names(after) - Counter(old.written):
        return "name"
    return changed[0].name if changed else None


@lru_cache(512)
def _names(text: str) -> Counter[str]:
    """Count words written like names: with a capital that their place does not ask for, also after a hyphen."""
    words = split_words(text)
    return Counter(
        word
        for at, word in enumerate(words.written)
        if words.plain[at] != "i" and ((word[0].isupper() and not _opens(words, at)) or _INNER.search(word))
    )


def _opens(words: Words, at: int) -> bool:
    """Say whether a capital is due here: at the start of the sentence or of a quotation, unless a name goes on."""
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


@dataclass(frozen=True, slots=True)
class _ChangedPlace:
    """An edit among the words of its sentence, before and after."""

    old: Words
    new: Words
    first: int
    """The first word that goes; in the new sentence the first that comes."""
    old_end: int
    new_end: int
    proposal: Proposal | None = None

    @classmethod
    def find(cls, before: str, after: str, proposal: Proposal | None = None) -> _ChangedPlace:
        old, new = split_words(before), split_words(after)
        shorter, start, end = min(len(old), len(new)), 0, 0
        while start < shorter and old.plain[start] == new.plain[start]:
            start += 1
        while end < shorter - start and old.plain[len(old) - 1 - end] == new.plain[len(new) - 1 - end]:
            end += 1
        # a changed article belongs to the words that stay
        if (
            start < min(len(old), len(new)) - end
            and {old.plain[start], new.plain[start]} == INDEFINITE
            and len(new) - end > start
        ):
            start += 1
        return cls(old, new, start, len(old) - end, len(new) - end, proposal)

    @property
    def gone(self) -> range:
        return range(self.first, self.old_end)

    @property
    def come(self) -> range:
        return range(self.first, self.new_end)


@dataclass(frozen=True, slots=True)
class _RefusedEdit:
    """An entry of the file: edits that are refused where certain words stand around them."""

    entry: Mapping[str, Any]
    reason: Reason
    tests: tuple[Callable[[_ChangedPlace], bool], ...] = field(default=())

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> _RefusedEdit:
        tests = [make(entry) for key, make in _TESTS.items() if key in entry]
        return cls(entry, Reason(entry.get("reason", "distinction")), tuple(tests))

    def holds(self, place: _ChangedPlace) -> bool:
        return all(test(place) for test in self.tests)


def _some(places: Iterable[int], words: Words, written: str) -> bool:
    wanted = _expression(written)
    return any(wanted.matches(words, at) for at in places if 0 <= at < len(words))


def _around(entry: Mapping[str, Any]) -> Callable[[_ChangedPlace], bool]:
    parts = entry["at"].split()
    place_at = parts.index(_PLACE)
    before = [_expression(part) for part in reversed(parts[:place_at])]
    after = [_expression(part) for part in parts[place_at + 1 :]]

    def test(place: _ChangedPlace) -> bool:
        return all(
            wanted.matches(place.new, place.first - 1 - back) for back, wanted in enumerate(before)
        ) and all(wanted.matches(place.new, place.new_end + on) for on, wanted in enumerate(after))

    return test


def _later(entry: Mapping[str, Any]) -> Callable[[_ChangedPlace], bool]:
    rows = [[_expression(part) for part in row.split()] for row in entry["later"].split(" / ")]

    def test(place: _ChangedPlace) -> bool:
        return any(
            all(wanted.matches(place.new, start + on) for on, wanted in enumerate(row))
            for row in rows
            for start in range(place.new_end, len(place.new))
        )

    return test


def _words_of(span: range, words: Words) -> list[int]:
    return [at for at in span if words.is_word(at)]


_TESTS: Mapping[str, Callable[[Mapping[str, Any]], Callable[[_ChangedPlace], bool]]] = {
    "deletes": lambda _: lambda place: not _words_of(place.come, place.new),
    "replaces": lambda _: lambda place: bool(place.come and place.gone),
    "alone": lambda _: lambda place: len(_words_of(place.gone, place.old)) == 1,
    "single": lambda _: lambda place: len(_words_of(place.come, place.new)) == 1,
    "sources": lambda entry: (
        lambda place: place.proposal is not None and place.proposal.source in entry["sources"]
    ),
    "rules": lambda entry: (
        lambda place: place.proposal is not None and place.proposal.finding.rule in entry["rules"]
    ),
    "gone": lambda entry: lambda place: _some(place.gone, place.old, entry["gone"]),
    "unless_gone": lambda entry: lambda place: not _some(place.gone, place.old, entry["unless_gone"]),
    "last": lambda entry: (
        lambda place: _some(_words_of(place.gone, place.old)[-1:], place.old, entry["last"])
    ),
    "put": lambda entry: lambda place: _some(_words_of(place.come, place.new)[:1], place.new, entry["put"]),
    "put_phrase": lambda _: (
        lambda place: (
            any(place.new.plain[at] in PREPOSITIONS for at in range(place.first + 1, place.new_end - 1))
            and not any(place.old.plain[at] in PREPOSITIONS for at in place.gone)
        )
    ),
    "takes_commas": lambda _: (
        lambda place: (
            bool(place.gone) and place.old.plain[place.gone[0]] == "," == place.old.plain[place.gone[-1]]
        )
    ),
    "at": _around,
    "later": _later,
    "before": lambda entry: (
        lambda place: _some(
            range(place.first - entry.get("reach", _NEAR), place.first), place.new, entry["before"]
        )
    ),
    "after": lambda entry: (
        lambda place: _some(
            range(place.new_end, place.new_end + entry.get("reach", _NEAR)), place.new, entry["after"]
        )
    ),
    "anywhere": lambda entry: (
        lambda place: _some(
            (*range(place.first), *range(place.new_end, len(place.new))), place.new, entry["anywhere"]
        )
    ),
}
"""What an entry may state, by its key."""


@lru_cache(1)
def _refused() -> tuple[_RefusedEdit, ...]:
    return tuple(_RefusedEdit.read(entry) for entry in _data()["refused"])


@lru_cache(16_384)
def _beside(token: _Token, *, after: bool) -> frozenset[int]:
    """Return the entries that may hold if this word stands right before the place of an edit, or right after it.

    Most entries ask for certain words there, so that few are left to be tested.
    """
    found = []
    for number, each in enumerate(_refused()):
        before, _, behind = f" {each.entry.get('at', _PLACE)} ".partition(f" {_PLACE} ")
        wanted = behind.split()[:1] if after else before.split()[-1:]
        if not wanted or _expression(wanted[0]).fits(token):
            found.append(number)
    return frozenset(found)


@lru_cache(2)
def _of_kind(deletes: bool) -> frozenset[int]:
    """Return the entries about deletions, or about other edits."""
    without = ("replaces", "put", "single") if deletes else ("deletes",)
    return frozenset(
        number for number, each in enumerate(_refused()) if not any(key in each.entry for key in without)
    )


def _in_pattern(place: _ChangedPlace) -> Reason | None:
    """Refuse what the entries of the file refuse."""
    possible = (
        _of_kind(not _words_of(place.come, place.new))
        & _beside(_token(place.new, place.first - 1), after=False)
        & _beside(_token(place.new, place.new_end), after=True)
    )
    entries = _refused()
    return next((entries[number].reason for number in sorted(possible) if entries[number].holds(place)), None)


# --- what tells things apart -----------------------------------------------------------------------------------------


@lru_cache(1)
def _opposites() -> Mapping[str, frozenset[str]]:
    lines = [frozenset(line.split()) for line in _data()["told_apart"]["opposites"]]
    return {
        word: frozenset().union(*(line for line in lines if word in line)) - {word}
        for line in lines
        for word in line
    }


@lru_cache(1)
def mirrored() -> Mapping[str, str]:
    """Return the names of groups, each with the one that stands for it and its mirror images."""
    lines = (line.split() for line in _data()["told_apart"]["mirrored"])
    return {word: line[0] for line in lines for word in line}


def _tells_apart(place: _ChangedPlace) -> Reason | None:
    """Refuse to change words that tell one thing from another: *the far-right party … the far-left party*."""
    old = place.old
    kept = {place.new.plain[at] for at in place.come}
    gone = [old.plain[at] for at in _words_of(place.gone, old) if old.plain[at] not in kept]
    others = [at for at in _words_of(range(len(old)), old) if at not in place.gone]
    opposite = frozenset().union(*(_opposites().get(word, frozenset()) for word in gone))
    if any(old.plain[at].removesuffix("'s") in opposite for at in others):
        return Reason.DISTINCTION
    if _words_of(place.come, place.new):
        return None
    compares = _data()["order"]["compares"].split()
    for at in others:
        again = old.plain[at] in gone
        if again and old.plain[at] not in FUNCTION and not is_adverb(old.plain[at]):
            return Reason.DISTINCTION
        if again and at > place.old_end and old.plain[at - 1] in compares:
            return Reason.DISTINCTION
    following = place.old_end
    if following >= len(old) or not old.is_word(following) or old.plain[following] in FUNCTION:
        return None
    head = _singular(old.plain[following])
    for at in others:
        modified = at > 0 and old.is_word(at - 1) and old.plain[at - 1] not in FUNCTION
        if at != following and _singular(old.plain[at]) == head and modified:
            return Reason.DISTINCTION
    return None


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _in_idiom(place: _ChangedPlace) -> Reason | None:
    for idiom in (each.split() for each in _data()["told_apart"]["idioms"]):
        for at in range(max(0, place.first - len(idiom) + 1), place.old_end):
            if place.old.plain[at : at + len(idiom)] == idiom:
                return Reason.DISTINCTION
    return None


def _takes_side(place: _ChangedPlace) -> Reason | None:
    """Refuse to put in the word of one side."""
    sided = _data()["told_apart"]["one_sided"].split()
    stood = set(place.old.plain)
    return (
        Reason.SIDE
        if any(place.new.plain[at] in sided and place.new.plain[at] not in stood for at in place.come)
        else None
    )


# --- grammar ---------------------------------------------------------------------------------------------------------


@lru_cache(1)
def _wrong_orders() -> tuple[tuple[_Expression, ...], ...]:
    return tuple(tuple(map(_expression, line.split())) for line in _data()["order"]["wrong"])


def _wrong_in(words: Words, first: int, end: int) -> Counter[int]:
    """Count the orders of words that English does not have, around some words."""
    found: Counter[int] = Counter()
    patterns = _wrong_orders()
    tokens = [
        _token(words, at) for at in range(max(-1, first - _LONGEST), min(end + _LONGEST, len(words) + 1))
    ]
    for start in range(len(tokens) - 1):
        for number in _begun(tokens[start], tokens[start + 1]):
            rest = patterns[number][2:]
            following = tokens[start + 2 : start + 2 + len(rest)]
            if len(following) == len(rest) and all(map(_Expression.fits, rest, following)):
                found[number] += 1
    return found


@lru_cache(65_536)
def _begun(token: _Token, following: _Token) -> tuple[int, ...]:
    """Return the wrong orders that two words may begin."""
    return tuple(
        number
        for number, pattern in enumerate(_wrong_orders())
        if pattern[0].fits(token) and pattern[1].fits(following)
    )


def _wrong_order(place: _ChangedPlace) -> Reason | None:
    added = _wrong_in(place.new, place.first, place.new_end) - _wrong_in(
        place.old, place.first, place.old_end
    )
    return Reason.BROKEN if added else None


def _says_twice(place: _ChangedPlace) -> Reason | None:
    """Refuse a word beside itself: *the estate tax (estate tax)*."""
    new, fine = place.new, _data()["order"]["twice_is_fine"].split()
    for at in range(max(1, place.first), min(place.new_end + 1, len(new))):
        if new.plain[at] == new.plain[at - 1] and new.is_word(at) and new.plain[at] not in fine:
            return Reason.BROKEN
    put = [
        new.plain[at] for at in place.come if len(new.plain[at]) > _BESIDE and new.plain[at] not in FUNCTION
    ]
    beside = (
        *new.plain[max(0, place.first - _BESIDE) : place.first],
        *new.plain[place.new_end : place.new_end + _BESIDE],
    )
    return Reason.BROKEN if any(word in beside for word in put) else None


def _wrong_article(place: _ChangedPlace) -> Reason | None:
    for at in (place.first - 1, place.first, place.new_end - 1):
        if 0 <= at < len(place.new) - 1 and place.new.plain[at] in INDEFINITE:
            following = place.new.written[at + 1]
            if following[0].isalpha() and indefinite_article(following) != place.new.plain[at]:
                return Reason.BROKEN
    return None


def _unpaired(place: _ChangedPlace) -> Reason | None:
    """Refuse a bracket or a quotation mark without its partner, and a sentence without a word or a verb."""
    for opening, closing in ("()", "[]", "{}", '""'):
        odd = [
            words.plain.count(opening) - words.plain.count(closing) or words.plain.count('"') % 2
            for words in (place.old, place.new)
        ]
        if odd[0] != odd[1]:
            return Reason.BROKEN
    if not any(place.new.is_word(at) for at in range(len(place.new))):
        return Reason.BROKEN
    return Reason.BROKEN if _has_verb(place.old) and not _has_verb(place.new) else None


@lru_cache(512)
def _has_verb(words: Words) -> bool:
    return any(_is_verb(words, at) for at in range(len(words)))


def _is_verb(words: Words, at: int) -> bool:
    """Say whether a word is surely or probably a verb with a subject."""
    tagged = tag(words, at)
    if tagged in (WordTag.BE, WordTag.HAVE, WordTag.MODAL, WordTag.LINKING):
        return True
    before = words.plain[at - 1] if at else ""
    if tagged is WordTag.PARTICIPLE:
        return "-" not in words.plain[at] and before not in DETERMINERS and before not in PREPOSITIONS
    if before in SUBJECTS:
        return words.is_word(at) and tagged is not WordTag.ADVERB
    if not at or not words.is_word(at) or not (words.plain[at].endswith("s") or before.endswith("s")):
        return False
    context = [
        words.plain[near] if 0 <= near < len(words) and words.is_word(near) else ""
        for near in range(at - 3, at + 3)
    ]
    return plausible(context, "v", "s" if words.plain[at].endswith("s") else "base")


def _loses_verb(place: _ChangedPlace) -> Reason | None:
    """Refuse to leave out a verb and keep its subject or object: *critics blasted the plan*."""
    if _words_of(place.come, place.new) or len(place.gone) > _BESIDE:
        return None
    return Reason.BROKEN if any(_is_verb(place.old, at) for at in place.gone) else None


_GRAMMAR = (_loses_verb, _wrong_order, _says_twice, _wrong_article, _unpaired)
_MEANING = (_tells_apart, _in_idiom, _takes_side, _in_pattern)
"""What is asked of every edit; the first that finds something decides."""


def broken(before: str, after: str) -> bool:
    """Say whether several edits together break a sentence that was whole."""
    place = _ChangedPlace.find(before, after)
    return any(ask(place) is not None for ask in (_wrong_order, _unpaired))


def refusal(proposal: Proposal) -> Reason | None:
    """Return why an edit is not offered, or only to review; None: nothing speaks against it."""
    before, after = proposal.target.text, proposal.after
    if _cuts_word(before, proposal.tidied):
        return Reason.WORD
    place = _ChangedPlace.find(before, after, proposal)
    for ask in (*_GRAMMAR, *_MEANING):
        found = ask(place)
        if found is not None:
            return found
    name = changed_fact(before, after)
    if name is None:
        return None
    fact = next((each for each in _facts() if each.name == name), None)
    if fact is not None and fact.review:
        return Reason.DEGREE
    # a label that one side gives the other states no fact, though it may say "fake" or "hoax"
    label = proposal.finding.rule in paired_rules()
    by_rule = proposal.source in _BY_RULE and (fact is None or not fact.never or label)
    return Reason.STATED if by_rule else Reason.FACT


def _cuts_word(text: str, edit: Edit) -> bool:
    """Say whether an edge of the edit lies within a word, hyphens included."""
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
    special = document.format != "text" and set(_SPECIAL.findall(wording)) - set(removed)
    if "\0" in removed or empties or special or set(_CONTROL.findall(wording)) - set(removed):
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
    marks = [at for at, char in enumerate(sentence.text) if char == '"']
    pairs = [(start, end + 1) for start, end in zip(marks[::2], marks[1::2], strict=False)]
    grave = [match.span() for match in _GRAVE.finditer(sentence.text)]
    quotations = (*_clip(sentence.document.quotations, sentence), *pairs, *grave)
    return any(edit.start < end and start < edit.end for start, end in quotations)


def _linked(sentence: Sentence, edit: Edit) -> bool:
    """Say whether the words are an address, or the name by which a link finds its target."""
    document = sentence.document
    if any(start < edit.end and edit.start < end for start, end in _clip(document.hidden, sentence)):
        return True
    source = document.source
    start, end = sentence.span.start + edit.start, sentence.span.start + edit.end
    opening = source.rfind("[", max(0, start - _REACH), start)
    closing = source.find("]", end, end + _REACH)
    if document.format not in ("markdown", "wikitext") or opening < 0 or closing < 0:
        return False
    inside = source[opening + 1 : closing]
    if "]" in source[opening:start] or "[" in source[end:closing] or "\n\n" in inside:
        return False
    if document.format == "wikitext":
        return source[opening - 1 : opening] == "[" and "|" not in source[opening:start]
    following = source[closing + 1 : closing + 2]
    return following != "(" and (following != "[" or source[closing + 1 : closing + 3] == "[]")
