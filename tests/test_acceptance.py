"""One probability for every finding, and the severity that follows from it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unslant
from unslant.acceptance import FEATURES, Acceptance, Evidence, features, logit
from unslant.core.errors import ModelError
from unslant.core.types import Document, Finding, Sentence, Severity, Span, WordScore
from unslant.profiles import profile
from unslant.records import Counts, Records, RuleRecord

TEXT = "The Legendary singer slammed the plan."


def _sentence() -> Sentence:
    return Sentence(Document(TEXT, TEXT), Span(0, len(TEXT)))


def _finding(words: str, rule: str | None = None, **more: object) -> Finding:
    start = TEXT.index(words)
    origin = "model" if rule is None or rule.startswith("model/") else "rules"
    return Finding(Span(start, start + len(words)), words, "framing", "why", origin, rule, **more)  # type: ignore[arg-type]


def _scores(**probabilities: float) -> tuple[WordScore, ...]:
    found = []
    for word in TEXT.rstrip(".").split():
        start = TEXT.index(word)
        found.append(WordScore(Span(start, start + len(word)), probabilities.get(word, 0.01)))
    return tuple(found)


def _records(**counts: tuple[int, int]) -> Records:
    rules = {
        name.replace("__", "/").replace("_", "-"): RuleRecord({"news": Counts(*pair)})
        for name, pair in counts.items()
    }
    return Records(rules, {"warning": 0.5, "suggestion": 0.5, "error": 0.5})


def test_a_hand_worked_probability() -> None:
    acceptance = Acceptance(
        {"bias": -1.0, "span_max": 0.5, "rule": 1.0, "rule_record": 2.0},
        _records(framing__attack_verb=(7, 8)),
    )
    evidence = Evidence(_scores(slammed=0.8), 0.9)
    # the rule's share is (7 + 2) / (8 + 4) = 0.75, that in news (7 + 3) / (8 + 4) = 5 / 6, that of the words, which
    # were never seen, the same; with log-odds ln 5. The word has log-odds ln 4.
    total = -1.0 + 0.5 * math.log(4) + 1.0 + 2.0 * math.log(5)
    found = acceptance.probability(_finding("slammed", "framing/attack-verb"), _sentence(), evidence)
    assert found == pytest.approx(1 / (1 + math.exp(-total)))


def test_without_a_network_the_record_of_the_rule_decides() -> None:
    acceptance = Acceptance(
        {"bias": 5.0}, _records(framing__attack_verb=(40, 42), framing__scare_quotes=(50, 377))
    )
    verb = acceptance.score(_finding("slammed", "framing/attack-verb"), _sentence(), Evidence())
    marks = acceptance.score(_finding("Legendary", "framing/scare-quotes"), _sentence(), Evidence())
    assert verb.probability == pytest.approx((40 + 4 * (42 / 46)) / 46, abs=1e-4)
    assert verb.severity is Severity.WARNING
    assert marks.probability == pytest.approx((50 + 4 * (52 / 381)) / 381, abs=1e-4)
    assert marks.severity is Severity.SUGGESTION


def test_a_users_own_rule_and_an_error_keep_their_severity() -> None:
    acceptance = Acceptance({"bias": -9.0}, _records(demographic__slur=(0, 50)))
    own = _finding("slammed", "house/verbs", severity=Severity.WARNING)
    assert acceptance.score(own, _sentence(), Evidence(_scores())) == own
    error = _finding("slammed", "demographic/slur", severity=Severity.ERROR)
    assert acceptance.score(error, _sentence(), Evidence(_scores())).severity is Severity.ERROR


def test_capital_letters_count_inside_a_sentence_only() -> None:
    evidence = Evidence(_scores())
    inside = dict(zip(FEATURES, features(_finding("Legendary"), _sentence(), evidence, None), strict=True))
    first = dict(zip(FEATURES, features(_finding("The"), _sentence(), evidence, None), strict=True))
    assert (inside["capitalized"], first["capitalized"]) == (1.0, 0.0)


@pytest.mark.parametrize("name", ["docs", "encyclopedia"])
def test_the_profile_is_an_input(name: str) -> None:
    evidence = Evidence(_scores(), profile=profile(name))
    found = dict(zip(FEATURES, features(_finding("slammed"), _sentence(), evidence, None), strict=True))
    assert found[name] == 1.0
    assert sum(found[key] for key in ("docs", "encyclopedia")) == 1.0


def test_a_label_listed_with_its_counterpart_is_at_least_as_likely_as_its_record() -> None:
    acceptance = Acceptance({"bias": -3.0}, _records(framing__camp_label=(9, 10)))
    finding, words = _finding("Legendary", "framing/camp-label"), _scores()
    alone = acceptance.probability(finding, _sentence(), Evidence(words))
    paired = acceptance.probability(
        finding, _sentence(), Evidence(words, two_sided=frozenset({"framing/camp-label"}))
    )
    assert alone == pytest.approx(1 / (1 + math.exp(3)))
    assert paired == pytest.approx(acceptance.records.share(finding, "news"))


@given(st.floats(0, 1), st.floats(0, 1))
def test_log_odds_keep_the_order_and_stay_within_limits(one: float, other: float) -> None:
    assert -6 <= logit(one) <= 6
    if one <= other:
        assert logit(one) <= logit(other)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_words_that_the_network_marks_more_strongly_are_never_less_likely(one: float, other: float) -> None:
    acceptance = Acceptance({"span_max": 0.9, "span_mean": 0.2})
    low, high = sorted((one, other))
    finding = _finding("slammed")
    lower = acceptance.probability(finding, _sentence(), Evidence(_scores(slammed=low)))
    higher = acceptance.probability(finding, _sentence(), Evidence(_scores(slammed=high)))
    assert lower is not None
    assert higher is not None
    assert lower <= higher


def test_it_is_stored_and_read_back() -> None:
    acceptance = Acceptance({"bias": -0.5, "span_max": 0.9})
    assert Acceptance.parse(json.dumps(acceptance.to_dict()).encode()) == acceptance


@pytest.mark.parametrize("content", [b"", b"[]", b'{"coefficients": 3}', b'{"records": {}}', b"\xff"])
def test_a_damaged_file_is_one_clear_sentence(content: bytes) -> None:
    with pytest.raises(
        ModelError, match=r"acceptance.json of the model cannot be read; install the model again"
    ):
        Acceptance.parse(content)


def test_severities_meet_at_the_probability_of_the_profile() -> None:
    warning = profile("news").warning
    assert warning == 0.8
    for change, severity in ((1e-3, Severity.WARNING), (-1e-3, Severity.SUGGESTION)):
        acceptance = Acceptance({"bias": math.log(warning / (1 - warning)) + change})
        assert acceptance.score(_finding("slammed"), _sentence(), Evidence(_scores())).severity is severity


def test_a_model_without_a_regression_keeps_its_own_probability() -> None:
    found = Acceptance().score(_finding("slammed", probability=0.8), _sentence(), Evidence(_scores()))
    assert (found.probability, found.severity) == (0.8, Severity.WARNING)


def test_a_good_record_of_a_rule_about_groups_outweighs_a_network_that_sees_masks() -> None:
    found = unslant.check("The mailman spoke.").findings
    assert [finding.text for finding in found] == ["mailman"]
