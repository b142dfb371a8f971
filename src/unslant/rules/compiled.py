"""The catalogue and its automaton, ready to use.

Reading the TOML files and putting the terms together takes longer than checking a page. So a build of the package
writes down, as JSON, what checking needs of them. What was written for other rule files than those at hand is not used:
its digest would not agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unslant.core.types import Applicability, Severity
from unslant.rules.automaton import Automaton
from unslant.rules.rule import Rule

if TYPE_CHECKING:
    from unslant.rules.rule import WrittenRule

__all__ = ["Book", "Entry", "catalogue", "catalogue_book", "make_book", "write_compiled"]

_FOLDER = Path(__file__).with_name("catalogue")
_FILE = Path(__file__).with_name("compiled.json")
_VERSION = 3
"""Of the form of the compiled file; to be raised when the meaning of its data changes."""


class Entry(NamedTuple):
    """One term of one rule."""

    rule: int
    """The rule's number."""
    excuses: bool = False
    """Whether it names a context in which the rule's matches are false alarms."""
    lead: int = 0
    """How many words at the beginning are only context."""
    tail: int = 0
    """How many words at the end are only context."""
    delete: bool = False
    """Whether the words are best left out."""
    term: str = ""
    """As it is written; only where there are wordings to prefer."""
    swap: Sequence[str] = ()
    """Wordings to prefer, the best first."""

    def to_data(self) -> int | list[Any]:
        """Return plain data, the rule's number alone if there is nothing else to say."""
        return self.rule if self == Entry(self.rule) else list(self)


@dataclass(frozen=True, slots=True)
class Book:
    """Rules with the automaton that finds their terms."""

    rules: Sequence[Rule]
    entries: Sequence[int | list[Any]]
    """What each term of the automaton stands for, as plain data."""
    automaton: Automaton

    def entry(self, number: int) -> Entry:
        """Return what a term of the automaton stands for."""
        data = self.entries[number]
        return Entry(data) if isinstance(data, int) else Entry(*data)


def make_book(rules: Sequence[WrittenRule]) -> Book:
    """Put the terms of some rules together."""
    from unslant.rules.terms import build, parse_term

    entries = []
    terms = []
    for number, rule in enumerate(rules):
        for text in (*rule.all_terms(), *rule.unless):
            term = parse_term(text, rule.classes)
            swap = rule.swap.get(text, ())
            delete = text in rule.delete
            written = text if swap else ""
            terms.append(term)
            entries.append(Entry(number, text in rule.unless, term.lead, term.tail, delete, written, swap))
    return Book(rules, [entry.to_data() for entry in entries], build(terms))


@cache
def catalogue_book() -> Book:
    """Return the rules that ship with unslant, compiled beforehand or now."""
    files = _files()
    book = _read(_digest(files))
    return book if book is not None else make_book(_parsed(files))


@cache
def catalogue() -> tuple[WrittenRule, ...]:
    """Return the rules that ship with unslant as they are written, ordered by id."""
    return _parsed(_files())


def write_compiled(path: Path = _FILE) -> None:
    """Compile the catalogue into a file; called when the package is built."""
    files = _files()
    book = make_book(_parsed(files))
    names = [entry.name for entry in fields(Rule)]
    data = {
        "digest": _digest(files),
        "rules": [[getattr(rule, name) for name in names] for rule in book.rules],
        "entries": book.entries,
        "nodes": book.automaton.nodes,
        "at_start": sorted(book.automaton.at_start),
    }
    path.write_text(json.dumps(data, separators=(",", ":")), "utf-8")


def _files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.glob("*.toml"))}


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(str(_VERSION).encode())
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _parsed(files: Mapping[str, bytes]) -> tuple[WrittenRule, ...]:
    from unslant.rules.rule import parse_rules

    rules = [rule for name, content in files.items() for rule in parse_rules(content.decode(), name)]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _read(digest: str) -> Book | None:
    try:
        data = json.loads(_FILE.read_bytes())
    except (OSError, ValueError):
        return None
    if data["digest"] != digest:
        return None
    return Book(
        [_rule(values) for values in data["rules"]],
        data["entries"],
        Automaton(data["nodes"], data["at_start"]),
    )


def _rule(values: list[Any]) -> Rule:
    names = [entry.name for entry in fields(Rule)]
    known = dict(zip(names, values, strict=True))
    known["severity"] = Severity(known["severity"])
    known["applicability"] = Applicability(known["applicability"])
    return Rule(**known)
