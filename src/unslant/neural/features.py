"""What the rules find, as features of pieces, for networks that were trained with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from unslant.core.types import Document, Sentence, Span
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec

__all__ = ["feature_rows"]


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec())


def feature_rows(text: str, offsets: Sequence[tuple[int, int]], names: Sequence[str]) -> list[list[float]]:
    """Return a row for each piece: 1 for each rule that has found its word, else 0."""
    rows = [[0.0] * len(names) for _ in offsets]
    if not text:
        return rows
    places = {name: at for at, name in enumerate(names)}
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    for finding in analysis.findings:
        for row, (start, end) in zip(rows, offsets, strict=True):
            if finding.rule in places and start < finding.span.end and finding.span.start < end:
                row[places[finding.rule]] = 1.0
    return rows
