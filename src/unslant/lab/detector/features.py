"""What the rules find, as features of the pieces: the linguistic knowledge beside the encoder's.

One feature a rule: 1 where the piece's word belongs to a finding of that rule, else 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from unslant.core.types import Document, Sentence, Span
from unslant.lab.detector.rows import Row
from unslant.rules.analyzer import RuleAnalyzer, rules_for
from unslant.spec import Spec

__all__ = ["feature_names", "feature_rows"]


def feature_names() -> tuple[str, ...]:
    """Return the ids of the rules, sorted: the order of the features."""
    return tuple(sorted(rule.id for rule in rules_for(Spec())))


@cache
def _analyzer() -> Any:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=100_000)
def _findings(text: str) -> tuple[tuple[str, Span], ...]:
    sentence = Sentence(Document(text, text), Span(0, len(text)))
    (analysis,) = _analyzer().analyze([sentence])
    return tuple((finding.rule, finding.span) for finding in analysis.findings)


def feature_rows(rows: Sequence[Row], length: int, names: Sequence[str]) -> list[list[list[float]]]:
    """Return (rows, length, names); a rule that is no longer in the catalogue is silent."""
    places = {name: at for at, name in enumerate(names)}
    whole = []
    for row in rows:
        values = [[0.0] * len(names) for _ in range(length)]
        for rule, span in _findings(row.text):
            for piece, (start, end) in enumerate(row.offsets):
                if rule in places and start < span.end and span.start < end:
                    values[piece][places[rule]] = 1.0
        whole.append(values)
    return whole
