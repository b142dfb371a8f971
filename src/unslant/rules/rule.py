"""Rules: what every finding can say about its rule, the form in which a rule is written, and rule files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from unslant.core import taxonomy
from unslant.core.errors import RuleError, UnknownName, nearest
from unslant.core.files import parse_toml
from unslant.core.types import Applicability, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule without its terms: what a finding shows about it."""

    id: str
    title: str
    kind: str
    why: str
    """One sentence for the writer."""
    source: str
    """The guidance behind it: a style guide or a paper."""
    dimension: str | None = None
    severity: Severity = Severity.WARNING
    applicability: Applicability = Applicability.REVIEW
    """The applicability of its edits."""
    names: bool = False
    """Whether words that look like names also match."""
    matcher: str | None = None
    """The matcher, if it does not match terms."""
    gated: bool = False
    """Whether all its terms are weak: only a model can tell."""
    standard: str = ""
    """The profile that it is meant for; empty: ``people`` for a rule about people, ``news`` for any other."""
    set: str = ""
    """The set that it belongs to, such as ``docs/plain``, if it is reported only on request."""
    counts: tuple[str, ...] = ()
    """Selectors of the findings that the matcher ``cluster`` counts in a paragraph."""
    least: int = 0
    """How many of them make a cluster."""
    each: float = 0.0
    """How many sentences there may be to each of them."""
    senses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words, each with others that say, anywhere in a document, that it has another sense there."""

    @property
    def meant_for(self) -> str:
        """The name of the profile in which its examples are reported."""
        return self.standard or ("people" if self.kind == "demographic" else "news")


@dataclass(frozen=True, slots=True)
class WrittenRule(Rule):
    """A rule as written in a file, with its terms and test sentences."""

    terms: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    """Terms that are best deleted."""
    swap: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Terms with preferred wordings, the best first."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Political terms, each with its counterpart from the other side."""
    weak: tuple[str, ...] = ()
    """Terms that slant only in some contexts, which only a model can tell."""
    unless: tuple[str, ...] = ()
    """Contexts in which a match is a false positive."""
    flags: tuple[str, ...] = ()
    """Sentences that the rule must flag."""
    passes: tuple[str, ...] = ()
    """Sentences that the rule must not flag."""
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The word lists of its file."""

    def all_terms(self) -> tuple[str, ...]:
        """Return every term once, in the order of the file."""
        paired = [term for pair in self.pairs for term in pair]
        return tuple(dict.fromkeys([*self.terms, *self.delete, *self.swap, *paired]))


MATCHERS = ("anaphora", "cluster", "scare-quotes")
"""Matchers that are code, for rules that are not about particular words."""


_KEYS = tuple(entry.name for entry in fields(WrittenRule) if entry.name != "classes")
_CLASS = re.compile(r"<([\w-]+)>")
_MOST_WORDS = 20_000
_REQUIRED = ("id", "title", "kind", "why", "source")


def parse_rules(text: str, name: str) -> tuple[WrittenRule, ...]:
    """Parse a rule file; an error in it raises a ``RuleError`` that names the file and the rule."""
    return rules_in(parse_toml(text, name, RuleError), name)


def rules_in(data: Mapping[str, Any], name: str) -> tuple[WrittenRule, ...]:
    """Return the rules in the table of a rule file, of which ``pack`` is for those who share it."""
    unknown = sorted(set(data) - {"version", "pack", "classes", "rule"})
    if unknown:
        raise RuleError(
            f"{name}: unknown key {unknown[0]!r}; the keys of a rule file are version, pack, classes and rule"
        )
    if data.get("version") != 1:
        raise RuleError(f"{name}: version must be 1")
    classes = _classes(data, name)
    rules = tuple(_rule(entry, classes, name) for entry in _tables(data, name))
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise RuleError(f"{name}: two rules have the id {rule.id!r}; change one of them")
        seen.add(rule.id)
    return rules


def _classes(data: Mapping[str, Any], name: str) -> dict[str, tuple[str, ...]]:
    try:
        return {key: _strings(key, words) for key, words in data.get("classes", {}).items()}
    except (ValueError, AttributeError):
        raise RuleError(f"{name}: 'classes' must be a table of lists of strings") from None


def _tables(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    tables = data.get("rule", [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise RuleError(f"{name}: 'rule' must be a list of tables; write [[rule]] above each rule")
    return tables


def _rule(entry: Mapping[str, Any], classes: Mapping[str, tuple[str, ...]], name: str) -> WrittenRule:
    where = f"{name}: rule {entry.get('id', '(without id)')!r}"
    for key in entry:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            raise RuleError(f"{where}: unknown key {key!r}." + (f" Did you mean {close!r}?" if close else ""))
    for key in _REQUIRED:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise RuleError(f"{where}: {key!r} is required and must be a string")
    try:
        taxonomy.kind(entry["kind"])
        if "dimension" in entry:
            taxonomy.dimension(entry["dimension"])
        rule = WrittenRule(**{key: _value(key, value) for key, value in entry.items()}, classes=classes)
    except (UnknownName, ValueError, TypeError, AttributeError) as error:
        raise RuleError(f"{where}: {error}") from None
    _check(rule, where)
    return rule


def _value(key: str, value: Any) -> Any:
    match key:
        case "severity":
            return Severity(value)
        case "applicability":
            # whether an edit is safe, its record decides, and not the author of the rule
            return (
                Applicability.DISPLAY
                if Applicability(value) is Applicability.DISPLAY
                else Applicability.REVIEW
            )
        case "swap" | "senses":
            return {term: _strings(key, wordings) for term, wordings in value.items()}
        case "pairs":
            if any(len(_strings(key, pair)) != 2 for pair in value):
                raise ValueError("each entry of 'pairs' must be a list of two terms")
            return tuple(tuple(pair) for pair in value)
        case "names" | "gated":
            if not isinstance(value, bool):
                raise ValueError(f"{key!r} must be true or false")
            return value
        case "least" | "each":
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{key!r} must be a number")
            return value
        case "standard" | "set" | "matcher":
            if not isinstance(value, str):
                raise ValueError(f"{key!r} must be a string")
            return value
        case "terms" | "delete" | "weak" | "unless" | "flags" | "passes" | "counts":
            return _strings(key, value)
        case _:
            return value


def _strings(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{key!r} must contain lists of strings")
    return tuple(value)


def _check(rule: WrittenRule, where: str) -> None:
    """Check what the types cannot express."""
    kind, slash, rest = rule.id.partition("/")
    if not slash or not rest or kind != rule.kind:
        raise RuleError(
            f"{where}: the id must be the kind, a slash and a name, such as '{rule.kind}/{rest or kind}'"
        )
    if rule.kind == "demographic" and rule.dimension is None:
        raise RuleError(f"{where}: a demographic rule needs a dimension")
    if rule.matcher is not None and rule.matcher not in MATCHERS:
        raise RuleError(f"{where}: unknown matcher {rule.matcher!r}; use {', '.join(MATCHERS)}")
    if not rule.all_terms() and rule.matcher is None:
        raise RuleError(f"{where}: it matches nothing; add terms, delete, swap or pairs")
    if (rule.matcher == "cluster") != bool(rule.counts and rule.least > 1 and rule.each > 0):
        raise RuleError(f"{where}: the matcher 'cluster' goes with counts, least (2 or more) and each")
    stray = [term for term in rule.weak if term not in rule.all_terms()]
    if stray:
        raise RuleError(f"{where}: 'weak' names {stray[0]!r}, which is not one of its terms")
    terms = rule.all_terms() + rule.unless
    # counted first: reading a long list of words for each of many terms would take hours
    if sum(len(rule.classes.get(name, ())) for term in terms for name in _CLASS.findall(term)) > _MOST_WORDS:
        raise RuleError(f"{where}: its word lists stand for more than {_MOST_WORDS:,} terms; shorten them")
    _check_terms(terms, rule.classes, where)


def _check_terms(terms: Sequence[str], classes: Mapping[str, tuple[str, ...]], where: str) -> None:
    from unslant.rules.terms import parse_term

    for term in terms:
        try:
            parse_term(term, classes)
        except RuleError as error:
            raise RuleError(f"{where}: {error}") from None
