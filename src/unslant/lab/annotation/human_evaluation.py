"""Human evaluation of rewrites: who passed the test, means with intervals, and t-tests.

An item's score is the mean over its annotators, and items are the sampling unit, so that many annotators of one
sentence do not count as many sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from unslant.core.encoding import Encoded
from unslant.core.errors import MissingExtra
from unslant.lab.annotation.coefficients import Ratings, RatingScale, alpha
from unslant.lab.annotation.project import QUESTIONS, RatingQuestion
from unslant.lab.stats.bootstrap import Estimate, Resampling

if TYPE_CHECKING:
    from unslant.lab.annotation.results import HumanJudgement


@dataclass(frozen=True, slots=True)
class Qualification(Encoded):
    """How one annotator did in the test."""

    annotator: str
    answered: int
    wanted: int
    """The number of answers in a complete test."""
    errors: int
    passed: bool
    """Whether the test is complete, with no more errors than the limit allows."""


@dataclass(frozen=True, slots=True)
class SystemMean(Encoded):
    """The mean of one question for one system, with a t interval over items."""

    system: str
    question: str
    items: int
    mean: Estimate
    p: float | None
    """Of a two-sided t-test against 0, for questions whose scale has a 0: no difference to the source; else None."""


@dataclass(frozen=True, slots=True)
class SystemComparison(Encoded):
    """Two systems on the items that both rewrote: a two-sided paired t-test."""

    question: str
    first: str
    second: str
    items: int
    difference: Estimate
    """The mean of first minus second."""
    t: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class HumanEvaluation(Encoded):
    """The result of a human evaluation."""

    qualifications: Sequence[Qualification]
    means: Sequence[SystemMean]
    comparisons: Sequence[SystemComparison]
    agreement: Mapping[str, Estimate]
    """Krippendorff's alpha of each question, interval."""


def qualify(manifest: Mapping[str, Any], answers: Sequence[HumanJudgement]) -> list[Qualification]:
    """Return how every annotator did in the test; an empty list where the project has none.

    An answer is an error if it is not among the right ones, as seen from the rewrite. Right answers are given for the
    rewrite too: 2 for fluency says that the rewrite is much more fluent.
    """
    gold = {name: entry["gold"] for name, entry in manifest["items"].items() if "gold" in entry}
    if not gold:
        return []
    wanted = sum(len(right) for right in gold.values())
    results = []
    for annotator in sorted({answer.annotator for answer in answers}):
        tested = [answer for answer in answers if answer.annotator == annotator and answer.task in gold]
        errors = sum(answer.value not in gold[answer.task][answer.question] for answer in tested)
        passed = len(tested) == wanted and errors <= manifest["error_limit"] * wanted
        results.append(Qualification(annotator, len(tested), wanted, errors, passed))
    return results


def evaluate_answers(
    manifest: Mapping[str, Any], answers: Sequence[HumanJudgement], resampling: Resampling | None = None
) -> HumanEvaluation:
    """Evaluate the answers of annotators who passed the test; of all if there was none."""
    tests = qualify(manifest, answers)
    passed = {test.annotator for test in tests if test.passed}
    gold = {name for name, entry in manifest["items"].items() if "gold" in entry}
    kept = [
        answer for answer in answers if answer.task not in gold and (not tests or answer.annotator in passed)
    ]
    questions = QUESTIONS[manifest["form"]]
    systems = sorted({answer.system for answer in kept})
    means: list[SystemMean] = []
    comparisons: list[SystemComparison] = []
    agreed = {}
    for question in questions:
        scores = {system: _item_means(kept, question.name, system) for system in systems}
        means += _means(question, scores)
        comparisons += _comparisons(question.name, scores)
        judged = [answer for answer in kept if answer.question == question.name]
        ratings = Ratings.from_triples((each.task, each.annotator, str(each.value)) for each in judged)
        agreed[question.name] = alpha(ratings, RatingScale("interval"), resampling or Resampling())
    return HumanEvaluation(tests, means, comparisons, agreed)


def _means(question: RatingQuestion, scores: Mapping[str, Mapping[str, float]]) -> Iterator[SystemMean]:
    for system, by in scores.items():
        if by:
            mean, _, p = one_sample_t(list(by.values()))
            yield SystemMean(system, question.name, len(by), mean, p if 0 in question.values else None)


def _comparisons(question: str, scores: Mapping[str, Mapping[str, float]]) -> Iterator[SystemComparison]:
    for (first, mine), (second, other) in combinations(scores.items(), 2):
        shared = [item for item in mine if item in other]
        tested = paired_t([mine[item] for item in shared], [other[item] for item in shared])
        yield SystemComparison(question, first, second, len(shared), *tested)


def _item_means(answers: Sequence[HumanJudgement], question: str, system: str) -> dict[str, float]:
    values: dict[str, list[int]] = defaultdict(list)
    for answer in answers:
        if answer.question == question and answer.system == system:
            values[answer.item].append(answer.value)
    return {item: sum(given) / len(given) for item, given in values.items()}


def paired_t(
    first: Sequence[float], second: Sequence[float], level: float = 0.95
) -> tuple[Estimate, float | None, float | None]:
    """Return the mean difference with its t interval, t, and the two-sided p of a paired t-test.

    Formula: ``t = mean(d) / (sd(d) / sqrt(n))`` over the differences ``d``, with ``n - 1`` degrees of freedom. A
    difference of 0 means that neither scores higher; its sign says which does.
    """
    return one_sample_t([left - right for left, right in zip(first, second, strict=True)], level)


def one_sample_t(values: Sequence[float], level: float = 0.95) -> tuple[Estimate, float | None, float | None]:
    """Return the mean with its t interval, t, and the two-sided p of a t-test against 0.

    Undefined (None) with fewer than two values, and t and p also where all values are equal.
    """
    try:
        from scipy.special import stdtr, stdtrit
    except ModuleNotFoundError as error:
        raise MissingExtra("the t-test", "scipy", "corpora") from error
    import statistics

    n = len(values)
    if n == 0:
        return Estimate(None), None, None
    mean = statistics.fmean(values)
    if n == 1:
        return Estimate(mean), None, None
    error_of_mean = statistics.stdev(values) / n**0.5
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * error_of_mean
    estimate = Estimate(mean, mean - reach, mean + reach)
    if error_of_mean == 0:
        return estimate, None, None
    t = mean / error_of_mean
    return estimate, t, float(2 * stdtr(n - 1, -abs(t)))
