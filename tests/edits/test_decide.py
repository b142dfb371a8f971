"""What is decided about a proposal: by invariants, by the model of edits, by the policy, and by the user."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import unslant
from tests.edits.proposed import proposed
from unslant.core.errors import ModelError
from unslant.core.types import Applicability
from unslant.edits.classes import edit_class
from unslant.edits.decide import Decider, EditPolicy, PolicyLine, load_policy
from unslant.edits.features import features
from unslant.edits.invariants import untouchable
from unslant.edits.model import EditModel, load_model, save_model, shipped_model
from unslant.edits.types import Reason, Source
from unslant.spec import Spec

RULES = Spec(analyzers=("rules",))


def test_the_vocabulary_and_the_rules_of_a_user_are_safe_because_the_user_says_so() -> None:
    spec = Spec(analyzers=("rules",), suggest=(("utilize", "use"),))
    text = "They utilize the old hall."
    (finding,) = unslant.check(text, spec=spec).findings
    assert [(edit.replacement, edit.applicability) for edit in finding.edits] == [("use", Applicability.SAFE)]
    assert unslant.fix(text, spec=spec).text == "They use the old hall."


def test_an_invariant_decides_before_the_model() -> None:
    decision = Decider(RULES).judge(proposed("He did {not |}vote.", Source.DELETION))
    assert (decision.applicability, decision.probability) == (None, None)
    assert decision.reason is Reason.FACT


def test_a_rules_wording_in_a_quotation_is_only_shown() -> None:
    decision = Decider(RULES).judge(proposed('He said "they {slammed|criticized} it" and left.'))
    assert (decision.applicability, decision.reason) == (Applicability.DISPLAY, Reason.QUOTATION)
    assert decision.edit.note == Reason.QUOTATION.note


def test_reasons_have_one_text_each_and_say_nothing_where_there_is_nothing_to_look_at() -> None:
    notes = [reason.note for reason in Reason if reason.note]
    assert len(notes) == len(set(notes))
    assert Reason.REVIEW.note == Reason.NONE.note == ""


def test_the_policy_takes_the_most_specific_line_and_narrow_ones_only_where_they_are_reached() -> None:
    policy = EditPolicy(
        {
            "sure": PolicyLine(0.9, 0.9, narrow=True),
            "rules: replace": PolicyLine(0.5, 1.01),
            "any": PolicyLine(0.8, 1.01),
        }
    )
    names = ("sure", "rules: replace x", "rules: replace", "any")
    assert policy.line(names, 0.95).safe == 0.9
    assert policy.line(names, 0.6).offered == 0.5
    assert policy.line(("list: replace", "any"), 0.95).offered == 0.8


def test_every_line_of_the_policy_keeps_what_it_promises() -> None:
    policy = load_policy(Path(unslant.__file__).with_name("edits") / "weights")
    for name, line in policy.lines.items():
        if line.read:
            assert line.good >= 0.8 * line.read, name
        assert line.safe >= line.offered, name


@pytest.mark.parametrize(
    ("marked", "rule", "expected"),
    [
        ("{Sadly, |}the plan failed.", "framing/editorial-adverb", True),
        ("The plan {sadly |}failed.", "framing/editorial-adverb", False),
        ("They {lambasted|criticized} the plan.", "framing/attack-verb", True),
        ("They {slammed|criticized} the plan.", "framing/attack-verb", False),
        ("The {infamous |}215 left.", "framing/notoriety", False),
        ("The {infamous |}dossier was found.", "framing/notoriety", True),
    ],
)
def test_narrow_classes(marked: str, rule: str, expected: bool) -> None:
    names = edit_class(proposed(marked, rule=rule))
    assert any(" is " in name for name in names) is expected


def test_groups_that_mirror_each_other_are_read_alike() -> None:
    left = features(proposed("The {reckless |}Democratic plan of the left failed."))
    right = features(proposed("The {reckless |}Republican plan of the right failed."))
    assert left == right


def test_a_model_is_written_and_read_again(tmp_path: Path) -> None:
    save_model(EditModel({"bias": 1.0, "words in": -0.5}, {"edits": 2}), tmp_path)
    again = load_model(tmp_path)
    assert again.weights == {"bias": 1.0, "words in": -0.5}
    assert len(again.digest) == 64
    assert again.probability({"bias": 1.0, "unknown": 9.0}) == pytest.approx(0.731, abs=0.001)
    # 2 - 0.5 * 4 = 0
    assert again.probability({"bias": 2.0, "words in": 4.0}) == 0.5


@pytest.mark.parametrize("content", ["", "[]", '{"format": "other", "about": {}, "weights": {}}'])
def test_a_broken_model_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(ModelError, match=r"model\.json"):
        load_model(tmp_path)
    (tmp_path / "policy.toml").write_text("[class]\n")
    with pytest.raises(ModelError, match=r"policy\.toml"):
        load_policy(tmp_path)


def test_the_shipped_model_says_what_it_was_fitted_on() -> None:
    assert shipped_model().about["edits"] > 4000


def test_words_can_be_left_out_only_where_the_sentence_stands_without_them() -> None:
    report = unslant.check("The legendary singer slammed the plan.", spec=Spec(analyzers=("rules",)))
    assert {finding.text: finding.deletable for finding in report.findings} == {
        "legendary": True,
        "slammed": False,
    }


@pytest.mark.parametrize("wording", ["\u201d high", "\u00ab high", "high"])
def test_a_quotation_mark_stays_the_mark_that_it_is(wording: str) -> None:
    # no quotation is open here: the mark means inches, and an edit keeps this very mark
    assert untouchable(proposed(f'He is 74{{" tall|{wording}}} and came late.')) is Reason.QUOTATION
    assert untouchable(proposed('He is 74{" tall|" high} and came late.')) is None


def test_the_limits_of_a_probability_are_those_of_the_policy() -> None:
    policy = EditPolicy({"sure": PolicyLine(0.9, 0.9, narrow=True), "any": PolicyLine(0.8, 1.01)})
    assert policy.line(("sure", "any"), 0.9).offered == 0.9
    assert policy.line(("sure", "any"), 0.8999).offered == 0.8


def test_no_sum_of_weights_is_too_large() -> None:
    model = EditModel({"a": 1e6}, {}, "")
    assert model.probability({"a": 1.0}) > 0.999
    assert model.probability({"a": -1.0}) < 0.001
    assert model.probability({"b": 1e9}) == 0.5


def test_line_ends_stay_the_line_ends_that_they_are() -> None:
    assert untouchable(proposed("He was {very kind|very\nkind} to it.")) is Reason.LINE
    assert untouchable(proposed("He was {very\nkind|so\nkind} to it.")) is None


def test_no_part_of_a_quotation_is_touched() -> None:
    assert untouchable(proposed('He said "it was {very |}kind" to it.')) is Reason.QUOTATION
    assert untouchable(proposed('He said {very |}"it was kind" to it.')) is None


def test_no_edit_takes_an_accepted_word_along() -> None:
    text = "They met the very legendary singer."
    rules = Spec(analyzers=("rules",))
    (found,) = unslant.check(text, spec=rules).findings
    assert [text[edit.start : edit.end] for edit in found.edits] == [" very legendary"]
    (found,) = unslant.check(text, spec=replace(rules, accept=("very",))).findings
    assert (found.text, found.edits) == ("legendary", ())
