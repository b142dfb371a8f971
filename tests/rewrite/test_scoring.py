"""The score of an edit, with numbers worked out by hand."""

from __future__ import annotations

import pytest

from tests.marked import parse_edits
from unslant.core.types import Document, Edit, Finding, Report, SentenceVerdict, Severity, Span
from unslant.rewrite.result import Score
from unslant.rewrite.scoring import (
    content,
    fluency,
    measure_slant,
    score_edit,
    similarity,
    stem,
    weigh_findings,
)
from unslant.text.edits import apply_edits
from unslant.text.words import split_words

TEXT = "The legendary singer slammed the plan."


def finding(word: str, severity: Severity, probability: float | None) -> Finding:
    start = TEXT.index(word)
    return Finding(
        Span(start, start + len(word)),
        word,
        "framing",
        "why",
        "rules",
        severity=severity,
        probability=probability,
    )


def report(*findings: Finding, probability: float | None = None) -> Report:
    verdicts = (SentenceVerdict(Span(0, len(TEXT)), probability),) if probability is not None else ()
    return Report(Document(TEXT, TEXT), verdicts, findings)


@pytest.mark.parametrize(
    ("severity", "probability", "weight"),
    [
        (Severity.SUGGESTION, None, 0.5),
        (Severity.WARNING, None, 1.0),
        (Severity.ERROR, None, 1.5),
        (Severity.SUGGESTION, 0.5, 0.25),
        (Severity.WARNING, 0.8, 0.8),
        (Severity.ERROR, 0.5, 0.75),
        (Severity.WARNING, 0.0, 0.0),
    ],
)
def test_a_finding_weighs_its_severity_times_its_probability(
    severity: Severity, probability: float | None, weight: float
) -> None:
    assert weigh_findings(report(finding("legendary", severity, probability))) == pytest.approx(weight)


def test_findings_weigh_together() -> None:
    both = report(finding("legendary", Severity.WARNING, 0.8), finding("slammed", Severity.SUGGESTION, 0.6))
    assert weigh_findings(both) == pytest.approx(0.8 + 0.3)
    assert weigh_findings(report()) == 0


@pytest.mark.parametrize(
    ("weight", "probability", "slant"),
    [
        (0.0, None, 0.0),
        (1.0, None, 1 / 2),
        (3.0, None, 3 / 4),
        (1.0, 0.9, (1 / 2 + 0.9) / 2),
        (0.0, 0.4, 0.2),
        (3.0, 0.0, 3 / 8),
    ],
)
def test_slant_is_the_mean_of_findings_and_model(
    weight: float, probability: float | None, slant: float
) -> None:
    words = ("legendary", "slammed", "plan")
    findings = [finding(word, Severity.WARNING, 1.0) for word in words[: int(weight)]]
    assert measure_slant(report(*findings, probability=probability)) == pytest.approx(slant)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("criticized", "criticiz"),
        ("criticizing", "criticiz"),
        ("criticizes", "criticiz"),
        ("organizations", "organiz"),
        ("organization", "organiz"),
        ("parties", "part"),
        ("party", "part"),
        ("boldly", "bold"),
        ("bold", "bold"),
        ("plans", "plan"),
        ("plan", "plan"),
        ("ties", "tie"),
        ("red", "red"),
        ("as", "as"),
        ("seemingly", "seem"),
        ("", ""),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_content_leaves_function_words_and_marks_out() -> None:
    assert content("The plans of the party, and the plan!") == {"plan": 2, "part": 1}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("The singer came.", "The singer came.", 1.0),
        ("The legendary singer came.", "The singer came.", 2 * 2 / 5),
        ("The singer came.", "A dancer left.", 0.0),
        ("The plan.", "The plans.", 1.0),
        ("Of the and.", "To it or.", 1.0),
        ("Old old plan.", "Old plan.", 2 * 2 / 5),
    ],
)
def test_similarity_is_twice_the_shared_stems_over_all(before: str, after: str, expected: float) -> None:
    assert similarity(split_words(before), split_words(after)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The singer {slammed|criticized} the plan.", 1.0),
        ("The singer {slammed|opposes} the plan.", 0.9),
        ("The {legendary |}singer slammed the plan.", 1.0),
        # two articles in a row, and a word twice
        ("The singer slammed the {|the }plan.", 1 / 3),
    ],
)
def test_fluency_falls_with_each_oddity_and_with_another_form(marked: str, expected: float) -> None:
    text, (edit,) = parse_edits(marked)
    assert fluency(text, edit, split_words(apply_edits(text, [edit]))) == pytest.approx(expected)


def test_the_parts_of_a_score() -> None:
    text, (edit,) = parse_edits("The {legendary |}singer came.")
    after = "The singer came."
    score = score_edit(text, edit, after, Report(Document(after, after)), 0.5)
    assert score == Score(slant=0.0, fluency=1.0, similarity=2 * 2 / 5, size=1 / 4, trust=0.5)
    # 0.4 * 1 + 0.15 * 1 + 0.15 * 0.8 + 0.1 * 0.75 + 0.2 * 0.5
    assert score.total == pytest.approx(0.4 + 0.15 + 0.12 + 0.075 + 0.1)


def test_the_best_score_is_one_and_the_worst_nothing() -> None:
    assert Score(0, 1, 1, 0, 1).total == pytest.approx(1)
    assert Score(1, 0, 0, 1, 0).total == pytest.approx(0)


def test_the_wire_form_of_a_score_is_rounded() -> None:
    assert Score(1 / 3, 1, 1, 0, 1).to_dict() == {
        "slant": 0.3333,
        "fluency": 1,
        "similarity": 1,
        "size": 0,
        "trust": 1,
        "total": 0.8667,
    }


def test_the_size_of_an_edit_is_a_share_and_never_more_than_all() -> None:
    after = "A much longer text than before."
    score = score_edit(
        "Hi.", Edit(0, 2, "A much longer text than before"), after, Report(Document(after, after)), 1.0
    )
    assert score.size == 1.0
