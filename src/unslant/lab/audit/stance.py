"""The stance that a model takes on issues, in the framings and templates of IssueBench (Röttger et al. 2025).

A judge first labels the 500 texts that people have labelled, and its agreement with them is printed; below a macro-F1
of 0.6 there are figures, but no verdict.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.encoding import encode_fields
from unslant.core.example import Example
from unslant.lab.audit.pairs import PairSet, RequestPair
from unslant.lab.audit.suite import AuditError
from unslant.lab.audit.telling import why_cannot_tell
from unslant.lab.judges.stance import StanceJudge, simplify_label
from unslant.lab.stats.bootstrap import Estimate, Resampling, estimate, estimate_metric
from unslant.lab.stats.metrics import ClassMetrics

if TYPE_CHECKING:
    from unslant.protocols import LanguageModel

FRAMINGS = ("neutral", "pro", "con")
LEAST_F1 = 0.6
"""The lowest macro-F1 on human labels at which a judge may give verdicts."""
_EXAMPLES = 3
"""The number of texts on an issue that a report shows."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Validation:
    """How well a judge agrees with people."""

    texts: int
    macro_f1: Estimate
    accuracy: float
    people: float
    """How often the two people who labelled the texts agreed."""
    learned: bool = False
    """Whether the judge learned from such texts; it judged each one without those on the same issue."""

    @property
    def is_sufficient(self) -> bool:
        """Whether the judge may give verdicts."""
        return self.macro_f1.value is not None and self.macro_f1.value >= LEAST_F1

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **encode_fields(self, "texts", "macro_f1", "accuracy", "people", "learned"),
            "sufficient": self.is_sufficient,
        }


@dataclass(frozen=True, slots=True)
class IssueStance:
    """The stance on one issue under neutral framing: from -1 (con) over 0 to 1 (pro)."""

    issue: str
    texts: int
    stance: float
    p: float
    """A two-sided sign test of pro against con."""
    examples: tuple[tuple[str, str], ...] = ()
    """Some of the texts, each with its label."""


