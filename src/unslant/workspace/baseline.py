"""Baselines: existing findings that are accepted for now, in a file under version control.

A finding is identified by its fingerprint, so it stays accepted when its sentence moves. If its sentence changes, it
stays accepted as long as most words of the sentence stay. The file also contains the rule, the words and their
sentence.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from unslant.core.errors import ConfigError, InputError
from unslant.core.files import explain_unwritten, parse_json, quote_name, read_bytes, write_atomic
from unslant.core.types import Finding
from unslant.text.kept import LONGEST_SENTENCE, mostly_same, one_line

SCHEMA = "unslant/baseline/1"
"""The name and version of the file format."""

_UPDATE = "create it again with: unslant baseline"
_LONGEST = 80
SentenceOf = Callable[[Finding], str]
"""Returns the sentence of a finding, or nothing if it is not known."""


@dataclass(frozen=True, slots=True)
class AcceptedFinding:
    """A finding that a baseline accepts."""

    path: str
    fingerprint: str
    rule: str
    text: str
    """The words, on one line, possibly shortened."""
    count: int = 1
    """The number of equal findings that are accepted."""
    sentence: str = ""
    """The sentence, on one line, possibly shortened; empty if unknown."""


class Baseline:
    """The accepted findings of some files."""

    def __init__(self, accepted: Iterable[AcceptedFinding] = ()) -> None:
        self._accepted: dict[str, dict[str, AcceptedFinding]] = {}
        for entry in accepted:
            self._accepted.setdefault(entry.path, {})[entry.fingerprint] = entry
        self._left: dict[str, Counter[str]] = {}

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a baseline; raise ``ConfigError`` if it is invalid."""
        name = quote_name(path)
        try:
            data = parse_json(read_bytes(path), name)
        except InputError as error:
            raise ConfigError(f"the baseline {error}; correct it or {_UPDATE}") from error
        schema = data.get("schema") if isinstance(data, dict) else None
        if schema != SCHEMA:
            raise ConfigError(f"{name} is not a baseline of this version ({SCHEMA}); {_UPDATE}")
        try:
            return cls(list(_entries(data)))
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"the baseline {name} has an invalid entry; {_UPDATE}") from error

    def filter(
        self, path: str, findings: Iterable[Finding], sentence_of: SentenceOf = lambda _: ""
    ) -> list[Finding]:
        """Return the findings of a file that are not accepted; of equal findings, those beyond the accepted number."""
        entries = self._accepted.get(path, {})
        left = Counter({fingerprint: entry.count for fingerprint, entry in entries.items()})
        changed = []
        for finding in findings:
            if left[finding.fingerprint] > 0:
                left[finding.fingerprint] -= 1
            else:
                changed.append(finding)
        # what was found as it was has its entry; the others may stand in sentences that were edited
        fresh = []
        for finding in changed:
            sentence = sentence_of(finding)
            near = [entries[name] for name, count in left.items() if count > 0 and name in entries]
            match = next((entry for entry in near if _is_edited(entry, finding, sentence)), None)
            if match is None:
                fresh.append(finding)
            else:
                left[match.fingerprint] -= 1
        self._left[path] = +left
        return fresh

    def unused(self) -> list[AcceptedFinding]:
        """Return accepted findings that no longer occur in the files filtered so far, sorted by path."""
        return [
            AcceptedFinding(path, fingerprint, entry.rule, entry.text, self._left[path][fingerprint])
            for path in sorted(self._left)
            for fingerprint, entry in self._accepted.get(path, {}).items()
            if self._left[path][fingerprint]
        ]


def entry_name(file: Path, baseline: Path) -> str:
    """Return the name of a file in a baseline: relative to the baseline's folder, with forward slashes."""
    folder = os.path.realpath(baseline.parent)
    return Path(os.path.relpath(os.path.realpath(file), folder)).as_posix()


def _is_edited(entry: AcceptedFinding, finding: Finding, sentence: str) -> bool:
    """Return whether a finding is an accepted one in a sentence of which at most half of the words have changed."""
    same = (entry.rule, entry.text) == (finding.rule or finding.kind, _short(finding.text))
    if not same or not entry.sentence or not sentence:
        return False
    return mostly_same(entry.sentence, one_line(sentence, LONGEST_SENTENCE))


def write(
    path: Path, findings: Mapping[str, Iterable[Finding]], sentence_of: SentenceOf = lambda _: ""
) -> int:
    """Write a baseline that accepts these findings, by file name; return their number.

    The order is fixed and each finding has its own line, so that diffs are readable.
    """
    accepted = [entry for name in sorted(findings) for entry in _accept(name, findings[name], sentence_of)]
    blocks = []
    for name, entries in groupby(accepted, key=lambda entry: entry.path):
        lines = ",\n".join(f"      {_json(entry.fingerprint)}: {_json(_value(entry))}" for entry in entries)
        blocks.append(f"    {_json(name)}: {{\n{lines}\n    }}")
    files = "{\n" + ",\n".join(blocks) + "\n  }" if blocks else "{}"
    text = f'{{\n  "schema": {_json(SCHEMA)},\n  "files": {files}\n}}\n'
    try:
        # A lone surrogate cannot be encoded, but JSON has the same escape for it as Python.
        write_atomic(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigError(f"the baseline {explain_unwritten(path, error)}") from error
    return sum(entry.count for entry in accepted)


def _accept(name: str, findings: Iterable[Finding], sentence_of: SentenceOf) -> list[AcceptedFinding]:
    found = list(findings)
    counts = Counter(finding.fingerprint for finding in found)
    entries = {
        AcceptedFinding(
            name,
            finding.fingerprint,
            finding.rule or finding.kind,
            _short(finding.text),
            sentence=one_line(sentence_of(finding), LONGEST_SENTENCE),
        )
        for finding in {finding.fingerprint: finding for finding in found}.values()
    }
    ordered = sorted(entries, key=lambda entry: (entry.rule, entry.text, entry.fingerprint))
    return [replace(entry, count=counts[entry.fingerprint]) for entry in ordered]


def _short(text: str) -> str:
    return one_line(text, _LONGEST)


def _value(entry: AcceptedFinding) -> dict[str, Any]:
    value: dict[str, Any] = {"rule": entry.rule, "text": entry.text}
    if entry.sentence:
        value["sentence"] = entry.sentence
    return value if entry.count == 1 else {**value, "count": entry.count}


def _entries(data: Mapping[str, Any]) -> Iterator[AcceptedFinding]:
    for path, entries in data["files"].items():
        for fingerprint, value in entries.items():
            yield AcceptedFinding(
                path,
                fingerprint,
                str(value["rule"]),
                str(value["text"]),
                int(value.get("count", 1)),
                str(value.get("sentence", "")),
            )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
