"""What the rules would write, as edits of words: for stretches that an editor changed in a way nobody else did."""

from __future__ import annotations

from functools import cache, lru_cache

from unslant.core.types import Document, Sentence, Span
from unslant.lab.detector.edits import Stretch, stretches
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec

__all__ = ["rule_spans"]


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=20_000)
def rule_spans(text: str) -> tuple[Stretch, ...]:
    """Return the best alternative of every rule that finds something in a sentence, in order."""
    if not text.strip():
        return ()
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    found: list[Stretch] = []
    for finding in analysis.findings:
        for edit in finding.edits[:1]:
            after = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
            found += [one for one in stretches(text, after) if one.words]
    return tuple(sorted(found, key=lambda one: one.words))
