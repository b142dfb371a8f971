"""Learning how likely editors accept findings: the records of the rules, and the regression of ``unslant.acceptance``.

The records come from the training part of the editors' corpus, which no rule has learned from. The regression needs
documents that the network has not learned from either: every twelfth training document is kept for that
(``corpora.passages.CALIBRATION``), and these, with the development part, are what it is fitted on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.acceptance import FEATURES, FILE, Acceptance, Evidence, features
from unslant.core.errors import ConfigError, ModelError
from unslant.core.files import read_json, write_atomic
from unslant.core.types import Document
from unslant.lab.corpora.passages import MarkedPassage
from unslant.spec import TIERS, Spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["Candidate", "collect", "count_records", "fit", "install"]

_PROFILES = {"documentation": "docs", "encyclopedia": "encyclopedia"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding before it is scored: the inputs of the regression, and whether the editor marked some of its words."""

    features: tuple[float, ...]
    accepted: bool


def count_records(texts: Iterable[MarkedPassage]) -> dict[str, tuple[int, int]]:
    """Return, for every rule of the catalogue, how many of its findings editors accepted, and how many it had."""
    from unslant.pipeline import Pipeline
    from unslant.rules.analyzer import rules_for

    spec = Spec(analyzers=TIERS["rules"])
    counts = {rule.id: [0, 0] for rule in rules_for(spec)}
    chosen = list(texts)
    for text, report in zip(chosen, Pipeline(spec).check(_documents(chosen)), strict=True):
        for finding in report.findings:
            if finding.rule in counts:
                counts[finding.rule][0] += any(marked.span.overlaps(finding.span) for marked in text.marked)
                counts[finding.rule][1] += 1
    return {rule: (accepted, total) for rule, (accepted, total) in counts.items()}


def collect(
    texts: Sequence[MarkedPassage], spec: Spec, records: Mapping[str, tuple[int, int]]
) -> Iterator[Candidate]:
    """Yield everything that rules and network would report, with the inputs of the regression."""
    from unslant.pipeline import Pipeline
    from unslant.selection import Selection

    record = Acceptance(records=records)
    for text, analyzed in zip(texts, Pipeline(spec).analyze(_documents(texts)), strict=True):
        profile = _PROFILES.get(text.genre, "news")
        selection = Selection(analyzed.report.document, spec)
        for sentence, analyses in analyzed.sentences:
            words = next((analysis.words for analysis in analyses if analysis.words), ())
            probability = next(
                (analysis.probability for analysis in analyses if analysis.probability is not None), None
            )
            evidence = Evidence(words, probability, profile)
            everything = [finding for analysis in analyses for finding in analysis.findings]
            for finding in selection.keep(everything):
                known = record.record(finding.rule) if finding.rule in records else None
                accepted = any(marked.span.overlaps(finding.span) for marked in text.marked)
                yield Candidate(features(finding, sentence, evidence, known), accepted)


def _documents(texts: Iterable[MarkedPassage]) -> Iterator[Document]:
    from unslant.text.reading import read

    return (read(text.text) for text in texts)


def fit(candidates: Sequence[Candidate], penalty: float = 1.0, rounds: int = 100) -> dict[str, float]:
    """Return the coefficients of a logistic regression with an L2 penalty, by Newton's method."""
    import numpy as np

    if not any(item.accepted for item in candidates) or all(item.accepted for item in candidates):
        raise ConfigError("the regression needs findings that editors accept and findings that they do not")
    inputs: Numbers = np.array([item.features for item in candidates], dtype=np.float64)
    labels: Numbers = np.array([item.accepted for item in candidates], dtype=np.float64)
    weights = np.zeros(inputs.shape[1])
    for _ in range(rounds):
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -60, 60)))
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs
        slope = inputs.T @ (labels - chances) - penalty * weights
        step = np.linalg.solve(curvature + penalty * np.eye(len(weights)), slope)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return {name: round(float(weight), 6) for name, weight in zip(FEATURES, weights, strict=True)}


def install(acceptance: Acceptance, package: Path) -> None:
    """Put the regression into a model's folder, with its digest; the folder is never left half-written."""
    about: dict[str, Any] = read_json(package / "model.json", ModelError)
    content = (json.dumps(acceptance.to_dict(), indent=1) + "\n").encode()
    about["files"][FILE] = hashlib.sha256(content).hexdigest()
    write_atomic(package / FILE, content)
    write_atomic(package / "model.json", (json.dumps(about, indent=1) + "\n").encode())
