"""Names are not the writer's choice of wording."""

from __future__ import annotations

import pytest

from unslant.core.types import Document, Sentence, Span
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec

_RULES = """
version = 1
[[rule]]
id = "framing/test"
title = "Test"
kind = "framing"
why = "For the test."
source = "this test"
terms = ["quuxious"]
"""


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The quuxious band played.", True),
        ("The Quuxious Band played in town.", False),
        ("Quuxious bands played.", True),
        ("Quuxious Records was founded in town.", False),
        ("Quuxious I may be.", True),
        ("This is QUUXIOUS news.", True),
        ("Mayor Unveils Quuxious Plan for Harbour", True),
        ("MAYOR UNVEILS QUUXIOUS PLAN", True),
        ("The verdict: Quuxious work.", True),
        ("We met Quuxious in town.", False),
    ],
)
def test_capitals(text: str, flagged: bool) -> None:
    analyzer = RuleAnalyzer(Spec(rule_files=(("test.toml", _RULES),)))
    (analysis,) = analyzer.analyze([Sentence(Document(text, text), Span(0, len(text)))])
    assert ("framing/test" in {finding.rule for finding in analysis.findings}) is flagged
