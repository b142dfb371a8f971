"""What the rules would write: hints for words that an editor changed in a way nobody else did."""

from __future__ import annotations

from functools import cache, lru_cache

from unslant.core.types import Document, Edit, Sentence, Span
from unslant.lab.detector.edits import token_edits
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec
from unslant.text.edits import apply_edits

__all__ = ["rule_hints"]


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec())


@lru_cache(maxsize=20_000)
def rule_hints(text: str) -> tuple[Edit, ...]:
    """Return the best alternative of every rule that finds something in a sentence, in order."""
    if not text.strip():
        return ()
    (analysis,) = _analyzer().analyze([Sentence(Document(text, text), Span(0, len(text)))])
    found: list[Edit] = []
    for finding in analysis.findings:
        for edit in finding.edits[:1]:
            after = apply_edits(text, [edit])
            found += [each for each in token_edits(text, after) if each.start < each.end]
    return tuple(sorted(found, key=lambda edit: edit.change))
