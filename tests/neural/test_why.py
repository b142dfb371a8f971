"""What a finding of the model says."""

from __future__ import annotations

import pytest

from unslant.core.taxonomy import kind, kinds
from unslant.neural.why import nearest_rule, reason


@pytest.mark.parametrize("name", kinds())
def test_the_kind_is_named_with_its_meaning(name: str) -> None:
    said = reason("zzz", name, None, 0.75)
    assert said == f"Likely slanted (75%), {name}: {kind(name).meaning}."


def test_against_whom_is_named_if_known() -> None:
    assert "demographic (about age)" in reason("zzz", "demographic", "age", 0.95)


def test_a_word_of_the_same_stem_leads_to_its_rule() -> None:
    for words in ("legendary", "a legend", "their legendary status"):
        rule = nearest_rule(words, "framing")
        assert rule is not None
        assert rule.id == "framing/praise-adjective"


def test_only_rules_of_the_same_kind_are_near() -> None:
    assert nearest_rule("legendary", "demographic") is None


@pytest.mark.parametrize("words", ["", "the of and", "1234 ...", "xylophone quux"])
def test_words_that_no_rule_knows_have_no_nearest_rule(words: str) -> None:
    assert nearest_rule(words, "framing") is None
