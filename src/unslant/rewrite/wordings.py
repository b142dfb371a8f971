"""Wordings for words that a model finds: what editors usually write in their place, or that they leave them out.

``wordings.toml`` lists them. They are matched like the terms of rules, with the same checks of parts of speech, names
and frames, but they find nothing by themselves: an entry counts only inside a finding.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from unslant.core.types import Applicability, Edit, Sentence, Span
from unslant.rules.analyzer import find_terms
from unslant.rules.compiled import RuleBook, make_book
from unslant.rules.inflect import forms, inflect
from unslant.rules.rule import WrittenRule
from unslant.text.edits import join_edits

__all__ = ["WORDINGS", "Listed", "load_listed", "wordings_for"]

WORDINGS = "wordings"
"""The origin of suggestions that come from here."""
_TAGS = {"verbs": "v", "nouns": "n"}
_TAGGED = "@"


def wordings_for(sentence: Sentence, span: Span) -> list[Edit]:
    """Return the edits of words inside a span of a document, the best first: all of them together, then each."""
    if sentence.document.source[span.start : span.end] != sentence.document.prose[span.start : span.end]:
        return []
    found = [
        edit
        for term in find_terms(_book(), sentence)
        if span.contains(term.span)
        for edit in term.edits[:1]
        if edit.applicability is not Applicability.DISPLAY
    ]
    single = sorted(found, key=lambda edit: edit.change)
    if len(single) < 2 or any(first.conflicts(second) for first, second in pairwise(single)):
        return single
    return [join_edits(sentence.document.source, single), *single]


@dataclass(frozen=True, slots=True)
class Listed:
    """The single words of the list, in lower case."""

    adjectives: frozenset[str]
    adverbs: frozenset[str]
    swaps: Mapping[str, str]
    """What is written for a word, form by form."""


@lru_cache(1)
def load_listed() -> Listed:
    """Return the single words of the list."""
    data = _read()
    swaps = {word: new for word, new in data["adjectives"].items() if " " not in word}
    for table, tag in _TAGS.items():
        for word, new in data[table].items():
            if word.isalpha() and new.isalpha():
                swaps |= {form: inflect(new, tag, slot) for form, slot in forms(word, tag).items()}
    adjectives = frozenset((*data["before_noun"].split(), *data["adjectives"]))
    return Listed(adjectives, frozenset(data["adverbs"].split()), swaps)


def _read() -> dict[str, Any]:
    return tomllib.loads(files("unslant.rewrite").joinpath("wordings.toml").read_text("utf-8"))


@lru_cache(1)
def _book() -> RuleBook:
    return make_book(list(_rules(_read())))


def _rules(data: dict[str, Any]) -> Iterator[WrittenRule]:
    """Yield the tables of the file as rules, so that the rules' automaton can match them."""
    described = tuple(f"{_plain(word)} {{noun}}" for word in dict.fromkeys(data["before_noun"].split()))
    adverbs = tuple(_plain(word) for word in dict.fromkeys(data["adverbs"].split()))
    swaps: dict[str, tuple[str, ...]] = {}
    dropped: list[str] = []
    for table in ("verbs", "nouns", "adjectives", "phrases"):
        for words, wording in data[table].items():
            term, new = _term(table, words, wording)
            if new:
                swaps[term] = (new,)
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


def _term(table: str, words: str, wording: str) -> tuple[str, str]:
    """Return an entry in the notation of the rules: which word is inflected, and what must follow."""
    if table == "adjectives":
        return f"{words} {{noun}}", wording
    tag = _TAGS.get(table)
    if tag is None:
        return words, wording
    if _TAGGED not in words:
        *before, last = words.split()
        words = " ".join((*before, f"{last}@{tag}"))
    if _TAGGED not in wording:
        *before, last = wording.split()
        wording = " ".join((*before, f"{last}@{tag}"))
    return words, wording
