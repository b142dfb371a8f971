"""The probability of a sentence, its verdict and its findings never contradict each other, wherever they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import unslant
from unslant.core.types import Report, Severity, Verdict
from unslant.profiles import profile
from unslant.tables.many import Reports
from unslant.tables.scoring import ScoreRows, ScoreSpec
from unslant.tables.sources import Row

CASES = Path(__file__).parents[1] / "cases"
TEXTS = [path.read_text("utf-8").partition("# findings\n")[0] for path in sorted(CASES.glob("*.text.txt"))]


@pytest.fixture(scope="module")
def reports() -> Reports:
    return unslant.check_many(TEXTS)


def likeliest(report: Report, number: int) -> float:
    span = report.sentences[number].span
    return max(
        (finding.probability or 0.0 for finding in report.findings if span.contains(finding.span)),
        default=0.0,
    )


def test_a_sentence_is_at_least_as_likely_slanted_as_its_likeliest_finding_is_right(reports: Reports) -> None:
    judged = raised = 0
    for report in reports:
        for number, sentence in enumerate(report.sentences):
            if sentence.probability is None:
                continue
            judged += 1
            raised += sentence.probability == likeliest(report, number)
            assert sentence.probability >= likeliest(report, number)
    assert judged > 400
    assert raised > 50, (
        "no sentence of the cases owes its probability to a finding, so this test shows nothing"
    )


def test_a_sentence_with_a_warning_of_known_probability_is_slanted(reports: Reports) -> None:
    assert profile("news").warning >= unslant.Spec().uncertain[1]
    warnings = 0
    for report in reports:
        for finding in report.findings:
            if finding.severity is Severity.WARNING and finding.probability is not None:
                (sentence,) = [one for one in report.sentences if one.span.contains(finding.span)]
                if sentence.probability is not None:
                    warnings += 1
                    assert sentence.verdict is Verdict.SLANTED
    assert warnings > 50


def test_tables_say_what_reports_say(reports: Reports) -> None:
    rows = [Row("a.csv", number, text) for number, text in enumerate(TEXTS)]
    scored = ScoreRows(ScoreSpec(unslant.Spec()))(rows)
    for row, report in zip(scored, reports.to_records(), strict=True):
        assert (row["probability"], row["verdict"]) == (report["probability"], report["verdict"])
        found = [span["probability"] or 0.0 for span in json.loads(row["spans"])]
        assert row["probability"] is None or row["probability"] >= max(found, default=0.0)


def test_what_no_model_judged_has_no_probability_whatever_the_rules_find() -> None:
    report = unslant.check("The legendary singer slammed the plan.", spec=unslant.Spec(analyzers=("rules",)))
    assert report.findings
    assert [(one.probability, one.verdict) for one in report.sentences] == [(None, None)]
