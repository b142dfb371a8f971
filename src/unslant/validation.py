"""Checking what is given from Python: a wrong type or an unknown name is one clear error instead of silence."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from unslant.core.errors import ConfigError, SourceError, nearest
from unslant.core.taxonomy import dimensions, kinds
from unslant.core.types import Document
from unslant.spec import Spec

_TUPLES = ("analyzers", "select", "ignore", "include", "accept", "flag")
"""Fields of a spec that are tuples of texts."""


def check_text(text: object, what: str = "the text") -> None:
    """Raise ``SourceError`` unless this is a text or a document."""
    if not isinstance(text, str | Document):
        hint = "; decode it first" if isinstance(text, bytes | bytearray) else ""
        raise SourceError(f"{what} is {_type(text)}, not str{hint}")


def check_spec(spec: object) -> None:
    """Raise ``ConfigError`` unless this is a spec whose values can be used."""
    if not isinstance(spec, Spec):
        raise ConfigError(f"the spec is {_type(spec)}, not unslant.Spec")
    for field in _TUPLES:
        value: Any = getattr(spec, field)
        if not isinstance(value, tuple) or not all(isinstance(item, str) for item in value):
            example = f"{field}=({str(value)!r},)" if isinstance(value, str) else f"{field}=tuple(…)"
            raise ConfigError(f"Spec({field}=…) is {_type(value)}, not a tuple of str; write {example}")
    if spec.threshold is not None:
        _check_share("threshold", spec.threshold)
    _check_share("budget", spec.budget)
    _check_pair(spec.uncertain)
    _check_selectors(spec)


def _check_share(field: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ConfigError(f"Spec({field}={value!r}) must be a number from 0 to 1")


def _check_pair(value: object) -> None:
    if not isinstance(value, tuple) or len(value) != 2:
        raise ConfigError("Spec(uncertain=…) must be a tuple of two numbers from 0 to 1")
    for part in value:
        _check_share("uncertain", part)


def _check_selectors(spec: Spec) -> None:
    """Look up selectors; the rules are loaded only if one is neither a kind nor a dimension."""
    groups = {*kinds(), *dimensions()}
    others = [name for name in (*spec.select, *spec.ignore, *spec.include) if name not in groups]
    if not others:
        return
    from unslant.rules.analyzer import selectable_ids
    from unslant.rules.compiled import rule_sets

    known = [*selectable_ids(spec.own_rule_files), *(rule_sets() if spec.include else ())]
    for name in others:
        if name not in known and not _matches(name, known):
            close = nearest(name, [*known, *groups])
            hint = f"; did you mean {close!r}?" if close else ""
            raise ConfigError(f"no rule, kind or dimension is named {name!r}{hint}")


def _matches(pattern: str, known: Iterable[str]) -> bool:
    return "/" in pattern and any(fnmatchcase(name, pattern) for name in known)


def _type(value: object) -> str:
    return "None" if value is None else type(value).__name__
