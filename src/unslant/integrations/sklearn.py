"""A scikit-learn transformer: texts to counts of findings, for pipelines and classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.core.taxonomy import kinds
from unslant.core.types import Report, Severity
from unslant.spec import Spec
from unslant.tables.many import check_many

try:
    import numpy
    from sklearn.base import BaseEstimator, TransformerMixin
except ModuleNotFoundError as missing:
    raise MissingExtra("the transformer", "scikit-learn", "sklearn") from missing


class SlantFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into features: findings per sentence, by severity and kind, and the probability of the likeliest.

    With the analyzer ``model`` there are two more: the probability that the text is slanted, and whether the model
    judged the text at all (1, or 0 for an empty text or another language, whose probability is then 0). Every feature
    is a number, so any estimator can follow. It has nothing to learn; ``fit`` only keeps to the protocol.
    """

    def __init__(self, analyzers: tuple[str, ...] = ("rules",), format: str = "text") -> None:  # noqa: A002
        self.analyzers = analyzers
        self.format = format

    def fit(self, X: Iterable[str], y: Any = None) -> SlantFeatures:  # noqa: ARG002, N803
        """Return the transformer unchanged."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Iterable[str]) -> Any:  # noqa: N803
        """Return one row of features per text."""
        reports = check_many(X, format=self.format, spec=Spec(analyzers=tuple(self.analyzers)))
        rows = [
            self._features(report, record)
            for report, record in zip(reports, reports.to_records(), strict=True)
        ]
        return numpy.array(rows, dtype=float).reshape(len(reports), len(self.get_feature_names_out()))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:  # noqa: ARG002
        """Return the names of the features."""
        return numpy.array([*_COUNTS, _LIKELIEST, *(_JUDGED if self._judges else ())], dtype=object)

    @property
    def _judges(self) -> bool:
        """Whether an analyzer gives sentences a probability; the rules alone do not."""
        return tuple(self.analyzers) != ("rules",)

    def _features(self, report: Report, record: Mapping[str, Any]) -> list[float]:
        sentences = max(record["sentences"], 1)
        likeliest = max((finding.probability or 0.0 for finding in report.findings), default=0.0)
        row = [*(record[name] / sentences for name in _COUNTS), likeliest]
        if self._judges:
            judged = record["probability"] is not None
            row += [record["probability"] if judged else 0.0, float(judged)]
        return row


_COUNTS = (
    "findings",
    *(f"severity_{severity.value}" for severity in Severity),
    *(f"kind_{name}" for name in kinds()),
)
_LIKELIEST = "finding_probability"
_JUDGED = ("probability", "judged")
