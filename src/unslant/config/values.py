"""Validation of every type of value.

A ``read_…`` function always returns a value of its type. It reports an invalid value to the collector, and the
settings are then not built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from unslant.config.files import is_remote, is_trusted, loads_model, printable
from unslant.config.sources import Collector, ConfigProblem, RawValue, did_you_mean, show_value
from unslant.core.errors import InputError, RuleError
from unslant.core.files import NotRegular, read_text
from unslant.core.types import Severity
from unslant.profiles import AUTO, profiles

if TYPE_CHECKING:
    from unslant.config.settings import KnownRules, RuleFiles


def read_bool(raw: RawValue) -> bool:
    """Read true or false."""
    if isinstance(raw.value, bool):
        return raw.value
    raw.reject_type("true or false")
    return False


def read_fraction(raw: RawValue) -> float:
    """Read a number from 0 to 1."""
    value = raw.value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raw.reject_type("a number from 0 to 1")
    return 0.0


def read_threshold(raw: RawValue) -> float | None:
    """Read a number from 0 to 1, or ``auto`` for None."""
    if raw.value == AUTO:
        return None
    value = raw.value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raw.reject_type("a number from 0 to 1")
    return None


def read_fraction_pair(raw: RawValue) -> tuple[float, float]:
    """Read two numbers from 0 to 1, the smaller first."""
    value = raw.value
    if not isinstance(value, list | tuple) or len(value) != 2:
        raw.reject_type("a list of two numbers from 0 to 1")
        return 0.0, 1.0
    low, high = (read_fraction(raw.child(index, item)) for index, item in enumerate(value))
    if low > high and (low, high) == tuple(value):
        raw.reject("must have the smaller number first.")
    return low, high


def read_folder(raw: RawValue) -> str:
    """Read the path of a folder; empty means none."""
    value = os.fspath(raw.value) if isinstance(raw.value, os.PathLike) else raw.value
    if not isinstance(value, str):
        raw.reject_type("a path")
        return ""
    return str(raw.source.base / value) if value else ""


def integer_reader(least: int) -> Callable[[RawValue], int]:
    """Return a function that reads whole numbers of at least ``least``."""

    def read(raw: RawValue) -> int:
        value = raw.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raw.reject_type(f"a whole number, {least} or more")
        return least

    return read


def choice_reader(*allowed: str) -> Callable[[RawValue], str]:
    """Return a function that reads one of these names."""

    def read(raw: RawValue) -> str:
        value = raw.value
        if isinstance(value, str) and value in allowed:
            return str(value)
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        raw.reject_type(f"one of {', '.join(allowed)}", hint)
        return allowed[0]

    return read


def read_segmenter(raw: RawValue) -> str:
    """Read the name of a segmenter."""
    from unslant.registry import names

    return choice_reader(*names("segmenter"))(raw)


def read_analyzers(raw: RawValue) -> tuple[str, ...]:
    """Read the names of analyzers."""
    from unslant.registry import built_in, names

    items = list(_items(raw))
    known = built_in("analyzer")
    if not all(item.value in known for item in items):
        known = names("analyzer")  # asking other packages takes time
    read = choice_reader(*known)
    chosen = tuple(str(item.value) if _has_argument(str(item.value), known) else read(item) for item in items)
    for item in items:
        if item.value in known and str(item.value).endswith(":"):
            item.reject(f"must name a model after {item.value!r}.")
        _check_trust(item)
    if raw.value in ([], ()):
        raw.reject("must name at least one analyzer.")
    return chosen


def read_rewriter(raw: RawValue) -> str:
    """Read the name of a rewriter."""
    from unslant.registry import names

    known = names("rewriter")
    _check_trust(raw)
    if isinstance(raw.value, str) and _has_argument(raw.value, known):
        return raw.value
    if isinstance(raw.value, str) and raw.value in known and raw.value.endswith(":"):
        raw.reject(f"must name a model after {raw.value!r}.")
        return AUTO
    return choice_reader(AUTO, *known)(raw)


def _check_trust(raw: RawValue) -> None:
    """Refuse a model that a project's file names, unless the user trusts its folder; refuse a server always."""
    name = str(raw.value)
    if not loads_model(name) or name.endswith(":") or raw.source.explicit:
        return
    if is_remote(name):
        raw.reject("sends text to a server, which a project's file cannot ask for; use the command line.")
    elif not is_trusted(raw.source.root):
        raw.reject("loads a model, which only a trusted folder can ask for; see 'unslant trust --help'.")


def read_model(raw: RawValue) -> str:
    """Read the folder of a model; in a project's file, only if the user trusts its folder."""
    folder = read_folder(raw)
    if folder and not raw.source.explicit and not is_trusted(raw.source.root):
        raw.reject("loads a model, which only a trusted folder can ask for; see 'unslant trust --help'.")
    return folder


def _has_argument(name: str, known: Sequence[str]) -> bool:
    stem, colon, rest = name.partition(":")
    return bool(rest) and stem + colon in known


def read_strings(raw: RawValue) -> tuple[str, ...]:
    """Read a list of strings; blank strings are invalid."""
    return tuple(str(item.value) for item in _items(raw))


def read_selectors(raw: RawValue) -> tuple[str, ...]:
    """Read a list of selectors; whether they exist is checked once all rules are known."""
    items = list(_items(raw))
    raw.collector.selectors += items
    return tuple(str(item.value) for item in items)


def read_included(raw: RawValue) -> tuple[str, ...]:
    """Read a list of rules and of sets of rules."""
    from unslant.rules.compiled import rule_sets

    items = list(_items(raw))
    raw.collector.selectors += [item for item in items if item.value not in rule_sets()]
    return tuple(str(item.value) for item in items)


