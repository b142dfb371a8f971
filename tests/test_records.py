"""The records of the rules: shares worked out by hand, and the file that ships."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unslant.core.errors import UnslantError
from unslant.core.types import Finding, Severity, Span
from unslant.records import PATH, Counts, Records, RuleRecord, plain_wording, shipped_records
from unslant.rules.analyzer import rules_for
from unslant.spec import Spec

FINDING = Finding(Span(0, 7), "Slammed", "framing", "why", "rules", "framing/attack-verb")


def test_a_share_is_drawn_towards_the_broader_one() -> None:
    assert Counts(3, 4).share(0.5) == (3 + 2) / 8
    assert Counts().share(0.3) == pytest.approx(0.3)


def test_shares_by_rule_profile_and_wording() -> None:
    record = RuleRecord({"news": Counts(6, 8), "docs": Counts(0, 4)}, {"slammed": Counts(4, 4)})
    records = Records({"framing/attack-verb": record}, {"warning": 0.5})
    by_rule = (6 + 4 * 0.5) / (12 + 4)
    by_news = (6 + 4 * by_rule) / (8 + 4)
    assert records.share(FINDING, "news") == pytest.approx((4 + 4 * by_news) / (4 + 4))
    unseen = replace(FINDING, text="blasted")
    assert records.share(unseen, "docs") == pytest.approx((0 + 4 * by_rule) / (4 + 4))
    assert records.share(replace(FINDING, rule="house/verbs"), "news") is None


def test_wording_is_looked_up_without_case_and_line_breaks() -> None:
    assert plain_wording("The  Fact\nthat") == "the fact that"
    assert plain_wording("don\N{RIGHT SINGLE QUOTATION MARK}t") == "don't"


def test_they_are_stored_and_read_back() -> None:
    assert Records.parse(PATH.read_text("utf-8")) == shipped_records()
    assert json.loads(PATH.read_text("utf-8")) == shipped_records().to_dict()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"rules": {"a/b": []}, "severities": {}}'])
def test_a_damaged_file_is_one_clear_sentence(content: str) -> None:
    with pytest.raises(UnslantError, match="records of the rules cannot be read"):
        Records.parse(content)


def test_every_rule_has_a_record_and_none_by_wording_where_sides_or_groups_are_named() -> None:
    records = shipped_records()
    rules = {rule.id: rule for rule in rules_for(Spec())}
    assert set(records.rules) == set(rules)
    for name, record in records.rules.items():
        if rules[name].dimension or rules[name].pairs or rules[name].matcher:
            assert not record.by_wording, name
        for count in (*record.by_profile.values(), *record.by_wording.values()):
            assert 0 <= count.accepted <= count.findings


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0, 1))
def test_a_share_stays_between_what_was_counted_and_the_broader_one(
    hits: int, misses: int, broader: float
) -> None:
    share = Counts(hits, hits + misses).share(broader)
    counted = hits / (hits + misses) if hits + misses else broader
    assert min(counted, broader) - 1e-9 <= share <= max(counted, broader) + 1e-9


def test_a_rarely_seen_rule_counts_like_its_severity() -> None:
    records = Records({"framing/attack-verb": RuleRecord()}, {"warning": 0.7, "suggestion": 0.4})
    assert records.share(FINDING, "news") == pytest.approx(0.7)
    assert records.share(replace(FINDING, severity=Severity.SUGGESTION), "news") == pytest.approx(0.4)
