"""How each sort of value is checked.

A reader of a value always returns something of its type: what it cannot use it tells the collector, and the
settings are not built then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from unslant.config.files import printable
from unslant.config.reading import Collector, Problem, Reading, did_you_mean, shown
from unslant.config.settings import KnownRules, RuleFiles
from unslant.core.errors import InputError
from unslant.core.types import Severity

__all__ = [
    "analyzers",
    "check_selectors",
    "choice",
    "folder",
    "formats",
    "fraction",
    "fractions",
    "per_file_ignores",
    "replacements",
    "rewriter",
    "rule_files",
    "segmenter",
    "selectors",
    "severities",
    "strings",
    "switch",
    "whole",
]


def switch(reading: Reading) -> bool:
    """Read true or false."""
    if isinstance(reading.value, bool):
        return reading.value
    reading.must_be("true or false")
    return False


def fraction(reading: Reading) -> float:
    """Read a number from 0 to 1."""
    value = reading.value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    reading.must_be("a number from 0 to 1")
    return 0.0


def fractions(reading: Reading) -> tuple[float, float]:
    """Read two numbers from 0 to 1, the smaller first."""
    value = reading.value
    if not isinstance(value, list | tuple) or len(value) != 2:
        reading.must_be("a list of two numbers from 0 to 1")
        return 0.0, 1.0
    low, high = (fraction(reading.child(index, item)) for index, item in enumerate(value))
    if low > high and (low, high) == tuple(value):
        reading.fail("must hold the smaller number first.")
    return low, high


def folder(reading: Reading) -> str:
    """Read the path of a folder; empty for none."""
    value = os.fspath(reading.value) if isinstance(reading.value, os.PathLike) else reading.value
    if not isinstance(value, str):
        reading.must_be("a path")
        return ""
    return str(reading.source.base / value) if value else ""


def whole(least: int) -> Callable[[Reading], int]:
    """Return a reader of whole numbers that are not below ``least``."""

    def read(reading: Reading) -> int:
        value = reading.value
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        reading.must_be(f"a whole number, {least} or more")
        return least

    return read


def choice(*allowed: str) -> Callable[[Reading], str]:
    """Return a reader of one of these names."""

    def read(reading: Reading) -> str:
        value = reading.value
        if isinstance(value, str) and value in allowed:
            return str(value)
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        reading.must_be(f"one of {', '.join(allowed)}", hint)
        return allowed[0]

    return read


def segmenter(reading: Reading) -> str:
    """Read the name of a segmenter."""
    from unslant.registry import names

    return choice(*names("segmenter"))(reading)


def analyzers(reading: Reading) -> tuple[str, ...]:
    """Read the names of analyzers."""
    from unslant.registry import names

    known = names("analyzer")
    read = choice(*known)
    items = list(_items(reading))
    chosen = tuple(
        str(item.value) if _takes_the_rest(str(item.value), known) else read(item) for item in items
    )
    for item in items:
        if item.value in known and str(item.value).endswith(":"):
            item.fail(f"must say which one after {item.value!r}.")
    if reading.value in ([], ()):
        reading.fail("must name at least one.")
    return chosen


def rewriter(reading: Reading) -> str:
    """Read the name of a rewriter."""
    from unslant.registry import names

    known = names("rewriter")
    if isinstance(reading.value, str) and _takes_the_rest(reading.value, known):
        return reading.value
    if isinstance(reading.value, str) and reading.value in known and reading.value.endswith(":"):
        reading.fail(f"must say which one after {reading.value!r}.")
        return "edits"
    return choice(*known)(reading)


def _takes_the_rest(name: str, known: Sequence[str]) -> bool:
    stem, colon, rest = name.partition(":")
    return bool(rest) and stem + colon in known


def strings(reading: Reading) -> tuple[str, ...]:
    """Read a list of strings, none of them blank."""
    return tuple(str(item.value) for item in _items(reading))


def selectors(reading: Reading) -> tuple[str, ...]:
    """Read a list of selectors; whether they name anything is checked when all rules are known."""
    items = list(_items(reading))
    reading.collector.selectors += items
    return tuple(str(item.value) for item in items)


def per_file_ignores(reading: Reading) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read globs, each with its selectors."""
    return tuple((glob, selectors(item)) for glob, item in _entries(reading))


