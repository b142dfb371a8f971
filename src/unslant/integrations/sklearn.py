"""A scikit-learn transformer: texts to counts of findings, for pipelines and classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from unslant.core.errors import MissingExtra
from unslant.core.taxonomy import kinds
from unslant.core.types import Severity
from unslant.spec import Spec
from unslant.tables.many import check_many

try:
    import numpy
    from sklearn.base import BaseEstimator, TransformerMixin
except ModuleNotFoundError as missing:
    raise MissingExtra("the transformer", "scikit-learn", "sklearn") from missing

__all__ = ["SlantFeatures"]


class SlantFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into features: findings per sentence, by severity and kind, and the highest probability.

    It has nothing to learn; ``fit`` only keeps to the protocol. A probability that nobody gave is NaN.
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
        return numpy.array([_features(record) for record in reports.to_records()]).reshape(
            len(reports), len(_NAMES)
        )

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:  # noqa: ARG002
        """Return the names of the features."""
        return numpy.array(_NAMES, dtype=object)


_COUNTS = (
    "findings",
    *(f"severity_{severity.value}" for severity in Severity),
    *(f"kind_{name}" for name in kinds()),
)
_NAMES = (*_COUNTS, "probability")


def _features(record: dict[str, Any]) -> list[float]:
    sentences = max(record["sentences"], 1)
    probability = record["probability"]
    counts = [record[name] / sentences for name in _COUNTS]
    return [*counts, float("nan") if probability is None else probability]
