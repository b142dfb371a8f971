"""The catalogue and its automaton, ready to use.

Reading the TOML files and putting the terms together takes longer than checking a page. So a build of the package
writes both down as JSON. What was written for other rule files than those at hand is not used: its digest would not
agree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from unslant.core.types import Applicability, Severity
from unslant.rules.automaton import Automaton
from unslant.rules.rule import Rule

__all__ = ["Book", "catalogue_book", "make_book", "write_compiled"]

_FOLDER = Path(__file__).with_name("catalogue")
_FILE = Path(__file__).with_name("compiled.json")
_VERSION = 1
"""Of the form of the compiled file; to be raised when the meaning of its data changes."""


@dataclass(frozen=True, slots=True)
class Book:
    """Rules with the automaton that finds their terms."""

    rules: tuple[Rule, ...]
    entries: Sequence[tuple[int, str, bool]]
    """For each term of the automaton: the rule's number, the term, and whether it excuses a match."""
    automaton: Automaton


def make_book(rules: Sequence[Rule]) -> Book:
    """Put the terms of some rules together."""
    from unslant.rules.building import build
    from unslant.rules.terms import parse_term

    entries = [
        (number, term, term in rule.unless)
        for number, rule in enumerate(rules)
        for term in (*rule.all_terms(), *rule.unless)
    ]
    terms = [parse_term(term, rules[number].classes) for number, term, _ in entries]
    return Book(tuple(rules), entries, build(terms))


@cache
def catalogue_book() -> Book:
    """Return the rules that ship with unslant, compiled beforehand or now."""
    files = _files()
    book = _read(_digest(files))
    return book if book is not None else make_book(_parsed(files))


def write_compiled(path: Path = _FILE) -> None:
    """Compile the catalogue into a file; called when the package is built."""
    files = _files()
    book = make_book(_parsed(files))
    data = {
        "digest": _digest(files),
        "rules": [_plain(rule) for rule in book.rules],
        "entries": book.entries,
        "automaton": book.automaton.to_data(),
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


def _parsed(files: Mapping[str, bytes]) -> tuple[Rule, ...]:
    from unslant.rules.parsing import parse_rules

    rules = [rule for name, content in files.items() for rule in parse_rules(content.decode(), name)]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _read(digest: str) -> Book | None:
    try:
        data = json.loads(_FILE.read_bytes())
    except (OSError, ValueError):
        return None
    if data["digest"] != digest:
        return None
    rules = tuple(_rule(entry) for entry in data["rules"])
    return Book(rules, data["entries"], Automaton(data["automaton"]))


def _plain(rule: Rule) -> dict[str, Any]:
    return {entry.name: getattr(rule, entry.name) for entry in fields(rule)}


def _rule(data: dict[str, Any]) -> Rule:
    lists = {key: tuple(value) for key, value in data.items() if isinstance(value, list)}
    return Rule(
        **data
        | lists
        | {
            "severity": Severity(data["severity"]),
            "applicability": Applicability(data["applicability"]),
            "pairs": tuple(tuple(pair) for pair in data["pairs"]),
            "swap": {term: tuple(wordings) for term, wordings in data["swap"].items()},
            "classes": {name: tuple(words) for name, words in data["classes"].items()},
        }
    )
