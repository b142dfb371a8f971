"""Fits the regression of ``unslant.acceptance``: how likely an editor accepts a finding.

The regression needs documents that neither the network nor the records of the rules have learned from: every twelfth
training document is set aside for that (``corpora.editor.CALIBRATION``), and passages drawn at random were marked for
it (``corpora.editor.NATURAL``). It is fitted on these documents alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.acceptance import FEATURES, FILE, Acceptance, Evidence, features, rule_matches
from unslant.core.errors import ConfigError, ModelError
from unslant.core.files import read_json, write_atomic
from unslant.lab.corpora.editor import MarkedPassage
from unslant.lab.stats.regression import newton_logistic
from unslant.profiles import profile
from unslant.records import shipped_records
from unslant.spec import Spec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding before it is scored: the inputs of the regression, and whether the editor marked some of its words."""

    features: tuple[float, ...]
    accepted: bool


def collect(texts: Sequence[MarkedPassage], spec: Spec) -> Iterator[Candidate]:
    """Yield everything that rules and network would report, with the inputs of the regression."""
    from unslant.pipeline import Pipeline
    from unslant.selection import Selection
    from unslant.text.boundaries import whole_words
    from unslant.text.reading import read

    records = shipped_records()
    documents = (read(text.text) for text in texts)
    for text, analyzed in zip(texts, Pipeline(spec).analyze(documents), strict=True):
        standard = profile(text.profile)
        document = analyzed.report.document
        selection = Selection(document, spec, standard)
        for sentence, analyses in analyzed.sentences:
            words = next((analysis.words for analysis in analyses if analysis.words), ())
            probability = next(
                (analysis.probability for analysis in analyses if analysis.probability is not None), None
            )
            found = [
                whole
                for analysis in analyses
                for finding in analysis.findings
                if (whole := whole_words(document, finding, sentence.span)) is not None
            ]
            evidence = Evidence(words, probability, standard, rule_matches(found))
            for finding in selection.keep(found, sentence):
                record = records.share(finding, standard.name)
                accepted = any(marked.span.overlaps(finding.span) for marked in text.marked)
                yield Candidate(features(finding, sentence, evidence, record), accepted)


def fit(candidates: Sequence[Candidate], penalty: float = 1.0, rounds: int = 100) -> dict[str, float]:
    """Return the coefficients of a logistic regression with an L2 penalty."""
    import numpy as np

    if not any(item.accepted for item in candidates) or all(item.accepted for item in candidates):
        raise ConfigError("the regression needs findings that editors accept and findings that they do not")
    inputs: Numbers = np.array([item.features for item in candidates], dtype=np.float64)
    labels: Numbers = np.array([item.accepted for item in candidates], dtype=np.float64)
    weights = newton_logistic(inputs, labels, np.full(inputs.shape[1], penalty), rounds)
    return {name: round(float(weight), 6) for name, weight in zip(FEATURES, weights, strict=True)}


def install(acceptance: Acceptance, package: Path) -> None:
    """Put the regression into a model's folder, with its digest; the folder is never left half-written."""
    about: dict[str, Any] = read_json(package / "model.json", ModelError)
    content = (json.dumps(acceptance.to_dict(), indent=1) + "\n").encode()
    about["files"][FILE] = hashlib.sha256(content).hexdigest()
    write_atomic(package / FILE, content)
    write_atomic(package / "model.json", (json.dumps(about, indent=1) + "\n").encode())
