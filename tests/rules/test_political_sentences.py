"""Political labels: whatever is found about one side is found about the other."""

from __future__ import annotations

import pytest

import unslant
from tests.rules.of_rule import found_by, marked
from unslant.spec import TIERS

MIRRORED = [
    ("framing/camp-label", "The [[radical left]] lost the vote.", "The [[radical right]] lost the vote."),
    ("framing/camp-label", "A [[radical leftist]] spoke first.", "A [[radical rightist]] spoke first."),
    ("framing/camp-label", "Two [[radical liberals]] spoke.", "Two [[radical conservatives]] spoke."),
    ("framing/camp-label", "They are [[radical Democrats]].", "They are [[radical Republicans]]."),
    ("framing/spectrum-label", "A [[far-left]] group met.", "A [[far-right]] group met."),
    ("framing/spectrum-label", "The [[hard left]] gained.", "The [[hard right]] gained."),
    ("framing/spectrum-label", "A [[left-winger]] won.", "A [[right-winger]] won."),
    ("framing/spectrum-label", "Some [[leftists]] left.", "Some [[rightists]] left."),
    ("framing/ideology-smear", "It is a [[socialist agenda]].", "It is a [[fascist agenda]]."),
    ("framing/ideology-smear", "It is a [[communist agenda]].", "It is a [[Nazi agenda]]."),
    ("framing/ideology-smear", "It is a [[leftist agenda]].", "It is a [[right-wing agenda]]."),
    ("framing/voter-caricature", "The [[woke mob]] came.", "The [[MAGA cult]] came."),
    ("framing/voter-caricature", "A [[woke warrior]] wrote it.", "A [[MAGA warrior]] wrote it."),
    ("framing/abortion-movement-name", "A [[pro-choice]] march was held.", "A [[pro-life]] march was held."),
    ("framing/abortion-label", "The [[pro-abortion]] group met.", "The [[anti-choice]] group met."),
    ("framing/gun-label", "A [[gun grabber]] wrote it.", "A [[gun nut]] wrote it."),
    ("framing/climate-label", "A [[climate alarmist]] wrote it.", "A [[climate denier]] wrote it."),
    ("framing/climate-label", "It is [[climate alarmism]].", "It is [[climate denialism]]."),
    ("framing/media-label", "The [[leftist media]] left.", "The [[right-wing media machine]] left."),
    ("framing/media-label", "The [[lamestream media]] came.", "The [[faux news]] came."),
    ("framing/tax-label", "They [[tax and spend]].", "They [[borrow and spend]]."),
    ("framing/tax-label", "The [[tax cuts for the rich]] passed.", "The [[death tax]] passed."),
    ("framing/policing-label", "A [[cop hater]] wrote it.", "A [[bootlicker]] wrote it."),
    ("framing/health-label", "It is [[socialized medicine]].", "It is [[profit-driven medicine]]."),
    ("framing/health-label", "It is [[government-run health care]].", "It is [[corporate-run health care]]."),
    (
        "framing/election-label",
        "The [[voter suppression law]] passed.",
        "The [[election integrity law]] passed.",
    ),
    ("framing/immigration-label", "The [[open borders lobby]] met.", "The [[anti-immigrant lobby]] met."),
    ("framing/immigration-label", "The [[open borders agenda]] won.", "The [[anti-immigrant agenda]] won."),
    ("framing/rights-label", "The [[don't say gay bill]] passed.", "The [[parental rights bill]] passed."),
    ("framing/party-nickname", "The [[Democrat Party]] met.", "The [[Repugnican Party]] met."),
    ("demographic/partisan-insult", "A [[libtard]] wrote it.", "A [[rethuglican]] wrote it."),
    ("demographic/partisan-insult", "A [[dumbocrat]] wrote it.", "A [[republitard]] wrote it."),
    ("demographic/partisan-motive", "[[The left wants to]] win.", "[[The right wants to]] win."),
    (
        "demographic/partisan-motive",
        "They are [[brainwashed by the left]].",
        "They are [[brainwashed by the right]].",
    ),
    ("demographic/partisan-generalisation", "[[Liberals are all lazy]].", "[[Conservatives are all lazy]]."),
    ("demographic/partisan-generalisation", "[[Democrats are stupid]].", "[[Republicans are stupid]]."),
]

LEFT_ALONE = [
    ("framing/camp-label", "She is a liberal.", "She is a conservative."),
    ("framing/camp-label", "The Democratic senator spoke.", "The Republican senator spoke."),
    ("framing/spectrum-label", "Turn left at the far end.", "Turn right at the far end."),
    ("framing/spectrum-label", "The center-left party won.", "The center-right party won."),
    ("framing/party-nickname", "The Democratic Party met.", "The Republican Party met."),
    ("framing/abortion-label", "The abortion-rights group met.", "The anti-abortion group met."),
    ("framing/gun-label", "The gun-control group met.", "The gun-rights group met."),
    ("framing/tax-label", "The estate tax passed.", "The income tax cut passed."),
    ("framing/media-label", "The newspapers wrote of it.", "The broadcasters spoke of it."),
    (
        "demographic/partisan-generalisation",
        "Most Democrats are against the bill.",
        "Most Republicans are against the bill.",
    ),
    ("demographic/partisan-motive", "The left lane closes.", "The right lane closes."),
    ("demographic/partisan-insult", "A Democrat wrote it.", "A Republican wrote it."),
]


@pytest.mark.parametrize(("rule", "left", "right"), MIRRORED)
def test_both_sides_are_found(rule: str, left: str, right: str) -> None:
    for side in (left, right):
        text, words = marked(side)
        assert found_by(rule, text) == words


@pytest.mark.parametrize(("rule", "left", "right"), LEFT_ALONE)
def test_both_sides_are_left_alone(rule: str, left: str, right: str) -> None:
    assert found_by(rule, left) == []
    assert found_by(rule, right) == []


WITH_THE_MODEL = [
    ("The climate alarmists met in Paris.", "The climate deniers met in Paris."),
    ("She wrote about climate alarmism in June.", "She wrote about climate denialism in June."),
    ("The gun grabbers met on Monday.", "The gun nuts met on Monday."),
    ("The woke mob came to the hall.", "The MAGA cult came to the hall."),
    ("The pro-abortion group met in June.", "The anti-choice group met in June."),
    ("A cop hater wrote the letter.", "A bootlicker wrote the letter."),
    ("They spoke of socialized medicine.", "They spoke of profit-driven medicine."),
    ("They spoke of the death tax.", "They spoke of tax cuts for the rich."),
    ("The open borders lobby met.", "The anti-immigrant lobby met."),
    ("The voter suppression law passed.", "The election integrity law passed."),
]


@pytest.mark.parametrize(("left", "right"), WITH_THE_MODEL)
def test_the_model_does_not_silence_one_label_of_a_pair(left: str, right: str) -> None:
    spec = unslant.Spec(analyzers=TIERS["all"])
    found = [{finding.rule for finding in unslant.check(side, spec=spec).findings} for side in (left, right)]
    assert found[0] & found[1]
