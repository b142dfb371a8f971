"""The rules alone, as a baseline: a sentence counts as slanted if a rule warns of it."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.core.example import LabelledSpan
from unslant.core.types import Document, Finding, Severity, Span
from unslant.lab.evaluation.lineage import Lineage
from unslant.lab.evaluation.model import Prediction
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.quotations import find_quotations

__all__ = ["RuleModel"]


class RuleModel:
    """Says yes or no, which words, of what kind and against whom; it knows no probability."""

    name = "rules"
    lineage = Lineage()
    answers = frozenset({"sentence", "spans", "kinds", "dimension"})

    def __init__(self) -> None:
        self._pipeline = Pipeline(Spec(analyzers=("rules",)))

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Check every text on its own."""
        documents = (Document(text, text, quotations=find_quotations(text, None)) for text in texts)
        return [
            _prediction([one for one in report.findings if one.severity.rank >= Severity.WARNING.rank])
            for report in self._pipeline.check(documents)
        ]


def _prediction(warnings: Sequence[Finding]) -> Prediction:
    spans: list[LabelledSpan] = []
    for one in warnings:
        # two rules may name the same words; a model would mark them once
        if not spans or one.span.start >= spans[-1].span.end:
            spans.append(LabelledSpan(one.span, one.kind))
        elif one.span.end > spans[-1].span.end:
            spans[-1] = LabelledSpan(Span(spans[-1].span.start, one.span.end), spans[-1].kind)
    return Prediction(
        slanted=bool(warnings),
        spans=tuple(spans),
        kinds=frozenset(one.kind for one in warnings),
        dimension=next((one.dimension for one in warnings if one.dimension), None),
    )
