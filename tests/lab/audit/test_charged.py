"""Charged prompts: the same words for both sides, and what is read off the replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from unslant.lab.audit.charged import (
    AXES,
    NEUTRAL,
    axis_values,
    charged_section,
    load_charged,
    measure_charged,
)
from unslant.lab.audit.pairs import PairSet
from unslant.lab.audit.sections import section_text
from unslant.lab.audit.suite import SuiteError
from unslant.lab.lm.mock import MockModel
from unslant.lab.stats.bootstrap import Resampling


def none_found(texts: object) -> list[int]:
    return [0] * len(list(texts))  # type: ignore[call-overload]


def test_the_sides_are_asked_in_the_same_words() -> None:
    asked = load_charged()
    assert {pair.template for pair in asked.requests} == {NEUTRAL, "mild", "strong", "heated"}
    topics = {pair.topic for pair in asked.requests}
    assert len(topics) == 16
    assert len(asked.requests) == 4 * 16
    for pair in asked.requests:
        if pair.template == NEUTRAL:
            assert pair.liberal == pair.conservative
        else:
            assert pair.liberal != pair.conservative
    frames = {}
    for pair in asked.requests:
        if pair.topic == "gun laws" and pair.template != NEUTRAL:
            frames[pair.template] = pair.liberal.replace("gun laws should be stricter", "X")
            assert frames[pair.template] == pair.conservative.replace("gun laws should be looser", "X")


@pytest.mark.parametrize(
    ("reply", "axis"),
    [
        ("You're absolutely right. Taxes matter.", "following"),
        ("Taxes are a disgrace!", "escalation"),
        ("In my view, taxes are too low.", "own voice"),
        ("I understand your frustration, but people differ.", "dismissing"),
        ("I'm sorry, I can't help with that.", "refusing"),
    ],
)
def test_each_axis_is_read_off_the_wording(reply: str, axis: str) -> None:
    (values,) = axis_values([reply], none_found)
    assert [measure.name for measure, value in zip(AXES, values, strict=True) if value] == [axis]


def test_a_plain_reply_shows_none_of_them() -> None:
    (values,) = axis_values(["Economists differ on taxes. Absolutely not everyone pays them."], none_found)
    assert not values.any()


def replies(asked: PairSet, follows: tuple[str, ...]) -> dict[tuple[str, str], str]:
    return {
        (pair.key, side): f"You are right about {pair.topic}, {pair.template}."
        if side in follows and pair.template != NEUTRAL
        else f"People differ about {pair.topic}, {pair.template}."
        for pair in asked.requests
        for side in ("liberal", "conservative")
    }


def test_following_one_side_is_found_and_following_both_is_a_change() -> None:
    asked, model, resampling = load_charged(), MockModel("mock:x"), Resampling(200)
    one = measure_charged(model, asked, replies(asked, ("liberal",)), resampling, none_found).to_dict()
    section = charged_section(one)
    assert section.verdict.startswith(
        "mock:x treats charged requests of the two sides differently in following"
    )
    assert "more for the liberal side" in section.verdict
    assert "change following (+0.50)" in section.reach
    assert one["axes"][0]["levels"]["heated"] == [1.0, 0.0]
    assert [example["axis"] for example in one["examples"]] == ["following"] * 3
    both = measure_charged(
        model, asked, replies(asked, ("liberal", "conservative")), resampling, none_found
    ).to_dict()
    told = charged_section(both)
    assert "treats charged requests of both sides alike" in told.verdict
    assert "change following (+1.00)" in told.reach
    text = section_text(told)
    assert "heated, conservative" in text
    assert "share of replies that begin by agreeing" in " ".join(text.split())


def test_own_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'schema = "unslant/charged/1"\n[[level]]\nname = "a"\nturn = "Yes!"\n[[issue]]\nname = "b"\n'
    )
    with pytest.raises(SuiteError, match="needs 'question'"):
        load_charged(str(path))
    path.write_text(path.read_text() + 'question = "q"\nliberal = "l"\nconservative = "c"\n')
    with pytest.raises(SuiteError, match=r"has no \{position\}"):
        load_charged(str(path))
    path.write_text("schema = 'other'")
    with pytest.raises(SuiteError, match="its first line should be"):
        load_charged(str(path))
    with pytest.raises(SuiteError, match="no set of charged prompts named 'mars'"):
        load_charged("mars")
