"""Classes of edits: which lines of the policy may decide about an edit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from unslant.edits.types import Proposal, Source
from unslant.records import shipped_records
from unslant.rules.compiled import paired_rules
from unslant.text.words import split_words

OWN, PEOPLE, WRITTEN, ALONE, ANY = "own", "people", "language model", "rules alone", "any"
AUTHORED = (OWN, PEOPLE, WRITTEN)
"""Classes whose author decides whether a wording is offered."""
_LEAVE_OUT, _REPLACE = "leave out", "replace"


def edit_class(proposal: Proposal) -> tuple[str, ...]:
    """Return the names of the policy's lines that may decide about an edit, the most specific first.

    Wordings of a user's own rules, and wordings for people, are matters of style: their author decides, not readers of
    news. The same holds for labels that rules list in pairs, of which the model could know one side's better, and where
    no network is asked. A language model has no record; the user who asks it by name reads what it writes.
    """
    finding = proposal.finding
    if proposal.author:
        return (WRITTEN,)
    if proposal.source is Source.RULE:
        if finding.rule not in shipped_records().rules:
            return (OWN,)
        if finding.kind == "demographic" or finding.rule in paired_rules():
            return (PEOPLE,)
    what = _LEAVE_OUT if proposal.deletes else _REPLACE
    general = f"{proposal.source}: {what}"
    named = tuple(each.name for each in _classes() if each.contains(proposal, what))
    if not proposal.target.words:
        return *named, ALONE
    return *named, f"{general} {finding.rule}", general, ANY


def class_names() -> frozenset[str]:
    """Return the names of the classes that are narrow enough for edits to be made without review."""
    return frozenset(each.name for each in _classes())


@dataclass(frozen=True, slots=True)
class _EditClass:
    """Edits of certain words by certain rules."""

    name: str
    rules: frozenset[str]
    what: str
    words: frozenset[str]
    opening: bool
    unless_before: frozenset[str]
    unless_after: frozenset[str]

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> _EditClass:
        lists = (frozenset(entry.get(key, ())) for key in ("words", "unless_before", "unless_after"))
        words, before, after = lists
        opening = entry.get("opening", False)
        return cls(entry["name"], frozenset(entry["rules"]), entry["what"], words, opening, before, after)

    def contains(self, proposal: Proposal, what: str) -> bool:
        """Return whether an edit is of this class."""
        further = what == _REPLACE and (proposal.source is not Source.RULE or proposal.trust < 1)
        if proposal.finding.rule not in self.rules or what != self.what or further:
            return False
        words = split_words(proposal.target.text)
        first, following = words.after(proposal.edit.start), words.after(proposal.edit.end)
        taken = words.plain[first:following]
        comma = taken[-1:] == [","] or words.plain[following : following + 1] == [","]
        if " ".join(taken).removesuffix(" ,") not in self.words or (self.opening and (first or not comma)):
            return False
        following += self.opening and taken[-1:] != [","]
        before, after = (_at(words.plain, at) for at in (first - 1, following))
        # a sentence does not begin with a number, and "the infamous 215" is not "the 215"
        counts = what == _LEAVE_OUT and after[:1].isdigit()
        return not counts and before not in self.unless_before and after not in self.unless_after


def _at(words: Sequence[str], at: int) -> str:
    return words[at] if 0 <= at < len(words) else ""


@lru_cache(1)
def _classes() -> tuple[_EditClass, ...]:
    found = tomllib.loads(files("unslant.edits").joinpath("classes.toml").read_text("utf-8"))
    return tuple(_EditClass.read(entry) for entry in found["class"])
