"""The list of wordings: what editors write in place of words that a model finds (``wordings.toml``).

It is matched like the terms of rules, with the same checks of parts of speech, names and frames, but it finds nothing
by itself: an entry counts only inside a finding.
"""

from __future__ import annotations

import json
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

from unslant.core.types import Applicability, Edit, Finding, Sentence, Span
from unslant.rules.analyzer import find_terms
from unslant.rules.compiled import RuleBook, digest_files, make_book, read_book, write_book
from unslant.rules.inflect import forms, inflect
from unslant.rules.rule import WrittenRule
from unslant.text.edits import join_edits

_LIST = Path(__file__).with_name("wordings.toml")
_COMPILED = Path(__file__).with_name("compiled.json")
_COMPILED_WORDS = Path(__file__).with_name("compiled_words.json")
_TAGS = {"verbs": "v", "nouns": "n"}
_TAGGED = "@"


def wordings_for(sentence: Sentence, span: Span) -> list[Edit]:
    """Return the listed edits of words inside a span of a document: the first of each together, then each."""
    document = sentence.document
    if document.source[span.start : span.end] != document.prose[span.start : span.end]:
        return []
    found = [
        edit
        for term in _terms_within(sentence, span)
        if span.contains(term.span)
        for edit in term.edits
        if edit.applicability is not Applicability.DISPLAY
    ]
    first = sorted({edit.span: edit for edit in reversed(found)}.values(), key=lambda edit: edit.change)
    if len(first) < 2 or any(one.conflicts(other) for one, other in pairwise(first)):
        return found
    return [join_edits(document.source, first), *found]


def _terms_within(sentence: Sentence, span: Span) -> Iterator[Finding]:
    """Yield what the list has for a stretch of a sentence, in the order in which it is found."""
    terms = _terms(sentence)
    beginning = terms[bisect_left(terms, (span.start,)) : bisect_left(terms, (span.end,))]
    return (term for _, _, term in sorted(beginning, key=itemgetter(1)))


@lru_cache(1)
def _terms(sentence: Sentence) -> list[tuple[int, int, Finding]]:
    """Return what the list has for a sentence, by beginning and number: all findings of a long one share it."""
    found = find_terms(_book(), sentence)
    return sorted((term.span.start, number, term) for number, term in enumerate(found))


@dataclass(frozen=True, slots=True)
class Listed:
    """The single words of the list, in lower case."""

    adjectives: frozenset[str]
    adverbs: frozenset[str]
    swaps: Mapping[str, str]
    """What is written for a word first, form by form."""


@lru_cache(1)
def listed() -> Listed:
    """Return the single words of the list, precompiled or read now."""
    try:
        data = json.loads(_COMPILED_WORDS.read_bytes())
    except (OSError, ValueError):
        data = None
    if data is None or data["digest"] != _digest():
        return _single_words(_read())
    return Listed(frozenset(data["adjectives"]), frozenset(data["adverbs"]), data["swaps"])


def _single_words(data: Mapping[str, Any]) -> Listed:
    swaps = {word: new for word, (new, *_) in _entries(data, "adjectives") if " " not in word}
    for table, part in _TAGS.items():
        for word, (new, *_) in _entries(data, table):
            if word.isalpha() and new.isalpha():
                swaps |= {form: inflect(new, part, slot) for form, slot in forms(word, part).items()}
    adjectives = frozenset((*data["before_noun"].split(), *data["adjectives"]))
    return Listed(adjectives, frozenset(data["adverbs"].split()), swaps)


def _read() -> Mapping[str, Any]:
    return tomllib.loads(_LIST.read_text("utf-8"))


@lru_cache(1)
def _book() -> RuleBook:
    """Return the list as a book of rules, precompiled or compiled now."""
    book = read_book(_COMPILED, _digest())
    return book if book is not None else make_book(list(_rules(_read())))


def write_compiled(folder: Path = _LIST.parent) -> None:
    """Compile the list into two files of a folder; called when the package is built."""
    data = _read()
    write_book(folder / _COMPILED.name, make_book(list(_rules(data))), _digest())
    words = _single_words(data)
    compiled = {
        "digest": _digest(),
        "adjectives": sorted(words.adjectives),
        "adverbs": sorted(words.adverbs),
        "swaps": words.swaps,
    }
    (folder / _COMPILED_WORDS.name).write_text(json.dumps(compiled, separators=(",", ":")), "utf-8")


@lru_cache(1)
def _digest() -> str:
    return digest_files({_LIST.name: _LIST.read_bytes()})


def _rules(data: Mapping[str, Any]) -> Iterator[WrittenRule]:
    """Yield the tables of the file as rules, so that the rules' automaton can match them."""
    described = tuple(f"{_plain(word)} {{noun}}" for word in dict.fromkeys(data["before_noun"].split()))
    adverbs = tuple(_plain(word) for word in dict.fromkeys(data["adverbs"].split()))
    swaps: dict[str, tuple[str, ...]] = {}
    dropped: list[str] = []
    for table in ("verbs", "nouns", "adjectives", "phrases"):
        for words, wordings in _entries(data, table):
            term, new = _term(table, words, wordings)
            if any(new):
                swaps[term] = new
            else:
                dropped.append(term)
    known = {term.partition(" {")[0] for term in swaps}
    left_out = tuple(term for term in described if term.partition(" {")[0] not in known)
    yield WrittenRule(
        id="framing/wordings",
        title="Wordings",
        kind="framing",
        why="",
        source="editors' fixes",
        delete=(*left_out, *adverbs, *dropped),
        swap=swaps,
        unless=tuple(data["unless"]),
    )


def _plain(word: str) -> str:
    return word.replace("-", " ")


def _entries(data: Mapping[str, Any], table: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the words of a table, each with its wordings, the best first."""
    for words, wordings in data[table].items():
        yield words, (wordings,) if isinstance(wordings, str) else tuple(wordings)


def _term(table: str, words: str, wordings: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return an entry in the notation of the rules: which word is inflected, and what must follow."""
    if table == "adjectives":
        return f"{words} {{noun}}", wordings
    part = _TAGS.get(table)
    if part is None:
        return words, wordings
    return _tagged(words, part), tuple(_tagged(wording, part) if wording else "" for wording in wordings)


def _tagged(words: str, part: str) -> str:
    if _TAGGED in words:
        return words
    *before, last = words.split()
    return " ".join((*before, f"{last}@{part}"))
