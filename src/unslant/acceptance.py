"""How likely an editor accepts a finding: one calibrated probability for rules and model alike.

The estimate is a logistic regression over what is known about a finding: how often editors accepted findings of the
rule, how strongly the network marks these words in this sentence, and what the network does not see (capital letters,
the kind of document). The coefficients are learned from the editors' corpus and ship with the model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, runtime_checkable

from unslant.core.errors import ModelError
from unslant.core.types import Document, Finding, Sentence, Severity, WordScore

__all__ = [
    "CANDIDATES_FROM",
    "FEATURES",
    "FILE",
    "PROFILES",
    "WARNING_FROM",
    "Acceptance",
    "Accepting",
    "Evidence",
    "features",
    "logit",
    "profile_of",
]

FILE = "acceptance.json"
"""The file of a model package that holds the coefficients."""

PROFILES = ("news", "encyclopedia", "docs")
"""The kinds of document that editors read by different standards."""

CANDIDATES_FROM = 0.2
"""Spans of the network's own from this probability on are scored; less likely ones are never reported."""

WARNING_FROM = 0.75
"""A finding that editors accept in three of four cases is a warning; below, it is a suggestion."""

FEATURES = (
    "bias",
    "span_mean",
    "span_max",
    "sentence",
    "rule",
    "rule_record",
    "rule_span",
    "single_word",
    "capitalized",
    "encyclopedia",
    "docs",
)
"""The inputs of the regression, in order."""

_PRIOR = (2.0, 4.0)
"""Added to every record: a rule that was never seen counts as accepted in two of four cases."""
_LIMIT = 6.0
"""Log-odds beyond this say nothing more."""


_BY_FORMAT = {"wikitext": "encyclopedia", "markdown": "docs"}


def profile_of(document: Document) -> str:
    """Return the profile that a document is judged by; its format decides."""
    return _BY_FORMAT.get(document.format, "news")


def logit(probability: float) -> float:
    """Return the log-odds of a probability, limited to what can be told apart."""
    if probability <= 0:
        return -_LIMIT
    if probability >= 1:
        return _LIMIT
    return max(-_LIMIT, min(_LIMIT, math.log(probability / (1 - probability))))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the analyzers say about one sentence, and what kind of document it is in."""

    words: Sequence[WordScore] = ()
    """The network's score for each word; empty if no network was asked."""
    probability: float | None = None
    """How likely an editor would change something in the sentence."""
    profile: str = "news"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The learned regression; without coefficients, a rule's record alone decides."""

    coefficients: Mapping[str, float] = field(default_factory=dict)
    """By the names in :data:`FEATURES`."""
    records: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """For each rule of the catalogue: how many of its findings editors accepted, and how many it had."""

    def score(self, finding: Finding, sentence: Sentence, evidence: Evidence) -> Finding:
        """Return the finding with its probability, and the severity that follows from it.

        Findings of rules that are not in the catalogue (a user's own), and of other analyzers, stay as they are: the
        user asked for them. What a style guide forbids outright stays an error.
        """
        if finding.origin != "model" and finding.rule not in self.records:
            return finding
        probability = round(self.probability(finding, sentence, evidence), 4)
        severity = Severity.WARNING if probability >= WARNING_FROM else Severity.SUGGESTION
        if finding.severity is Severity.ERROR:
            severity = Severity.ERROR
        return replace(finding, probability=probability, severity=severity)

    def probability(self, finding: Finding, sentence: Sentence, evidence: Evidence) -> float:
        """Return how likely an editor accepts the finding."""
        record = self.record(finding.rule) if finding.rule in self.records else None
        if not evidence.words or not self.coefficients:
            return self.record(finding.rule) if record is not None else finding.probability or 0.5
        values = features(finding, sentence, evidence, record)
        total = sum(
            self.coefficients.get(name, 0.0) * value for name, value in zip(FEATURES, values, strict=True)
        )
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))

    def record(self, rule: str | None) -> float:
        """Return the share of a rule's findings that editors accepted, drawn towards one half where there are few."""
        accepted, total = self.records.get(rule or "", (0, 0))
        return (accepted + _PRIOR[0]) / (total + _PRIOR[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the form in which it is stored."""
        return {
            "format": "unslant/acceptance/1",
            "coefficients": dict(self.coefficients),
            "records": {rule: list(record) for rule, record in sorted(self.records.items())},
        }

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Read the form in which it is stored."""
        try:
            data = json.loads(content)
            return cls(
                {str(name): float(value) for name, value in data["coefficients"].items()},
                {str(rule): (int(record[0]), int(record[1])) for rule, record in data["records"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, RecursionError):
            raise ModelError(f"{FILE} of the model cannot be read; install the model again") from None


def features(
    finding: Finding, sentence: Sentence, evidence: Evidence, record: float | None
) -> tuple[float, ...]:
    """Return the inputs of the regression for one finding, in the order of :data:`FEATURES`."""
    scores = [word.probability for word in evidence.words if word.span.overlaps(finding.span)] or [0.0]
    highest = logit(max(scores))
    inside = finding.span.start > sentence.span.start
    return (
        1.0,
        logit(sum(scores) / len(scores)),
        highest,
        logit(evidence.probability) if evidence.probability is not None else 0.0,
        float(record is not None),
        logit(record) if record is not None else 0.0,
        highest if record is not None else 0.0,
        float(len(scores) == 1),
        float(inside and finding.text[:1].isupper() and not finding.text.isupper()),
        float(evidence.profile == "encyclopedia"),
        float(evidence.profile == "docs"),
    )


@runtime_checkable
class Accepting(Protocol):
    """An analyzer that knows how likely editors accept findings, its own and those of others."""

    acceptance: Acceptance | None
    """None: it does not know after all."""