def read_per_file_ignores(raw: RawValue) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read globs, each with its selectors."""
    return tuple((glob, read_selectors(item)) for glob, item in _entries(raw))


def read_severities(raw: RawValue) -> tuple[tuple[str, Severity], ...]:
    """Read selectors, each with its severity."""
    read = choice_reader(*(severity.value for severity in Severity))
    entries = list(_entries(raw))
    raw.collector.selectors += [
        RawValue(selector, item.path, item.source, item.collector) for selector, item in entries
    ]
    return tuple((selector, Severity(read(item))) for selector, item in entries)


def read_severity(raw: RawValue) -> Severity:
    """Read a severity."""
    return Severity(choice_reader(*(severity.value for severity in Severity))(raw))


def read_profiles(raw: RawValue) -> tuple[tuple[str, str], ...]:
    """Read globs, each with the name of a profile."""
    read = choice_reader(AUTO, *profiles())
    return tuple((glob, read(item)) for glob, item in _entries(raw))


def read_formats(raw: RawValue) -> dict[str, str]:
    """Read globs, each with the name of a format."""
    from unslant.registry import names

    read = choice_reader(*names("reader"))
    return {glob: read(item) for glob, item in _entries(raw)}


def read_replacements(raw: RawValue) -> tuple[tuple[str, str], ...]:
    """Read words and phrases, each with its preferred wording."""
    pairs = []
    for phrase, item in _entries(raw):
        if not isinstance(item.value, str):
            item.reject_type("a string")
        pairs.append((phrase, str(item.value)))
    return tuple(pairs)


def read_packs(raw: RawValue) -> tuple[tuple[str, str], ...]:
    """Read rule packs: the name as written and the content of each."""
    from unslant.rules.pack import read_pack

    packs = {}
    for item in _items(raw):
        written = str(item.value)
        try:
            # a project's file must not make us read files elsewhere
            packs[written] = read_pack(written, item.source.base, inside=item.source.base)
        except RuleError as error:
            message = printable(str(error))
            item.report(f"{item.source.name(raw.path)}: {message}{'' if message.endswith('?') else '.'}")
    return tuple(packs.items())


def read_rule_files(raw: RawValue) -> tuple[tuple[str, str], ...]:
    """Read rule files: the name, relative to the configuration, and the content of each."""
    return tuple(_rule_file(item) for item in _items(raw))


def _rule_file(item: RawValue) -> tuple[str, str]:
    written = Path(str(item.value))
    path = item.source.base / written
    try:
        text = read_text(path)
    except InputError as error:
        item.reject(f"names {printable(str(written))!r}, which {_why_unread(error.__cause__)}.")
        return "", ""
    if written.is_absolute() or item.source.base == item.source.root:
        return written.as_posix(), text
    try:
        return Path(os.path.relpath(path, item.source.root)).as_posix(), text
    except ValueError:  # another drive
        return path.as_posix(), text


def _why_unread(error: BaseException | None) -> str:
    if error is None:
        return "is too large for a rule file"
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, NotRegular):
        return f"is {error}"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read ({(reason or 'not a path').lower()})"


def _items(raw: RawValue) -> Iterator[RawValue]:
    """Yield the strings of a list; report and skip everything else."""
    value = raw.value
    if not isinstance(value, list | tuple):
        hint = f'. Did you mean ["{printable(value)}"]?' if isinstance(value, str) else ""
        raw.reject_type("a list of strings", hint)
        return
    for index, written in enumerate(value):
        item = raw.child(index, os.fspath(written) if isinstance(written, os.PathLike) else written)
        if not isinstance(item.value, str):
            item.reject(f"must contain only strings, not {show_value(item.value)}.")
        elif not item.value.strip():
            item.reject("must not contain an empty string.")
        else:
            yield item


def _entries(raw: RawValue) -> Iterator[tuple[str, RawValue]]:
    """Yield the entries of a table."""
    if not isinstance(raw.value, dict):
        raw.reject_type("a table")
        return
    for key, value in raw.value.items():
        item = raw.child(key, value)
        if key.strip():
            yield key, item
        else:
            raw.child(key, value).report(f"{raw.source.name(raw.path)} must not contain an empty key.")


def check_selectors(collector: Collector, rule_files: RuleFiles, known_rules: KnownRules) -> None:
    """Report every selector that does not name a kind, dimension or rule.

    The rules are loaded only if a selector is neither a kind nor a dimension, because loading them is slower.
    """
    if not collector.selectors:
        return
    from unslant.core.taxonomy import dimensions, kinds

    groups = (*kinds(), *dimensions())
    others = [raw for raw in collector.selectors if raw.value not in groups]
    if not others:
        return
    try:
        rules = known_rules(rule_files)
    except InputError as error:  # an invalid rule file
        collector.problems.append(ConfigProblem(0, str(error)))
        return
    for raw in others:
        if not _names_a_rule(str(raw.value), rules):
            _report_unknown(raw, (*groups, *rules), kinds())


def _names_a_rule(selector: str, rules: Iterable[str]) -> bool:
    return "/" in selector and any(fnmatchcase(rule, selector) for rule in rules)


def _report_unknown(raw: RawValue, known: Iterable[str], kinds: Iterable[str]) -> None:
    selector = str(raw.value)
    name = raw.source.name(raw.path[:1])
    otherwise = "; 'unslant rules' lists all rules."
    if any(char in selector for char in "*?["):
        hint = did_you_mean(selector, [f"{kind}/*" for kind in kinds], otherwise)
        raw.report(f"{name}: the pattern {selector!r} matches no rule{hint}")
    else:
        hint = did_you_mean(selector, known, otherwise)
        raw.report(f"{name}: {selector!r} is not a rule, kind or dimension{hint}")
