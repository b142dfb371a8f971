"""Rules: what every finding can say about its rule, the form in which a rule is written, and rule files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from unslant.core import taxonomy
from unslant.core.errors import RuleError, UnknownName, nearest
from unslant.core.types import Applicability, Severity

__all__ = ["MATCHERS", "Rule", "WrittenRule", "parse_rules"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What there is to say when a rule has found something."""

    id: str
    title: str
    kind: str
    why: str
    """One kind sentence for the writer."""
    source: str
    """The guidance behind it: a style guide or a paper, by name."""
    dimension: str | None = None
    severity: Severity = Severity.WARNING
    applicability: Applicability = Applicability.REVIEW
    """How its edits may be applied."""
    names: bool = False
    """Whether words written like names match too."""
    matcher: str | None = None
    """How it matches, if not by terms."""


@dataclass(frozen=True, slots=True)
class WrittenRule(Rule):
    """A rule as it is written in a file: with its terms and the sentences that try them."""

    terms: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    """Terms that are best left out."""
    swap: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Terms with wordings to prefer, the best first."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Political terms, each with its counterpart from the other side."""
    unless: tuple[str, ...] = ()
    """Contexts in which a match is a false alarm."""
    flags: tuple[str, ...] = ()
    """Sentences that must be flagged."""
    passes: tuple[str, ...] = ()
    """Sentences that must be left alone."""
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The word lists of its file."""

    def all_terms(self) -> tuple[str, ...]:
        """Return every term once, in the order in which they are written."""
        paired = [term for pair in self.pairs for term in pair]
        return tuple(dict.fromkeys([*self.terms, *self.delete, *self.swap, *paired]))


MATCHERS = ("scare-quotes",)
"""Ways of matching that are code, for rules that are not about particular words."""


_KEYS = tuple(entry.name for entry in fields(WrittenRule) if entry.name != "classes")
_NEEDED = ("id", "title", "kind", "why", "source")


def parse_rules(text: str, name: str) -> tuple[WrittenRule, ...]:
    """Read a rule file; a mistake in it is a ``RuleError`` that names the file and the rule."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{name}: not valid TOML: {error}") from None
    unknown = sorted(set(data) - {"version", "classes", "rule"})
    if unknown:
        raise RuleError(f"{name}: unknown key {unknown[0]!r}; a rule file has version, classes and rule")
    if data.get("version") != 1:
        raise RuleError(f"{name}: version must be 1, the only version of the rule format so far")
    classes = {key: tuple(words) for key, words in data.get("classes", {}).items()}
    rules = tuple(_rule(entry, classes, name) for entry in data.get("rule", []))
    seen: set[str] = set()
    for rule in rules:
        if rule.id in seen:
            raise RuleError(f"{name}: two rules are called {rule.id!r}; give one of them another id")
        seen.add(rule.id)
    return rules


def _rule(entry: Mapping[str, Any], classes: Mapping[str, tuple[str, ...]], name: str) -> WrittenRule:
    where = f"{name}: rule {entry.get('id', '(without id)')!r}"
    for key in entry:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            raise RuleError(f"{where}: unknown key {key!r}." + (f" Did you mean {close!r}?" if close else ""))
    for key in _NEEDED:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise RuleError(f"{where}: {key!r} is needed, as a text")
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
            return Applicability(value)
        case "swap":
            return {term: _strings(key, wordings) for term, wordings in value.items()}
        case "pairs":
            if any(len(_strings(key, pair)) != 2 for pair in value):
                raise ValueError("each entry of 'pairs' is a list of two terms")
            return tuple(tuple(pair) for pair in value)
        case "terms" | "delete" | "unless" | "flags" | "passes":
            return _strings(key, value)
        case _:
            return value


def _strings(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{key!r} must hold lists of texts")
    return tuple(value)


def _check(rule: WrittenRule, where: str) -> None:
    """Look at what types cannot say."""
    kind, slash, rest = rule.id.partition("/")
    if not slash or not rest or kind != rule.kind:
        raise RuleError(
            f"{where}: the id must be the kind, a slash and a name, such as '{rule.kind}/{rest or kind}'"
        )
    if rule.kind == "demographic" and rule.dimension is None:
        raise RuleError(f"{where}: a demographic rule needs a dimension")
    if rule.matcher is not None and rule.matcher not in MATCHERS:
        raise RuleError(f"{where}: unknown matcher {rule.matcher!r}; there is {', '.join(MATCHERS)}")
    if not rule.all_terms() and rule.matcher is None:
        raise RuleError(f"{where}: it matches nothing; give it terms, delete, swap or pairs")
    _check_terms(rule.all_terms() + rule.unless, rule.classes, where)


def _check_terms(terms: Sequence[str], classes: Mapping[str, tuple[str, ...]], where: str) -> None:
    from unslant.rules.terms import parse_term

    for term in terms:
        try:
            parse_term(term, classes)
        except RuleError as error:
            raise RuleError(f"{where}: {error}") from None
