"""The catalogue and its automaton, ready to use.

Parsing the TOML files and building the automaton takes longer than checking a page. Building the package therefore
writes what checking needs to a JSON file. A digest makes sure that it is used only with the same rule files. The list
of wordings, which is matched like a rule, is kept in the same way.
"""

from __future__ import annotations

import hashlib
import json
import re
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

_FOLDER = Path(__file__).with_name("catalogue")
_FILE = Path(__file__).with_name("compiled.json")
_VERSION = 6
"""The version of the compiled file; to be raised when its format changes."""
_TRAILS = re.compile(r" (?:with|without|who|of|in|on|from|whose|born) ")


class Entry(NamedTuple):
    """One term of one rule."""

    rule: int
    """The index of the rule."""
    exception: bool = False
    """Whether it is a context in which matches of the rule are false positives."""
    lead: int = 0
    """The number of words at the start that are only context."""
    tail: int = 0
    """The number of words at the end that are only context."""
    delete: bool = False
    """Whether the words are best deleted."""
    term: str = ""
    """The term as written, if there are preferred wordings."""
    swap: Sequence[str] = ()
    """Preferred wordings, the best first."""
    frame: str = ""
    """What must follow, as a name in ``frames.FRAMES``."""
    weak: bool = False
    """Whether the words slant only in some contexts, which only a model can tell."""
    paired: bool = False
    """Whether the words have a counterpart from the other political side."""
    trails: bool = False
    """Whether a wording for the words, or for their counterpart, goes on after its noun: *person with an addiction*."""

    def to_data(self) -> int | list[Any]:
        """Return plain data; just the index of the rule if everything else has its default."""
        return self.rule if self == Entry(self.rule) else list(self)


@dataclass(frozen=True, slots=True)
class RuleBook:
    """Rules with the automaton that finds their terms."""

    rules: Sequence[Rule]
    entries: Sequence[int | list[Any]]
    """The entry of each term, as plain data."""
    automaton: Automaton

    def entry(self, number: int) -> Entry:
        """Return the entry of a term."""
        data = self.entries[number]
        return Entry(data) if isinstance(data, int) else Entry(*data)


def make_book(rules: Sequence[WrittenRule]) -> RuleBook:
    """Build the automaton of some rules."""
    from unslant.rules.terms import build, parse_term

    entries = []
    terms = []
    for number, rule in enumerate(rules):
        counterparts = {term: pair for pair in rule.pairs for term in pair}
        for text in (*rule.all_terms(), *rule.unless):
            parsed = parse_term(text, rule.classes)
            swap = rule.swap.get(text, ())
            terms.append(parsed)
            entries.append(
                Entry(
                    number,
                    exception=text in rule.unless,
                    lead=parsed.lead,
                    tail=parsed.tail,
                    delete=text in rule.delete,
                    term=text if swap else "",
                    swap=swap,
                    frame=parsed.frame,
                    weak=rule.gated or text in rule.weak,
                    paired=text in counterparts,
                    trails=any(
                        _TRAILS.search(wording)
                        for term in counterparts.get(text, (text,))
                        for wording in rule.swap.get(term, ())
                    ),
                )
            )
    return RuleBook(rules, [entry.to_data() for entry in entries], build(terms))


@cache
def catalogue_book() -> RuleBook:
    """Return the built-in rules, precompiled or compiled now."""
    files = _files()
    book = read_book(_FILE, digest_files(files))
    return book if book is not None else make_book(_parse_files(files))


@cache
def rules_by_id() -> Mapping[str, Rule]:
    """Return the built-in rules, without their terms, by id."""
    return {rule.id: rule for rule in catalogue_book().rules}


@cache
def rule_sets() -> frozenset[str]:
    """Return the names of the sets of built-in rules that are reported only on request."""
    return frozenset(rule.set for rule in catalogue_book().rules if rule.set)


@cache
def other_senses() -> Mapping[str, tuple[str, ...]]:
    """Return the words of built-in rules that have another sense in some documents, each with the words that say so."""
    return {
        word: others
        for rule in catalogue_book().rules
        for words, others in rule.senses.items()
        for word in words.split("|")
    }


@cache
def paired_rules() -> frozenset[str]:
    """Return the ids of the built-in rules about labels that the two political sides give each other."""
    book = catalogue_book()
    entries = (book.entry(number) for number in range(len(book.entries)))
    return frozenset(book.rules[entry.rule].id for entry in entries if entry.paired)


@cache
def catalogue() -> tuple[WrittenRule, ...]:
    """Return the built-in rules as written, ordered by id."""
    return _parse_files(_files())


def write_compiled(path: Path = _FILE) -> None:
    """Compile the catalogue into a file; called when the package is built."""
    files = _files()
    write_book(path, make_book(_parse_files(files)), digest_files(files))


def write_book(path: Path, book: RuleBook, digest: str) -> None:
    """Write a book to a file, without what only :func:`make_book` needs."""
    names = [entry.name for entry in fields(Rule)]
    data = {
        "digest": digest,
        "rules": [[getattr(rule, name) for name in names] for rule in book.rules],
        "entries": book.entries,
        "nodes": book.automaton.nodes,
        "at_start": sorted(book.automaton.at_start),
    }
    path.write_text(json.dumps(data, separators=(",", ":")), "utf-8")


def read_book(path: Path, digest: str) -> RuleBook | None:
    """Return the book in a file; None if there is none, or if it was made from other files."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    if data["digest"] != digest:
        return None
    return RuleBook(
        [_rule(values) for values in data["rules"]],
        data["entries"],
        Automaton(data["nodes"], data["at_start"]),
    )


def _files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(_FOLDER.glob("*.toml"))}


def digest_files(files: Mapping[str, bytes]) -> str:
    """Return what tells the files of a book, by name, from any others."""
    digest = hashlib.sha256(str(_VERSION).encode())
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()


def _parse_files(files: Mapping[str, bytes]) -> tuple[WrittenRule, ...]:
    from unslant.rules.rule import parse_rules

    rules = [rule for name, content in files.items() for rule in parse_rules(content.decode(), name)]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def _rule(values: list[Any]) -> Rule:
    names = [entry.name for entry in fields(Rule)]
    known = dict(zip(names, values, strict=True))
    known["severity"] = Severity(known["severity"])
    known["applicability"] = Applicability(known["applicability"])
    known["counts"] = tuple(known["counts"])
    known["senses"] = {word: tuple(others) for word, others in known["senses"].items()}
    return Rule(**known)
