"""Rates of rules, on sentences made for it and on the public corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.example import LabelledSpan
from unslant.core.types import Severity, Span
from unslant.lab import corpora
from unslant.lab.corpora.editor import MarkedPassage, read_passages
from unslant.lab.evaluation.rules import (
    RateSample,
    count_records,
    judge_rules,
    load_samples,
    measure_rates,
    records_text,
    records_wire,
)
from unslant.lab.stats.metrics import wilson_interval
from unslant.records import Counts, shipped_records
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec

RULES = rules_for(Spec())
ROOT = Path(__file__).parents[3]


def test_rates_are_findings_per_hundred_sentences() -> None:
    neutral = ["The mayor spoke.", "They slammed it.", "It rained.", "The council met."]
    biased = ["They slammed it and slammed it again.", "Clearly, it rained."]
    totals, rates = measure_rates(RULES, [RateSample("ours", neutral, biased)])
    by_rule = {rate.rule: rate for rate in rates}
    attack = by_rule["framing/attack-verb"]
    assert (attack.neutral, attack.biased, attack.findings) == (25.0, 100.0, 3)
    assert attack.by_corpus == {"ours": (25.0, 100.0)}
    assert by_rule["epistemological/booster"].biased == 50.0
    assert (totals[0].neutral, totals[0].biased) == (25.0, 150.0)


def test_a_held_out_sample_counts_only_for_the_totals() -> None:
    seen = RateSample("seen", ["It rained."], ["They slammed it."])
    held_out = RateSample("held out", ["They slammed it."], ["They slammed it."], held_out=True)
    totals, rates = measure_rates(RULES, [seen, held_out])
    assert [total.neutral for total in totals] == [0.0, 100.0]
    (attack,) = (rate for rate in rates if rate.rule == "framing/attack-verb")
    assert (attack.neutral, attack.biased) == (0.0, 100.0)


@pytest.mark.shared
def test_no_warning_fires_as_often_on_neutral_as_on_biased_text(shared_data: Path) -> None:
    severities = {rule.id: rule.severity for rule in RULES}
    totals, rates = measure_rates(RULES, load_samples(shared_data))
    loud = [rate.rule for rate in rates if severities[rate.rule] is not Severity.SUGGESTION]
    idle = [
        rate.rule for rate in rates if rate.findings and rate.biased <= rate.neutral and rate.rule in loud
    ]
    assert idle == []
    for total in totals:
        assert total.biased > 1.5 * total.neutral, total
        assert total.biased_warnings > 2 * total.neutral_warnings, total
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    for rate in rates:
        assert (
            f"| `{rate.rule}` | {severities[rate.rule].value} | {rate.neutral:.2f} | {rate.biased:.2f} |"
            in page
        )


TEXT = "The legendary singer slammed the plan. A legendary cook spoke. He was legendary."


def _passages() -> list[MarkedPassage]:
    start = TEXT.index("legendary")
    marked = (LabelledSpan(Span(start, start + 9), "framing"),)
    return [
        MarkedPassage(name, TEXT, marked, genre, None, "", 10)
        for name, genre in (("a", "news"), ("b", "documentation"))
    ]


def test_findings_are_counted_by_rule_profile_and_frequent_wording() -> None:
    judged = judge_rules(_passages())
    records = count_records(judged)
    assert {item.finding.rule for item in judged if item.finding.text == "legendary"} == {
        "framing/praise-adjective"
    }
    praise = records.rules["framing/praise-adjective"]
    assert praise.by_profile == {"news": Counts(1, 3), "docs": Counts(1, 3)}
    assert praise.by_wording == {"legendary": Counts(2, 6)}
    attack = records.rules["framing/attack-verb"]
    assert attack.total == Counts(0, 2)
    assert attack.by_wording == {}
    assert set(records.rules) == {rule.id for rule in rules_for(Spec())}


def test_the_table_and_the_wire_form_have_intervals() -> None:
    rules = [rule for rule in rules_for(Spec()) if rule.id == "framing/praise-adjective"]
    records = count_records(judge_rules(_passages()))
    low, high = wilson_interval(2, 6)
    row = f"| `framing/praise-adjective` | 2 | 6 | 0.33 | {low:.2f} to {high:.2f} |"
    assert row in records_text(rules, records, "train")
    assert records_wire(rules, records)["framing/praise-adjective"] == {
        "accepted": 2,
        "findings": 6,
        "interval": [low, high],
        "profiles": {"docs": [1, 3], "news": [1, 3]},
    }


def test_wilsons_interval() -> None:
    # Agresti and Coull (1998): 0 of 10 gives 0 to 0.278
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-3)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.shared
def test_the_records_that_ship_are_those_of_the_training_part(shared_data: Path) -> None:
    passages = read_passages(corpora.load("editor", shared_data), "train")
    assert count_records(judge_rules(passages)).to_dict() == shipped_records().to_dict()