def severities(reading: Reading) -> tuple[tuple[str, Severity], ...]:
    """Read selectors, each with its severity."""
    read = choice(*(severity.value for severity in Severity))
    entries = list(_entries(reading))
    reading.collector.selectors += [
        Reading(selector, item.path, item.source, item.collector) for selector, item in entries
    ]
    return tuple((selector, Severity(read(item))) for selector, item in entries)


def formats(reading: Reading) -> dict[str, str]:
    """Read globs, each with the name of a format."""
    from unslant.registry import names

    read = choice(*names("reader"))
    return {glob: read(item) for glob, item in _entries(reading)}


def replacements(reading: Reading) -> tuple[tuple[str, str], ...]:
    """Read words and phrases, each with the wording to prefer."""
    pairs = []
    for phrase, item in _entries(reading):
        if not isinstance(item.value, str):
            item.must_be("a string")
        pairs.append((phrase, str(item.value)))
    return tuple(pairs)


def rule_files(reading: Reading) -> tuple[tuple[str, str], ...]:
    """Read files of rules: the name, from where the configuration lies, and the content of each."""
    return tuple(_rule_file(item) for item in _items(reading))


def _rule_file(item: Reading) -> tuple[str, str]:
    written = Path(str(item.value))
    path = item.source.base / written
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        item.fail(f"names {printable(str(written))!r}, which {_why_unread(error)}.")
        return "", ""
    if written.is_absolute() or item.source.base == item.source.root:
        return written.as_posix(), text
    try:
        return Path(os.path.relpath(path, item.source.root)).as_posix(), text
    except ValueError:  # another drive
        return path.as_posix(), text


def _why_unread(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a folder"
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read ({(reason or 'not a path').lower()})"


def _items(reading: Reading) -> Iterator[Reading]:
    """Yield the strings of a list; what is none is told and left out."""
    value = reading.value
    if not isinstance(value, list | tuple):
        hint = f'. Did you mean ["{printable(value)}"]?' if isinstance(value, str) else ""
        reading.must_be("a list of strings", hint)
        return
    for index, written in enumerate(value):
        item = reading.child(index, os.fspath(written) if isinstance(written, os.PathLike) else written)
        if not isinstance(item.value, str):
            item.fail(f"must hold only strings, not {shown(item.value)}.")
        elif not item.value.strip():
            item.fail("must not hold an empty string.")
        else:
            yield item


def _entries(reading: Reading) -> Iterator[tuple[str, Reading]]:
    """Yield the entries of a table."""
    if not isinstance(reading.value, dict):
        reading.must_be("a table")
        return
    for key, value in reading.value.items():
        item = reading.child(key, value)
        if key.strip():
            yield key, item
        else:
            reading.child(key, value).tell(f"{reading.source.name(reading.path)} must not hold an empty key.")


def check_selectors(collector: Collector, rule_files: RuleFiles, known_rules: KnownRules) -> None:
    """Tell the collector of every selector that names no kind, dimension or rule.

    The rules are asked for only if kinds and dimensions do not settle it, for that is slower.
    """
    if not collector.selectors:
        return
    from unslant.core.taxonomy import dimensions, kinds

    groups = (*kinds(), *dimensions())
    others = [reading for reading in collector.selectors if reading.value not in groups]
    if not others:
        return
    try:
        rules = known_rules(rule_files)
    except InputError as error:  # a rule file that cannot be used
        collector.problems.append(Problem(0, str(error)))
        return
    for reading in others:
        if not _names_a_rule(str(reading.value), rules):
            _tell(reading, (*groups, *rules), kinds())


def _names_a_rule(selector: str, rules: Iterable[str]) -> bool:
    return "/" in selector and any(fnmatchcase(rule, selector) for rule in rules)


def _tell(reading: Reading, known: Iterable[str], kinds: Iterable[str]) -> None:
    selector = str(reading.value)
    name = reading.source.name(reading.path[:1])
    otherwise = "; 'unslant rules' lists all rules."
    if any(char in selector for char in "*?["):
        hint = did_you_mean(selector, [f"{kind}/*" for kind in kinds], otherwise)
        reading.tell(f"{name} has the pattern {selector!r}, which matches no rule{hint}")
    else:
        hint = did_you_mean(selector, known, otherwise)
        reading.tell(f"{name} has {selector!r}, which is no rule, kind or dimension{hint}")
