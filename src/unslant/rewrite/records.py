"""The record of each class of edits: how many were read, on text that nothing was tuned on, and how many were good.

Only an edit of a class with a good record is made without review. ``records.toml`` holds the classes and the counts.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from unslant.core.types import Finding
from unslant.rewrite.result import Suggestion
from unslant.text.words import split_words

__all__ = [
    "ENOUGH",
    "HALF",
    "SHARE",
    "EditClass",
    "classes",
    "earned_class",
    "failed_class",
    "may_be_left_out",
]

SHARE = 0.98
"""The share of good edits from which a class is trusted."""
HALF = 0.5
"""Below this share of good edits a class is not offered at all."""
ENOUGH = 50
"""How many edits of a class must have been read."""


@dataclass(frozen=True, slots=True)
class EditClass:
    """Edits of one kind, and how they were judged by reading."""

    name: str
    rules: frozenset[str]
    """The rules that flag the words."""
    deletes: bool
    """Whether the words are left out; otherwise the rule's wording replaces them."""
    words: frozenset[str]
    """What the edit takes out, in lower case; empty: any words."""
    judged: int
    good: int
    opening: bool = False
    """Whether the words must begin the sentence, with a comma after them."""
    unless_before: frozenset[str] = frozenset()
    unless_after: frozenset[str] = frozenset()

    @property
    def earned(self) -> bool:
        """Whether edits of the class may be made without review."""
        return self.judged >= ENOUGH and self.good >= SHARE * self.judged

    @property
    def failed(self) -> bool:
        """Whether edits of the class are wrong too often to be offered."""
        return self.good < HALF * self.judged

    def contains(self, suggestion: Suggestion) -> bool:
        """Say whether an edit, by offsets from the start of its sentence, is of this class."""
        rule = suggestion.findings[0].rule if suggestion.findings else None
        deletes = not suggestion.bare.replacement.strip()
        if rule not in self.rules or deletes != self.deletes:
            return False
        if not self.words:
            return True
        if suggestion.trust < 1 and not deletes:
            return False
        bare, words = suggestion.bare, split_words(suggestion.before)
        first, following = words.after(bare.start), words.after(bare.end)
        taken = [words.plain[at] for at in range(first, following)]
        comma = taken[-1:] == [","] or words.plain[following : following + 1] == [","]
        if " ".join(taken).removesuffix(" ,") not in self.words:
            return False
        if self.opening:
            if first or not comma:
                return False
            following += taken[-1:] != [","]
        before, after = (words.plain[at] if 0 <= at < len(words) else "" for at in (first - 1, following))
        if self.deletes and after[:1].isdigit():
            return False  # a sentence does not begin with a number, and "the infamous 215" is not "the 215"
        return before not in self.unless_before and after not in self.unless_after


@lru_cache(1)
def classes() -> tuple[EditClass, ...]:
    """Return the classes of edits that have been read."""
    found = tomllib.loads(files("unslant.rewrite").joinpath("records.toml").read_text("utf-8"))
    return tuple(_edit_class(entry) for entry in found["class"])


def _edit_class(entry: dict[str, Any]) -> EditClass:
    return EditClass(
        entry["name"],
        frozenset(entry["rules"]),
        entry["what"] == "leave out",
        frozenset(entry["words"]),
        entry["judged"],
        entry["good"],
        entry.get("opening", False),
        frozenset(entry.get("unless_before", ())),
        frozenset(entry.get("unless_after", ())),
    )


def may_be_left_out(finding: Finding) -> bool:
    """Say whether leaving out the words of a finding may be an edit that is made without review."""
    words = " ".join(finding.text.lower().split())
    return any(
        each.deletes and each.earned and finding.rule in each.rules and words in each.words
        for each in classes()
    )


def earned_class(suggestion: Suggestion) -> EditClass | None:
    """Return the class of an edit if edits of it may be made without review."""
    return next((each for each in classes() if each.contains(suggestion) and each.earned), None)


def failed_class(suggestion: Suggestion) -> EditClass | None:
    """Return the class of an edit if edits of it are wrong too often to be offered."""
    return next((each for each in classes() if each.failed and each.contains(suggestion)), None)
