"""One label out of many: majorities, shares, and the words that enough annotators marked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unslant.core.errors import InputError
from unslant.lab.corpora.annotation import Annotation

__all__ = [
    "NO_AGREEMENT",
    "WORDS",
    "WORDS_PER_ITEM",
    "Aggregated",
    "MarkedWords",
    "Rule",
    "class_shares",
    "majority",
    "word_figures",
    "word_votes",
]

NO_AGREEMENT = "no agreement"
WORDS = "words marked by enough annotators"
WORDS_PER_ITEM = "per item that has one"

Rule = Literal["most", "half"]
"""``most``: the label given most often, if no other was given as often; ``half``: the label of more than half."""


@dataclass(frozen=True, slots=True)
class Aggregated:
    """What the annotators of one item say together."""

    item: str
    text: str
    label: str | None
    """None: no agreement."""
    shares: Mapping[str, float]
    """The soft label: the share of annotators for each label that was given, the highest first."""
    ratings: int

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "item": self.item,
            "label": self.label,
            "shares": dict(self.shares),
            "ratings": self.ratings,
            "text": self.text,
        }


def majority(annotations: Iterable[Annotation], task: str, rule: Rule = "most") -> list[Aggregated]:
    """Return the majority label and the soft label of every item, in the order in which they first come."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    texts: dict[str, str] = {}
    for one in annotations:
        if one.task == task and one.span is None:
            votes[one.item][one.label] += 1
            texts.setdefault(one.item, one.text)
    if not votes:
        raise InputError(f"no one judged the task {task!r}; choose another with --task")
    return [_aggregated(item, texts[item], counts, rule) for item, counts in votes.items()]


def _aggregated(item: str, text: str, counts: Counter[str], rule: Rule) -> Aggregated:
    total = counts.total()
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    enough = ranked[0][1] * 2 > total if rule == "half" else not tied
    shares = {label: count / total for label, count in ranked}
    return Aggregated(item, text, ranked[0][0] if enough else None, shares, total)


def class_shares(aggregated: Sequence[Aggregated]) -> dict[str, float]:
    """Return the share of items with each label, the largest first; items without agreement are counted apart, last."""
    counts = Counter(one.label for one in aggregated)
    missing = counts.pop(None, 0)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    shares = {str(label): count / len(aggregated) for label, count in ranked}
    return {**shares, NO_AGREEMENT: missing / len(aggregated)}


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """The words of one item that enough annotators marked."""

    item: str
    words: tuple[str, ...]
    """In the order in which they were first marked."""
    votes: Mapping[str, int]
    """How many votes every marked word has, enough or not."""

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {"item": self.item, "words": list(self.words), "votes": dict(self.votes)}


def word_votes(
    annotations: Iterable[Annotation], threshold: int, *, mentions: bool = False, task: str = "words"
) -> list[MarkedWords]:
    """Return the words that at least ``threshold`` annotators marked, by item.

    A marked phrase votes for each of its words. An annotator has one vote for a word, however often they marked it;
    with ``mentions`` every mark is a vote, which is how the published lists of BABE were made.
    """
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    seen: set[tuple[str, str, str]] = set()
    for one in annotations:
        if one.task != task:
            continue
        for word in one.label.split():
            key = (one.item, one.annotator, word)
            if mentions or key not in seen:
                votes[one.item][word] += 1
                seen.add(key)
    return [
        MarkedWords(item, tuple(word for word, count in counts.items() if count >= threshold), dict(counts))
        for item, counts in votes.items()
    ]


def word_figures(marked: Sequence[MarkedWords]) -> dict[str, float]:
    """Return how many words were marked by enough annotators, and how many in an item that has one."""
    total = sum(len(one.words) for one in marked)
    having = sum(bool(one.words) for one in marked)
    return {WORDS: total, **({WORDS_PER_ITEM: total / having} if having else {})}
