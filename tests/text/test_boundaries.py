"""Findings cover whole words and no piece of a name, in made-up and in real text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unslant
from unslant.core.types import Document, Finding, Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import read_passages
from unslant.text.boundaries import extend_to_words, trim_names, whole_words

ROOT = Path(__file__).parents[2]
INSIDE_A_WORD = re.compile(r"[^\W_](?:[-\u2010\u2011'\u2019](?=[^\W_]))?$")


def _extended(text: str, words: str) -> str:
    start = text.index(words)
    span = extend_to_words(text, Span(start, start + len(words)))
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "words", "whole"),
    [
        ("a far-right party", "right", "far-right"),
        ("a far-right party", "far", "far-right"),
        ("they don't care", "don", "don't"),
        ("the radical's plan", "radical", "radical"),
        ("the radicals' plan", "radicals", "radicals"),
        ("a well-to-do family", "to", "well-to-do"),
        ("he fell - slammed shut", "slammed", "slammed"),
        ("a (slammed) door", "slammed", "slammed"),
        ("slam", "la", "slam"),
    ],
)
def test_spans_grow_to_whole_words(text: str, words: str, whole: str) -> None:
    assert _extended(text, words) == whole


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("It bought John Boehner some time.", "Boehner some time", "time"),
        ("He won the Fake News Awards.", "Fake", None),
        ("The Legendary singer spoke.", "Legendary", "Legendary"),
        ("He met Crooked Hillary there.", "Crooked Hillary", "Crooked Hillary"),
        ("Radical ideas spread.", "Radical ideas", "Radical ideas"),
        ("A stunning Great Britain tour.", "stunning Great", "stunning"),
    ],
)
def test_parts_of_names_are_trimmed(text: str, words: str, left: str | None) -> None:
    start = text.index(words)
    span = trim_names(text, Span(start, start + len(words)))
    assert (None if span is None else text[span.start : span.end]) == left


def test_only_the_model_splits_names() -> None:
    text = "He won the Fake News Awards."
    for origin, rule, kept in (("model", "model/ridicule", False), ("rules", "framing/x", True)):
        finding = Finding(Span(11, 15), "Fake", "framing", "why", origin, rule)
        assert (whole_words(Document(text, text), finding, Span(0, len(text))) is not None) is kept


@given(st.text("ab-' \u2019.A", max_size=30), st.data())
def test_growing_ends_outside_every_word_and_a_second_time_changes_nothing(
    text: str, data: st.DataObject
) -> None:
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = extend_to_words(text, Span(start, data.draw(st.integers(start + 1, len(text)))))
    assert extend_to_words(text, span) == span
    assert span.start <= start


def _check_findings(text: str, spec: unslant.Spec, format_name: str = "text") -> int:
    report = unslant.check(text, format=format_name, spec=spec)
    prose = report.document.prose
    for item, other in zip(report.findings, report.findings[1:], strict=False):
        assert item.span.end <= other.span.start, (item, other)
    for finding in report.findings:
        if finding.rule == "framing/scare-quotes":
            continue
        assert extend_to_words(prose, finding.span) == finding.span, finding
    return len(report.findings)


@pytest.mark.parametrize("tier", ["rules", "all"])
def test_findings_of_our_own_pages_are_whole_words_and_never_overlap(tier: str) -> None:
    spec = unslant.Spec(analyzers=unslant.spec.TIERS[tier], threshold=0.0, profile="news")
    pages = sorted(ROOT.glob("docs/*.md"))[:6] if tier == "all" else sorted(ROOT.glob("docs/**/*.md"))
    assert sum(_check_findings(page.read_text("utf-8"), spec, "markdown") for page in pages) > 10


@pytest.mark.shared
def test_findings_in_news_are_whole_words_and_never_overlap(shared_data: Path) -> None:
    spec = unslant.Spec(analyzers=("rules",), threshold=0.0)
    passages = list(read_passages(corpora.load("editor", shared_data), "dev"))
    assert sum(_check_findings(passage.text, spec) for passage in passages) > 200


def test_a_word_of_thousands_of_letters_is_found_in_a_window_of_its_own() -> None:
    source = "so-called-" * 800
    report = unslant.check(source, spec=unslant.Spec(analyzers=("rules",)))
    assert report.findings
    assert all(source[finding.span.start : finding.span.end] == finding.text for finding in report.findings)
