"""One number for a text, for the sake of endpoints whose shape knows nothing else."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from unslant.core.types import Finding, Report, SentenceVerdict, Severity

__all__ = ["Score", "by_sentence", "score"]

_STAND_IN = {Severity.SUGGESTION: 0.5, Severity.WARNING: 0.8, Severity.ERROR: 0.95}
"""What stands for a finding that nobody has given a probability, as a rule either matches or does not."""


@dataclass(frozen=True, slots=True, order=True)
class Score:
    """A number between 0 and 1."""

    value: float
    judged: bool
    """Whether it is a probability, and not what stands for a severity or for silence."""


_SILENCE = Score(0.0, False)


def score(
    sentences: Iterable[SentenceVerdict], findings: Iterable[Finding], matters: Callable[[Finding], bool]
) -> Score:
    """Return the highest of what is known: probabilities of the sentences, and the findings that matter."""
    known = [Score(one.probability, True) for one in sentences if one.probability is not None]
    for finding in filter(matters, findings):
        judged = finding.probability is not None
        value = finding.probability if finding.probability is not None else _STAND_IN[finding.severity]
        known.append(Score(value, judged))
    return max(known, default=_SILENCE)


def by_sentence(report: Report) -> list[tuple[SentenceVerdict, list[Finding]]]:
    """Return every sentence with the findings in it, in one go through both."""
    starts = [sentence.span.start for sentence in report.sentences]
    found: list[list[Finding]] = [[] for _ in starts]
    for finding in report.findings:
        found[bisect_right(starts, finding.span.start) - 1].append(finding)
    return list(zip(report.sentences, found, strict=True))
