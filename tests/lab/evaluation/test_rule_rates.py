"""Rates of rules, on sentences made for it and on the public corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.core.types import Severity
from unslant.lab.evaluation.rule_rates import RateSample, load_samples, measure_rates
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
    idle = [rate.rule for rate in rates if rate.findings and not rate.telling and rate.rule in loud]
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
