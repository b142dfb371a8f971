"""The explanation of a model's finding: how likely it is, its kind, and the nearest rule."""

from __future__ import annotations

from collections import Counter
from functools import cache

from unslant.core.taxonomy import kind as kind_named
from unslant.neural.calibrate import describe_probability, percentage
from unslant.rules.automaton import Node
from unslant.rules.compiled import catalogue_book
from unslant.rules.rule import Rule
from unslant.text.function_words import FUNCTION
from unslant.text.words import LETTERS

_ENDINGS = (
    "fulness",
    "ously",
    "ness",
    "ment",
    "ious",
    "ing",
    "ful",
    "ous",
    "ist",
    "ism",
    "ary",
    "ed",
    "er",
    "ly",
    "es",
    "s",
    "e",
    "y",
)
_STEM = 4
"""Shorter stems match too many words."""


def reason(text: str, kind: str, dimension: str | None, probability: float) -> str:
    """Return why the model flags these words."""
    sure = describe_probability(probability).capitalize()
    named = kind_named(kind)
    about = f" (about {dimension})" if dimension else ""
    said = f"{sure} slanted ({percentage(probability)}), {named.title}{about}: {named.meaning}."
    rule = nearest_rule(text, kind)
    return f"{said} The nearest rule is {rule.id} ({rule.title})." if rule else said


def nearest_rule(text: str, kind: str) -> Rule | None:
    """Return the rule of this kind that shares the most stems with the words, rare ones counting more; or None."""
    stems = _stems()
    book = catalogue_book()
    scores: Counter[int] = Counter()
    for word in LETTERS.findall(text.lower()):
        shared = [number for number in stems.get(_stem(word), ()) if book.rules[number].kind == kind]
        for number in shared:
            scores[number] += 1 / len(shared)  # type: ignore[assignment]
    if not scores:
        return None
    best = max(scores.values())
    return min(
        (book.rules[number] for number, score in scores.items() if score == best), key=lambda rule: rule.id
    )


@cache
def _stems() -> dict[str, frozenset[int]]:
    """Map the stem of each single-word term to the numbers of its rules."""
    book = catalogue_book()
    root = Node.from_text(book.automaton.nodes[0])
    found: dict[str, set[int]] = {}
    for word in root.edges:
        stem = _stem(word)
        if not stem:
            continue
        for edge in root.edges_of(word):
            ends = (
                (~edge.target,) if edge.target < 0 else Node.from_text(book.automaton.nodes[edge.target]).ends
            )
            entries = (book.entry(end) for end in ends)
            found.setdefault(stem, set()).update(entry.rule for entry in entries if not entry.exception)
    return {stem: frozenset(rules) for stem, rules in found.items() if rules}


def _stem(word: str) -> str:
    """Return a rough stem; empty for short words and function words."""
    if len(word) < _STEM or word in FUNCTION:
        return ""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word.removesuffix(ending)
    return word