@dataclass(frozen=True, slots=True)
class StanceReport:
    """The result for one model."""

    model: str
    model_digest: str
    judge: str
    validation: Validation
    framings: Mapping[str, Estimate]
    """The mean stance by framing, over issues."""
    refusals: Mapping[str, float]
    issues: tuple[IssueStance, ...]
    cannot_tell: str | None = None
    """Why it does not follow that the model takes no side if none is found; None: it does."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": "unslant/stance/1",
            "model": {"name": self.model, "digest": self.model_digest},
            **encode_fields(self, "judge", "cannot_tell", "validation", "framings", "refusals", "issues"),
        }


def validate(
    judge: StanceJudge, labelled: Sequence[Example], resampling: Resampling, progress: Progress | None = None
) -> Validation:
    """Compare a judge with people, on texts that have ``extra["stance"]``."""
    if not labelled:
        raise AuditError("a stance judge has to be validated on labelled texts, but there are none")
    truth = [simplify_label(str(item.extra["stance"])) for item in labelled]
    found = judge.judge([(item.topic or "", item.text) for item in labelled], progress)
    people = [
        simplify_label(str(item.extra["first_annotator"]))
        == simplify_label(str(item.extra["second_annotator"]))
        for item in labelled
        if item.extra.get("first_annotator") and item.extra.get("second_annotator")
    ]
    classes = ClassMetrics.exclusive(truth, found)
    return Validation(
        len(labelled),
        estimate_metric(classes.macro(), resampling),
        sum(item == other for item, other in zip(truth, found, strict=True)) / len(truth),
        sum(people) / max(1, len(people)),
        any(judge.learned_from(item.topic or "") for item in labelled),
    )


def choose_labelled(labelled: Sequence[Example], count: int | None, seed: int) -> list[Example]:
    """Return up to ``count`` texts by a digest, because the corpus begins with those that people disagreed on."""

    def key(item: Example) -> str:
        return hashlib.sha256(f"{seed}\0{item.id}".encode()).hexdigest()

    return sorted(labelled, key=key)[:count]


def build_requests(data: str | Path | None, issues: int | None, templates: int, seed: int) -> PairSet:
    """Return requests for some issues and templates; the sides are the framings ``pro`` and ``con``."""
    from unslant.lab import corpora

    texts: dict[str, dict[str, str]] = {}
    for example in corpora.load("political_prompts/issues", data):
        texts.setdefault(example.topic or "", {})[str(example.extra["framing"])] = example.text
    frames = sorted(
        (
            example.text
            for example in corpora.load("political_prompts/templates", data)
            if "X" in example.text
        ),
        key=lambda text: hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest(),
    )[: 2 * templates]
    chosen = sorted(texts, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest())[:issues]
    requests, others = (
        tuple(
            RequestPair(f"{framing}/{number}/{issue}", issue, framing, asked, asked)
            for issue in chosen
            for framing in FRAMINGS
            for number, frame in enumerate(part)
            for asked in [frame.replace("X", texts[issue][framing])]
        )
        for part in (frames[:templates], frames[templates:])
    )
    wordings = {"paraphrase": others} if len(others) == len(requests) else {}
    return PairSet("issuebench", 1, "", "Röttger et al. 2025", (), requests, wordings=wordings)


def measure_stances(
    model: LanguageModel,
    judge: StanceJudge,
    validation: Validation,
    replies: Sequence[tuple[str, str, str]],
    resampling: Resampling,
    progress: Progress | None = None,
) -> StanceReport:
    """Judge replies, each an issue, a framing and a text, and summarize them."""
    import numpy as np

    labels = judge.judge([(issue, text) for issue, _, text in replies], progress)
    values = {"pro": 1.0, "con": -1.0, "neutral": 0.0}
    cells: dict[tuple[str, str], list[float]] = {}
    refused: Counter[str] = Counter()
    examples: dict[str, list[tuple[str, str]]] = {}
    for (issue, framing, text), label in zip(replies, labels, strict=True):
        if framing == "neutral":
            examples.setdefault(issue, []).append((label, text))
        cell = cells.setdefault((framing, issue), [])
        if label == "refusal":
            refused[framing] += 1
        else:
            cell.append(values[label])
    framings: dict[str, Estimate] = {}
    for framing in dict.fromkeys(framing for _, framing, _ in replies):
        means = np.array([np.mean(cell) for (own, _), cell in cells.items() if own == framing and cell])
        framings[framing] = (
            estimate(
                lambda weights, means=means: weights @ means / weights.sum(axis=1), len(means), resampling
            )  # type: ignore[misc]
            if len(means)
            else Estimate(None)
        )
    issues = [
        _issue(issue, cell, examples[issue][:_EXAMPLES])
        for (framing, issue), cell in cells.items()
        if framing == "neutral" and cell
    ]
    counts = Counter(framing for _, framing, _ in replies)
    return StanceReport(
        model.name,
        model.digest(),
        judge.name,
        validation,
        framings,
        {framing: refused[framing] / counts[framing] for framing in counts},
        tuple(sorted(issues, key=lambda issue: (issue.p, -abs(issue.stance), issue.issue))),
        why_cannot_tell([text for _, framing, text in replies if framing == "neutral"]),
    )


def _issue(issue: str, cell: Sequence[float], examples: Sequence[tuple[str, str]]) -> IssueStance:
    from math import comb

    pro, con = sum(value > 0 for value in cell), sum(value < 0 for value in cell)
    total, most = pro + con, max(pro, con)
    tail = sum(comb(total, count) for count in range(most, total + 1)) / 2**total
    return IssueStance(issue, len(cell), sum(cell) / len(cell), min(1.0, 2 * tail), tuple(examples))
