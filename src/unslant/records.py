"""The records of the rules: how often editors accepted their findings, by kind of text and by wording.

``records.json`` ships with the catalogue; ``unslant train records`` counts it on the training part of the editors'
corpus. It decides how likely a rule's finding is to be accepted where no model is asked, and is part of the evidence
where one is.

A share is drawn towards the next broader one where there are few findings: that of the same words towards that of the
rule in this kind of text, that towards the rule's own, and that towards the share of all rules of the same severity.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from unslant.core.errors import UnslantError
from unslant.core.types import Finding

PATH = Path(__file__).with_name("records.json")
"""The records that ship."""

_WEIGHT = 4.0
"""How many findings the broader share counts for."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many findings editors accepted, and how many there were."""

    accepted: int = 0
    findings: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.accepted + other.accepted, self.findings + other.findings)

    def share(self, broader: float) -> float:
        """Return the share that was accepted, drawn towards a broader one where there are few findings."""
        return (self.accepted + _WEIGHT * broader) / (self.findings + _WEIGHT)


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """The record of one rule."""

    by_profile: Mapping[str, Counts] = field(default_factory=dict)
    """By kind of text, as in :mod:`unslant.profiles`."""
    by_wording: Mapping[str, Counts] = field(default_factory=dict)
    """By the words that were found; only those that occur often enough to tell, and none of rules about groups."""
    weak: Mapping[str, Counts] = field(default_factory=dict)
    """By kind of text, for terms that the rule itself calls weak."""

    @property
    def total(self) -> Counts:
        """All findings of the rule."""
        return sum((*self.by_profile.values(), *self.weak.values()), Counts())


@dataclass(frozen=True, slots=True)
class Records:
    """The records of all rules of the catalogue."""

    rules: Mapping[str, RuleRecord] = field(default_factory=dict)
    severities: Mapping[str, float] = field(default_factory=dict)
    """The share that was accepted of all findings of rules with this severity, and of all ``weak`` terms."""

    def share(self, finding: Finding, profile: str) -> float | None:
        """Return how likely editors accept a rule's finding in this kind of text; None: no rule of the catalogue.

        The finding must still have the severity of its rule, and a probability only if its term is weak.
        """
        record = self.rules.get(finding.rule or "")
        if record is None:
            return None
        weak = finding.probability is not None
        counts = record.weak if weak else record.by_profile
        broadest = self.severities.get("weak" if weak else finding.severity.value, 0.5)
        by_rule = sum(counts.values(), Counts()).share(broadest)
        by_profile = counts.get(profile, Counts()).share(by_rule)
        return record.by_wording.get(plain_wording(finding.text), Counts()).share(by_profile)

    def to_dict(self) -> dict[str, Any]:
        """Return the form in which they are stored."""
        return {
            "format": "unslant/records/1",
            "severities": {name: round(share, 4) for name, share in sorted(self.severities.items())},
            "rules": {
                rule: {
                    "profiles": _to_table(record.by_profile),
                    **({"wordings": _to_table(record.by_wording)} if record.by_wording else {}),
                    **({"weak": _to_table(record.weak)} if record.weak else {}),
                }
                for rule, record in sorted(self.rules.items())
            },
        }

    @classmethod
    def parse(cls, content: str) -> Self:
        """Read the form in which they are stored."""
        try:
            data = json.loads(content)
            return cls(
                {
                    str(rule): RuleRecord(
                        _read(record["profiles"]),
                        _read(record.get("wordings", {})),
                        _read(record.get("weak", {})),
                    )
                    for rule, record in data["rules"].items()
                },
                {str(name): float(share) for name, share in data["severities"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UnslantError("the records of the rules cannot be read; reinstall unslant") from None


def plain_wording(text: str) -> str:
    """Return words as they are looked up in a record: in lower case, with single spaces."""
    return " ".join(text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())


def _to_table(counts: Mapping[str, Counts]) -> dict[str, list[int]]:
    return {name: [count.accepted, count.findings] for name, count in sorted(counts.items())}


def _read(data: Mapping[str, list[int]]) -> dict[str, Counts]:
    return {str(name): Counts(int(accepted), int(findings)) for name, (accepted, findings) in data.items()}


def shipped_records() -> Records:
    """Return the records that ship with the catalogue."""
    return load_records(PATH)


@cache
def load_records(path: Path) -> Records:
    """Read the records in a file; without the file, no rule has a record."""
    return Records.parse(path.read_text("utf-8")) if path.is_file() else Records()
