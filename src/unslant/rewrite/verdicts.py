"""What ``fix`` says of the edits that findings carry, so that a check promises nothing that ``fix`` would not do.

Most verdicts follow from the sentence before and after an edit. Only edits of a class with a record can be safe, which
is rare, and only for these the detector is asked again: their sentences are fixed, as ``fix`` would. A safe edit that
``fix`` has found by itself is added to the finding.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from unslant.core.types import Analysis, Applicability, Edit, Finding, Report, Sentence, Span
from unslant.pipeline import Pipeline
from unslant.rewrite.candidates import EditableSentence, rule_slot
from unslant.rewrite.fixer import Fixer
from unslant.rewrite.gates import settle
from unslant.rewrite.limits import fits
from unslant.rewrite.planning import make_cases, worth_showing
from unslant.rewrite.records import may_be_left_out
from unslant.text.formats import CHECK_ONLY

__all__ = ["judge_edits"]

_Place = tuple[Span, str | None, str]
"""Identifies a finding of a document: the span, the rule and the kind."""


class _Verdict(NamedTuple):
    """An edit and whether ``fix`` could make it without review, if the detector agrees."""

    edit: Edit
    may_be_safe: bool


def judge_edits(report: Report, pipeline: Pipeline) -> Report:
    """Return a report with the verdict on each edit; edits that ``fix`` would not offer are left out."""
    judged: dict[_Place, list[_Verdict]] = {}
    to_fix: list[Span] = []
    for sentence, findings in _by_sentence(report):
        for finding in findings:
            found = judged[_place(finding)] = _judge(finding, sentence, findings, pipeline.spec.budget)
            may_be_safe = any(verdict.may_be_safe for verdict in found) or (
                may_be_left_out(finding) and report.document.format not in CHECK_ONLY
            )
            if may_be_safe and to_fix[-1:] != [sentence.span]:
                to_fix.append(sentence.span)
    safe = _safe_edits(report, to_fix, pipeline) if to_fix else {}
    return replace(
        report,
        findings=tuple(
            replace(finding, edits=_edits(judged.get(_place(finding), ()), safe.get(_place(finding))))
            for finding in report.findings
        ),
    )


def _by_sentence(report: Report) -> Iterator[tuple[Sentence, list[Finding]]]:
    """Yield the sentences with findings; a finding across sentences is in none."""
    spans = report.sentences

    def number(finding: Finding) -> int:
        at = bisect_right(spans, finding.span.start, key=lambda verdict: verdict.span.start) - 1
        return at if at >= 0 and spans[at].span.contains(finding.span) else -1

    for at, group in groupby(report.findings, key=number):
        if at >= 0:
            yield Sentence(report.document, spans[at].span), [*group]


def _place(finding: Finding) -> _Place:
    return finding.span, finding.rule, finding.kind


def _judge(
    finding: Finding, sentence: Sentence, findings: Sequence[Finding], budget: float
) -> list[_Verdict]:
    """Return the verdicts on the edits of a finding, as far as they do not depend on the detector."""
    if sentence.document.format in CHECK_ONLY or not fits(len(sentence.span), len(findings)):
        return [_Verdict(replace(edit, applicability=Applicability.DISPLAY), False) for edit in finding.edits]
    target = EditableSentence(sentence, Analysis(findings=(finding,)))
    found = []
    for case in make_cases(target, rule_slot(finding, target), budget):
        gate = settle(case)
        if gate is not None and not worth_showing(replace(case.suggestion, gate=gate)):
            continue
        verdict = gate.verdict if gate is not None else Applicability.REVIEW
        edit = replace(case.edit, applicability=verdict, probability=None)
        found.append(_Verdict(edit.shift(sentence.span.start), gate is None))
    return found


def _safe_edits(report: Report, spans: Sequence[Span], pipeline: Pipeline) -> dict[_Place, Edit]:
    """Fix some sentences, and return the edits that are made without review by the findings that they answer."""
    fixer = Fixer(replace(pipeline.spec, rewriter="edits"), pipeline=pipeline)
    fixed = fixer.fix_sentences(report.document, spans)
    return {
        _place(finding): replace(suggestion.edit, probability=None)
        for suggestion in fixed.edits
        if suggestion.applied
        for finding in suggestion.findings
    }


def _edits(judged: Sequence[_Verdict], safe: Edit | None) -> tuple[Edit, ...]:
    """Return the edits of a finding, the one first that is made without review."""
    edits = [verdict.edit for verdict in judged if safe is None or verdict.edit.change != safe.change]
    return tuple(edits) if safe is None else (safe, *edits)
