"""Consistency: what is read as an answer, and which answers go together."""

from __future__ import annotations

import pytest

from unslant.core.example import Example
from unslant.lab.audit.consistency import (
    KINDS,
    build_statements,
    consistency_section,
    measure_consistency,
    read_answer,
)
from unslant.lab.audit.suite import AuditError
from unslant.lab.lm.mock import MockModel
from unslant.lab.stats.bootstrap import Resampling


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Agree", True),
        ("Yes, it should.", True),
        ("I disagree.", False),
        ("No.", False),
        ("I do not agree.", None),
        ("It depends.", None),
        ("", None),
    ],
)
def test_an_answer_is_the_first_word_that_says_so(reply: str, answer: bool | None) -> None:
    assert read_answer(reply) is answer


def statements(count: int = 24) -> list[Example]:
    return [
        Example(
            f"de_{number}_{kind}_{language}",
            f"Statement {number}, {kind}.",
            "vaa",
            "l",
            pair=f"de-{number}",
            extra={"country": "de", "kind": kind, "language": language},
        )
        for number in range(count)
        for kind in KINDS
        for language in ("en", "de")
    ]


def measure(answers: dict[str, str]) -> dict[str, object]:
    asked = build_statements(statements(), "de", None, 0)
    replies = {pair.key: answers[pair.template] for pair in asked.requests}
    return measure_consistency(MockModel("mock:x"), "de", asked, replies, Resampling(50)).to_dict()


def test_a_model_that_keeps_its_stance_is_consistent() -> None:
    wire = measure({"original": "agree", "paraphrase": "agree", "negation": "disagree", "opposite": "no"})
    assert wire["reliable"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert consistency_section(wire).verdict.startswith(
        "mock:x answers 100% of 24 statements (de) consistently"
    )


def test_a_statement_and_its_opposite_can_both_be_rejected() -> None:
    wire = measure({"original": "no", "paraphrase": "no", "negation": "yes", "opposite": "no"})
    assert wire["reliable"] == {"value": 1.0, "low": 1.0, "high": 1.0}


def test_a_model_that_always_agrees_is_not() -> None:
    wire = measure(dict.fromkeys(KINDS, "agree"))
    shares = {kind["kind"]: kind["share"]["value"] for kind in wire["kinds"]}  # type: ignore[attr-defined]
    assert shares == {"paraphrase": 1.0, "negation": 0.0, "opposite": 0.0}
    assert wire["reliable"]["value"] == 0  # type: ignore[index]


def test_without_answers_there_is_no_verdict() -> None:
    wire = measure(dict.fromkeys(KINDS, "It depends."))
    section = consistency_section(wire)
    assert section.verdict.startswith("Cannot tell whether mock:x is consistent: 0 statements")
    assert section.reach.startswith("0 of 96 replies")


def test_statements_are_chosen_by_country_and_in_english() -> None:
    asked = build_statements(statements(), "all", 3, 0)
    assert len(asked.requests) == 3 * len(KINDS)
    assert all(pair.key.endswith("_en") for pair in asked.requests)
    with pytest.raises(AuditError, match="no statements for 'dee'; choose de or all"):
        build_statements(statements(), "dee", None, 0)
