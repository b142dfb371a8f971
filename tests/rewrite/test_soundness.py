"""What is asked of every edited sentence: the judge, distinctions, and the record of its class."""

from __future__ import annotations

from pathlib import Path

import pytest

import unslant
from unslant.core.errors import ModelError
from unslant.core.types import Applicability, Edit
from unslant.rewrite.distinction import is_bound, tells_apart
from unslant.rewrite.edit_judge import features, load_judge, save_judge, shipped_judge
from unslant.rewrite.records import ENOUGH, SHARE, classes
from unslant.rules.analyzer import rules_for
from unslant.spec import TIERS, Spec

RULES = Spec(analyzers=("rules",))


def cut(text: str, words: str, replacement: str = "") -> Edit:
    start = text.index(words)
    return Edit(start, start + len(words), replacement)


@pytest.mark.parametrize(
    ("before", "good", "bad"),
    [
        (
            "The union tore into the offer on Monday.",
            "The union criticized the offer on Monday.",
            "The union criticizing the offer on Monday.",
        ),
        (
            "The far-right party won the vote.",
            "The party won the vote.",
            "The won the vote.",
        ),
        (
            "The firm claimed that sales rose.",
            "The firm said that sales rose.",
            "The firm say that sales rose.",
        ),
        ("Sadly, the ferry sank.", "The ferry sank.", "Sadly, the sank."),
    ],
)
def test_the_judge_prefers_what_reads_well(before: str, good: str, bad: str) -> None:
    judge = shipped_judge()
    assert judge.probability(before, good) > judge.probability(before, bad)


def test_a_judge_is_the_same_after_saving(tmp_path: Path) -> None:
    judge = shipped_judge()
    save_judge(judge, tmp_path)
    loaded = load_judge(tmp_path)
    assert loaded == judge
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert size < 10 * 2**20


def test_a_judge_that_was_tampered_with_is_refused(tmp_path: Path) -> None:
    save_judge(shipped_judge(), tmp_path)
    data = tmp_path / "edit_judge.zip"
    data.write_bytes(data.read_bytes() + b"\0")
    with pytest.raises(ModelError, match="not the file that its card describes"):
        load_judge(tmp_path)
    data.unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        load_judge(tmp_path)


def test_features_depend_on_the_sentence_before_and_after_alone() -> None:
    order = shipped_judge().order
    before, after = "The vile plan failed.", "The plan failed."
    found = features(order, before, after)
    assert found == features(order, before, after)
    assert {"delete", "out vile", "delete loses 1"} <= {name for name, _ in found}
    assert features(order, before, before)
    assert features(order, "", "")


@pytest.mark.parametrize(
    ("text", "words", "other"),
    [
        ("The far-right party won 20% and the far-left party won 10%.", "far-right", "far-left"),
        ("The radical wing voted no, and the moderate wing voted yes.", "radical", "moderate"),
        ("The bitter vote in May followed the calm vote in April.", "bitter", "vote"),
        ("The far-right party won 20%.", "far-right", None),
        ("The bitter vote in May followed a debate.", "bitter", None),
    ],
)
def test_words_that_tell_one_thing_from_another_stay(text: str, words: str, other: str | None) -> None:
    assert tells_apart(text, cut(text, words)) == other


@pytest.mark.parametrize(
    ("text", "words", "bound"),
    [
        ("It did not clearly show a cause.", "clearly", "not"),
        ("He falsely claimed that he won.", "claimed", "falsely"),
        ("It didn't really work.", "really", "didn't"),
        ("It clearly did not show a cause.", "clearly", None),
        ("Clearly separated modules are easier to test.", "Clearly", "separated"),
        ("She took a clearly marked path.", "clearly", "marked"),
        ("She clearly wanted votes.", "clearly", None),
        ("Clearly, tired voters stayed at home.", "Clearly", None),
    ],
)
def test_words_that_belong_to_others_stay(text: str, words: str, bound: str | None) -> None:
    assert is_bound(text, cut(text, words)) == bound


def test_every_class_has_a_record_and_the_share_that_safe_asks_for() -> None:
    assert SHARE >= 0.98
    for each in classes():
        assert 0 <= each.good <= each.judged
        assert each.earned != each.failed, each.name
        assert each.failed or each.judged >= ENOUGH, each.name
        assert each.rules <= {card.id for card in rules_for(RULES)}, each.name


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Unfortunately, the plan to widen the road failed.", "The plan to widen the road failed."),
        (
            "On Monday the union lashed out at the two owners of the plant near the river in Ohio.",
            "On Monday the union criticized the two owners of the plant near the river in Ohio.",
        ),
        ("The infamous dossier was published in 2017.", "The dossier was published in 2017."),
    ],
)
def test_edits_of_a_class_with_a_record_are_safe(text: str, after: str) -> None:
    assert unslant.fix(text, spec=RULES).text == after


@pytest.mark.parametrize(
    "text",
    [
        "Of course, though, the plan to widen the road failed.",
        "The union slammed the owners of the plant near the river.",
        "He is infamous for his temper.",
        "The chairman of the board spoke to the press for an hour.",
    ],
)
def test_other_edits_need_review(text: str) -> None:
    fixed = unslant.fix(text, spec=RULES)
    assert fixed.text == text
    assert all(suggestion.edit.applicability is not Applicability.SAFE for suggestion in fixed.edits)


def test_a_wording_of_the_users_own_is_always_offered() -> None:
    spec = Spec(analyzers=TIERS["all"], suggest=(("utilise", "use"),))
    text = "They slammed, quuxed and utilise Synergy."
    assert "use" in [each.edit.replacement for each in unslant.fix(text, spec=spec).edits]
