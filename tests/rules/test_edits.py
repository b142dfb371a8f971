"""Edits leave a well-formed sentence behind."""

from __future__ import annotations

import pytest

from unslant.core.types import Applicability, Document, Sentence, Span
from unslant.rules.analyzer import RuleAnalyzer
from unslant.spec import Spec
from unslant.text.tidy import indefinite_article

_RULES = """
version = 1
[[rule]]
id = "framing/test"
title = "Test"
kind = "framing"
why = "For the test."
source = "this test"
delete = ["quuxly", "of quux"]
applicability = "safe"
[rule.swap]
"quux@v" = ["criticize@v", "write@v"]
"quux@v out at" = ["speak@v against"]
"quuxman@n" = ["official@n", "quux leader"]
"quuxish" = ["odd", "new"]
"[a|the] quuxer [of]" = ["fan"]
"""


def edited(text: str, prose: str | None = None) -> list[str]:
    document = Document(text, prose or text)
    analyzer = RuleAnalyzer(Spec(rule_files=(("test.toml", _RULES),)))
    (analysis,) = analyzer.analyze([Sentence(document, Span(0, len(text)))])
    edits = [
        edit for finding in analysis.findings if finding.rule == "framing/test" for edit in finding.edits
    ]
    return [text[: edit.span.start] + edit.replacement + text[edit.span.end :] for edit in edits]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They quuxed it.", ["They criticized it.", "They wrote it."]),
        ("They have quuxed it.", ["They have criticized it.", "They have written it."]),
        ("She quuxes it.", ["She criticizes it.", "She writes it."]),
        ("She was quuxing out at him.", ["She was speaking against him."]),
        ("Quuxmen met.", ["Officials met.", "Quux leader met."]),
        ("A quuxish hat", ["An odd hat", "A new hat"]),
        ("an quuxish hat", ["an odd hat", "a new hat"]),
        ("That is QUUXISH indeed.", ["That is ODD indeed.", "That is NEW indeed."]),
        ("That is quuxly good.", ["That is good."]),
        ("Quuxly, he left.", ["He left."]),
        ("Quuxly he left.", ["He left."]),
        ("He, of quux, left.", ["He left."]),
        ("He left, of quux.", []),
        ("It is a quuxly odd hat.", ["It is an odd hat."]),
        ("It is an quuxly new hat.", ["It is a new hat."]),
        ("Quuxly.", []),
        ("A quuxly-made hat", []),
        ("He left quuxly.", ["He left."]),
        ("She is the quuxer of it, a quuxer at heart.", ["She is the fan of it, a quuxer at heart."]),
        ("It was a quuxly, quuxly odd hat.", []),
    ],
)
def test_the_sentence_after_the_edit(text: str, expected: list[str]) -> None:
    assert edited(text) == expected


def test_an_edit_over_markup_is_only_shown() -> None:
    text = "She quuxes **out** at him."
    document = Document(text, text.replace("*", " "))
    analyzer = RuleAnalyzer(Spec(rule_files=(("test.toml", _RULES),)))
    (analysis,) = analyzer.analyze([Sentence(document, Span(0, len(text)))])
    (finding,) = analysis.findings
    assert finding.text == "quuxes **out** at"
    assert [edit.applicability for edit in finding.edits] == [Applicability.DISPLAY]


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("apple", "an"),
        ("hat", "a"),
        ("hour", "an"),
        ("honest", "an"),
        ("university", "a"),
        ("unimportant", "an"),
        ("one-off", "a"),
        ("European", "a"),
        ("umbrella", "an"),
        ("useful", "a"),
        ("U", "a"),
        ("FBI", "an"),
        ("NBC", "an"),
    ],
)
def test_the_article_follows_the_sound(word: str, article: str) -> None:
    assert indefinite_article(word) == article
