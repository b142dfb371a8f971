"""Findings of a model grow to whole words, and lose pieces of names and loose ends."""

from __future__ import annotations

import pytest

from tests.marked import parse_spans
from unslant.core.types import Document, Finding, Span
from unslant.text.boundaries import extend_to_words, trim_ends, trim_names, whole_words


def of_model(text: str, span: Span) -> Finding:
    return Finding(
        span, text[span.start : span.end], "framing", "why", "model", "model/loaded-label", probability=0.9
    )


@pytest.mark.parametrize(
    ("marked", "whole"),
    [
        ("The [[radi]]cal left won.", "radical"),
        ("The rad[[ical]] right won.", "radical"),
        ("A left-[[wing]] group met.", "left-wing"),
        ("A [[right]]-wing group met.", "right-wing"),
        ("A state-of-the-[[art]] mill.", "state-of-the-art"),
        ("They [[wo]]n't vote.", "won't"),
        ("They won\u2019[[t]] vote.", "won\u2019t"),
        ("The [[mob]]'s leader", "mob"),
        ("The [[mobs]]' leader", "mobs"),
        ("The [[thug]]\u2019s friend", "thug"),
        ("O'[[Neil]] spoke.", "O'Neil"),
        ("It is \u201c[[gre]]at\u201d.", "great"),
        ("He said, [[shameful]]!", "shameful"),
        ("snake[[_case]]", "snake_case"),
        ("A well\u2010[[known]] fact", "well\u2010known"),
        ("far [[right]] - wing", "right"),
        ("2[[nd]]-rate", "2nd-rate"),
        ("[[a]]", "a"),
    ],
)
def test_spans_grow(marked: str, whole: str) -> None:
    text, (span,) = parse_spans(marked)
    grown = extend_to_words(text, span)
    assert text[grown.start : grown.end] == whole


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("He sold John [[Doe cheap]] land.", "cheap"),
        ("He met [[Ann]] Doe there.", None),
        ("He met [[the great Ann]] Doe there.", "the great"),
        ("[[Radical]] Democrats voted.", "Radical"),
        ("[[Radical]] Republicans voted.", "Radical"),
        ("The [[New]] York mayor", None),
        ("He read [[Animal Farm]] aloud.", "Animal Farm"),
        ("The [[FBI raid]] ended.", "FBI raid"),
        ("He is a [[brave]] man.", "brave"),
    ],
)
def test_parts_of_names_go(marked: str, left: str | None) -> None:
    text, (span,) = parse_spans(marked)
    kept = trim_names(text, span)
    assert (text[kept.start : kept.end] if kept else None) == left


@pytest.mark.parametrize(
    ("marked", "kept"),
    [
        ("It was [[a shameful attack on the]] poor.", "a shameful attack"),
        ("It was [[of the most shameful kind]].", "most shameful kind"),
        ("It was [[the fact that]] counted.", "the fact that"),
        ("It was [[a shameful attack]].", "a shameful attack"),
        ("It was [[, a total shameful lie ,]] he wrote.", "total shameful lie"),
        ("[[and to the radical left agenda of]]", "radical left agenda"),
        ("[[and to the radical right agenda of]]", "radical right agenda"),
    ],
)
def test_loose_words_at_the_ends_of_long_spans_go(marked: str, kept: str) -> None:
    text, (span,) = parse_spans(marked)
    trimmed = trim_ends(text, span)
    assert text[trimmed.start : trimmed.end] == kept


@pytest.mark.parametrize(
    ("marked", "text_of_finding"),
    [
        ("A far-[[right]] group met.", "far-right"),
        ("A far-[[left]] group met.", "far-left"),
        ("He met John [[Doe]] there.", None),
        ("It was [[a shameful attack on the]] poor.", "a shameful attack"),
        ("It was [[shameful]].", "shameful"),
    ],
)
def test_a_finding_is_about_whole_words(marked: str, text_of_finding: str | None) -> None:
    text, (span,) = parse_spans(marked)
    finding = whole_words(Document(text, text), of_model(text, span), Span(0, len(text)))
    assert (finding.text if finding else None) == text_of_finding
    if finding:
        assert text[finding.span.start : finding.span.end] == finding.text
        assert finding.probability == 0.9


def test_a_finding_that_needs_no_change_stays_the_same_object() -> None:
    text = "It was shameful."
    finding = of_model(text, Span(7, 15))
    assert whole_words(Document(text, text), finding, Span(0, len(text))) is finding


def test_the_finding_of_a_rule_keeps_its_loose_ends() -> None:
    text = "It was the fact of the matter that counted."
    finding = Finding(Span(7, 34), text[7:34], "framing", "why", "rules", "framing/x")
    assert whole_words(Document(text, text), finding, Span(0, len(text))) is finding


def test_the_text_is_taken_from_the_source_not_from_the_masked_prose() -> None:
    source, prose = "A far-<b>right</b> group", "A far-   right     group"
    finding = Finding(Span(9, 14), "right", "framing", "why", "model", "model/x", probability=0.5)
    whole = whole_words(Document(source, prose), finding, Span(0, len(source)))
    assert whole is not None
    assert whole.text == source[whole.span.start : whole.span.end]
