"""How likely an editor accepts a finding: one calibrated probability for rules and model alike.

The estimate is a logistic regression over what is known about a finding: how often editors accepted findings of the
rule, how strongly the network marks these words in this sentence, and what the network does not see (capital letters,
the kind of document). The coefficients are learned from the editors' corpus and ship with the model. Where no network
is asked, the record of the rule decides alone. A finding that editors accept in four of five cases is a warning;
below, it is a suggestion, and close to one half it is no longer reported (:mod:`unslant.profiles` has these bounds).
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Protocol, Self, runtime_checkable

from unslant.core.errors import ModelError
from unslant.core.types import Finding, Sentence, Severity, Span, WordScore, join_spans
from unslant.profiles import Profile, profile
from unslant.records import Records, shipped_records

FILE = "acceptance.json"
"""The file of a model package that holds the coefficients."""

CANDIDATES_FROM = 0.2
"""Spans of the network's own from this probability on are scored; less likely ones are never reported."""

FEATURES = (
    "bias",
    "span_mean",
    "span_max",
    "sentence",
    "rule",
    "rule_record",
    "rule_span",
    "single_word",
    "words",
    "supported",
    "capitalized",
    "encyclopedia",
    "docs",
)
"""The inputs of the regression, in order."""

_LIMIT = 6.0
"""Log-odds beyond this say nothing more."""


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
    profile: Profile = field(default_factory=lambda: profile("news"))
    matches: Sequence[Span] = ()
    """Where rules of the catalogue match, in order and disjoint."""
    two_sided: frozenset[str] = frozenset()
    """The rules that list what each political side calls the other, in pairs."""

    def has_match(self, span: Span) -> bool:
        """Return whether a rule matches some of these words."""
        at = bisect_right(self.matches, span.start, key=lambda match: match.end)
        return at < len(self.matches) and self.matches[at].start < span.end


def rule_matches(findings: Iterable[Finding]) -> tuple[Span, ...]:
    """Return where rules match, in order; what overlaps is joined."""
    return join_spans(finding.span for finding in findings if finding.origin == "rules")


@dataclass(frozen=True, slots=True)
class Bound:
    """What one value of ``--threshold`` gives on text that editors marked."""

    threshold: float
    accepted: float
    """The share of the findings that an editor accepts."""
    recall: float
    """The share of the words that must change that some finding meets."""
    wrong: float
    """Other findings per 1,000 words."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The learned regression; without coefficients, a rule's record or the model's own probability decides."""

    coefficients: Mapping[str, float] = field(default_factory=dict)
    """By the names in :data:`FEATURES`."""
    records: Records = field(default_factory=lambda: shipped_records())
    bounds: tuple[Bound, ...] = ()
    """What each value of ``--threshold`` gives, measured on documents that nothing was fitted on."""

    def score(self, finding: Finding, sentence: Sentence, evidence: Evidence) -> Finding:
        """Return the finding with its probability, and the severity that follows from it.

        Findings of rules that are not in the catalogue (a user's own), and of other analyzers, stay as they are: the
        user asked for them. What a style guide forbids outright stays an error.
        """
        probability = self.probability(finding, sentence, evidence)
        if probability is None:
            return finding
        severity = Severity.WARNING if probability >= evidence.profile.warning else Severity.SUGGESTION
        if finding.severity is Severity.ERROR:
            severity = Severity.ERROR
        return replace(finding, probability=round(probability, 4), severity=severity)

    def probability(self, finding: Finding, sentence: Sentence, evidence: Evidence) -> float | None:
        """Return how likely an editor accepts the finding; None where nobody knows."""
        record = self.records.share(finding, evidence.profile.name)
        if record is None and finding.origin != "model":
            return None
        if not evidence.words or not self.coefficients:
            # a weak term of a rule says itself that only a model can tell
            known = [share for share in (record, finding.probability) if share is not None]
            return min(known, default=None)
        values = features(finding, sentence, evidence, record)
        total = sum(
            self.coefficients.get(name, 0.0) * value for name, value in zip(FEATURES, values, strict=True)
        )
        estimate = 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))
        # Words for groups are masked for the network, and of two labels it may know one better than the other:
        # there the record of the rule counts at least as much.
        ruled = finding.kind == "demographic" or finding.rule in evidence.two_sided
        return max(estimate, record) if ruled and record is not None else estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the form in which it is stored; the records ship with the rules."""
        return {
            "format": "unslant/acceptance/2",
            "coefficients": dict(self.coefficients),
            "bounds": [asdict(bound) for bound in self.bounds],
        }

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Read the form in which it is stored."""
        try:
            data = json.loads(content)
            return cls(
                {str(name): float(value) for name, value in data["coefficients"].items()},
                bounds=tuple(
                    Bound(*(float(bound[field.name]) for field in fields(Bound)))
                    for bound in data.get("bounds", ())
                ),
            )
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
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
        math.log(len(scores)),
        float(record is None and evidence.has_match(finding.span)),
        float(inside and finding.text[:1].isupper() and not finding.text.isupper()),
        float(evidence.profile.name == "encyclopedia"),
        float(evidence.profile.name == "docs"),
    )


@runtime_checkable
class Accepting(Protocol):
    """An analyzer that knows how likely editors accept findings, its own and those of others."""

    acceptance: Acceptance | None
    """None: it does not know after all."""
