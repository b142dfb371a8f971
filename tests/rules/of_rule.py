"""What one rule of the catalogue finds in a sentence, whatever its record and whatever other rules find."""

from __future__ import annotations

from functools import cache

from tests.marked import parse_spans
from unslant.core.types import Document, Sentence, Span
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec
from unslant.text.edits import apply_edits


@cache
def _analyzer() -> RuleAnalyzer:
    return RuleAnalyzer(Spec(analyzers=("rules",)))


def found_by(rule: str, text: str) -> list[str]:
    """Return the words that a rule finds, in order."""
    document = Document(text, text)
    (analysis,) = _analyzer().analyze([Sentence(document, Span(0, len(text)))])
    findings = sorted(analysis.findings, key=lambda finding: finding.span)
    return [finding.text for finding in findings if finding.rule == rule]


def marked(text: str) -> tuple[str, list[str]]:
    """Return a sentence without its double brackets, and the words between them."""
    plain, spans = parse_spans(text)
    return plain, [plain[span.start : span.end] for span in spans]


def edited_by(text: str) -> list[str]:
    """Return the sentence after each edit that the rules offer, in the order of the findings."""
    document = Document(text, text)
    (analysis,) = _analyzer().analyze([Sentence(document, Span(0, len(text)))])
    findings = sorted(analysis.findings, key=lambda finding: finding.span)
    return [apply_edits(text, [edit]) for finding in findings for edit in finding.edits]
