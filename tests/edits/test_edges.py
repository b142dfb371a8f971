"""Invariants, budgets and limits at the very edge, where an off-by-one error would show."""

from __future__ import annotations

import pytest

import unslant
from unslant.core.types import Applicability, Document, Finding, Sentence, Span, Verdict
from unslant.edits.decide import allowance
from unslant.edits.invariants import _clip
from unslant.edits.types import Reason
from unslant.pipeline import _Collector
from unslant.selection import Selection, merge
from unslant.spec import Spec
from unslant.text.edits import apply_edits

RULES = Spec(analyzers=("rules",))


@pytest.mark.parametrize(
    "text",
    [
        # the first mark is glued to a word, so that no quotation is found: the marks still come in pairs
        'The plan of the"singer slammed it"came to it late.',
        'The plan of 12"singers slammed it"came to it late.',
    ],
)
def test_nothing_changes_between_two_straight_marks(text: str) -> None:
    assert unslant.read(text).quotations == ()
    fixed = unslant.fix(text, spec=RULES, unsafe=True)
    assert fixed.text == text
    assert {suggestion.edit.note for suggestion in fixed.edits} == {Reason.QUOTATION.note}


def test_what_an_edit_leads_to_in_another_sentence_is_done_along_with_it() -> None:
    """Without the word before the bracket, *Sadly* is no longer the short form of anything."""
    text = ", Sadly, the plan failed. legendary (Sadly, the plan failed."
    assert [finding.text for finding in unslant.check(text, spec=RULES).findings] == ["legendary"]
    fixed = unslant.fix(text, spec=RULES, unsafe=True)
    assert fixed.text == ", The plan failed. (the plan failed."
    assert unslant.fix(fixed.text, spec=RULES, unsafe=True).text == fixed.text


def test_no_space_is_left_after_a_mark_that_nobody_sees() -> None:
    fixed = unslant.fix("\u200dSadly, words of the legendary singer came.", spec=RULES, unsafe=True)
    assert fixed.text == "\u200dWords of the singer came."


def test_the_budget_is_a_share_rounded_up_and_at_least_one_word() -> None:
    assert [allowance("w " * count, 0.2) for count in (1, 4, 5, 6, 10, 11)] == [1, 1, 1, 2, 2, 3]


def test_spans_are_clipped_to_their_sentence() -> None:
    document = Document("x" * 20, "x" * 20)
    sentence = Sentence(document, Span(5, 10))
    spans = (Span(0, 5), Span(5, 6), Span(8, 12), Span(12, 13))
    assert list(_clip(spans, sentence)) == [(0, 1), (3, 5)]
    assert list(_clip((Span(0, 20),), sentence)) == [(0, 5)]
    assert list(_clip((Span(10, 11),), sentence)) == []


def finding(start: int, end: int, probability: float | None = None, **named: str) -> Finding:
    given = {"kind": "framing", "why": "", "origin": "rules", "rule": "framing/praise"} | named
    return Finding(Span(start, end), "x" * (end - start), probability=probability, **given)  # type: ignore[arg-type]


def test_a_finding_at_the_threshold_is_reported() -> None:
    document = Document("x" * 20, "x" * 20)
    selection = Selection(document, Spec(threshold=0.5))
    assert len(selection.keep([finding(0, 2, 0.5)])) == 1
    assert selection.keep([finding(0, 2, 0.4999)]) == []
    assert len(selection.keep([finding(0, 2)])) == 1


def test_the_edges_of_what_is_uncertain() -> None:
    collector = _Collector(Document("x", "x"), Spec(uncertain=(0.4, 0.6)), None, None)
    verdicts = [collector._verdict(probability) for probability in (0.3999, 0.4, 0.5999, 0.6, None)]
    assert verdicts == [
        Verdict.NEUTRAL,
        Verdict.UNCERTAIN,
        Verdict.UNCERTAIN,
        Verdict.SLANTED,
        None,
    ]


def test_what_is_hidden_or_quoted_ends_at_its_edge() -> None:
    document = Document("x" * 20, "x" * 20, hidden=(Span(2, 4),), quotations=(Span(8, 12),))
    selection = Selection(document, Spec())
    assert len(selection.keep([finding(0, 2)])) == 1
    assert selection.keep([finding(1, 3)]) == []
    assert len(selection.keep([finding(4, 5)])) == 1
    assert selection.keep([finding(8, 10)]) == []
    assert selection.keep([finding(10, 12)]) == []
    assert len(selection.keep([finding(12, 13)])) == 1
    # about the quotation as a whole, marks included
    assert len(selection.keep([finding(8, 12)])) == 1


def test_findings_that_share_words_are_merged_and_those_beside_them_are_not() -> None:
    kept = merge([finding(2, 4), finding(0, 4), finding(4, 6)])
    assert [item.span for item in kept] == [Span(0, 4), Span(4, 6)]
    assert [item.span for item in merge([finding(4, 6), finding(0, 4), finding(3, 5)])] == [
        Span(0, 4),
        Span(4, 6),
    ]
    many = merge([finding(at, at + 2) for at in range(0, 400, 2)] + [finding(100, 130)])
    assert len(many) == 200 - 15 + 1


def test_per_file_ignores_match_a_path_or_its_last_parts() -> None:
    spec = Spec(per_file_ignores=(("docs/*.md", ("framing",)),))

    def kept(path: str) -> int:
        return len(Selection(Document("x" * 9, "x" * 9, path), spec).keep([finding(0, 2)]))

    assert kept("docs/a.md") == kept("./docs/a.md") == kept("other/docs/a.md") == 0
    assert kept("a.md") == kept("docs/a.txt") == 1


@pytest.mark.parametrize("text", ["The singer was\nlegendary.", "legendarylegendary\nlegendary"])
def test_no_edit_takes_a_line_end(text: str) -> None:
    fixed = unslant.fix(text, unsafe=True, spec=Spec(analyzers=("rules",)))
    for suggestion in fixed.edits:
        for edit in (suggestion.edit, *suggestion.alternatives):
            if edit.applicability is not Applicability.DISPLAY:
                assert apply_edits(text, [edit]).count("\n") == 1
    assert fixed.text.count("\n") == 1


def test_a_wording_of_fewer_words_keeps_the_line_end() -> None:
    text = "The senator lashed out\nat the plan."
    fixed = unslant.fix(text, unsafe=True, spec=Spec(analyzers=("rules",)))
    assert fixed.text == "The senator criticized\nthe plan."
