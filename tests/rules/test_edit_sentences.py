"""The sentences that the wordings of rules leave: inflected, with the right article and capital, both sides alike."""

from __future__ import annotations

import pytest

from tests.rules.of_rule import edited_by

EDITED = [
    ("The senator slammed the budget.", ["The senator criticized the budget."]),
    ("Critics have slammed the budget.", ["Critics have criticized the budget."]),
    ("She slams every budget.", ["She criticizes every budget."]),
    ("They are slamming the budget.", ["They are criticizing the budget."]),
    ("Slamming the budget, he left.", ["Criticizing the budget, he left."]),
    ("The governor blasted the ruling.", ["The governor criticized the ruling."]),
    ("The speaker decried the delay.", ["The speaker criticized the delay."]),
    ("The pundit scoffed at the plan.", ["The pundit rejected the plan."]),
    ("The mayor railed against the tax.", ["The mayor criticized the tax.", "The mayor opposed the tax."]),
    ("Sadly, the theater closed.", ["The theater closed."]),
    ("The theater, sadly, closed.", ["The theater closed."]),
    ("Of course, taxes rose.", ["Taxes rose."]),
    ("Clearly, the vote was close.", ["The vote was close."]),
    ("The vote was clearly close.", ["The vote was close."]),
    ("It was an incredibly hard exam.", ["It was a hard exam."]),
    ("It was a terribly long day.", ["It was a long day."]),
    ("The repair cost a staggering 40 million dollars.", ["The repair cost 40 million dollars."]),
    ("The chairman spoke.", ["The chair spoke.", "The chairperson spoke."]),
    ("The chairmen spoke.", ["The chairs spoke.", "The chairpersons spoke."]),
    ("CHAIRMAN SPEAKS TODAY", ["CHAIR SPEAKS TODAY", "CHAIRPERSON SPEAKS TODAY"]),
    ("The fireman left.", ["The firefighter left."]),
    ("Two firemen left.", ["Two firefighters left."]),
    (
        "A fireman and a policeman left.",
        ["A firefighter and a policeman left.", "A fireman and a police officer left."],
    ),
    ("The spokesman declined.", ["The spokesperson declined."]),
    ("A spokeswoman declined.", ["A spokesperson declined."]),
    ("The mailman came.", ["The mail carrier came.", "The letter carrier came."]),
    ("The waitress left.", ["The server left.", "The waiter left."]),
    (
        "A man-made lake lies there.",
        [
            "A human-made lake lies there.",
            "An artificial lake lies there.",
            "A synthetic lake lies there.",
        ],
    ),
    ("It changed mankind.", ["It changed humankind.", "It changed humanity."]),
    ("The elderly pay less.", ["Older people pay less.", "Older adults pay less."]),
    ("Elderly people pay less.", ["Older people pay less.", "Older adults pay less."]),
    ("The disabled pay less.", ["Disabled people pay less.", "People with disabilities pay less."]),
    ("The mayor claimed that crime fell.", ["The mayor said that crime fell."]),
    ("The mayor claims crime has fallen.", ["The mayor says crime has fallen."]),
    ("The mayor has claimed that crime fell.", ["The mayor has said that crime fell."]),
    ("The firm admitted that the pipe leaked.", ["The firm said that the pipe leaked."]),
    ("The minister insisted that it was so.", ["The minister said that it was so."]),
    ("She pointed out that it was so.", ["She said that it was so."]),
    ("He committed suicide in May.", ["He died by suicide in May."]),
    ("The death tax rose.", ["The estate tax rose."]),
    ("A drug addict was found.", ["A person with a drug addiction was found."]),
    ("Drug addicts were found.", ["People with a drug addiction were found."]),
    ("The ex-con found work.", ["The formerly incarcerated person found work."]),
    ("A transgendered pilot spoke.", ["A transgender pilot spoke."]),
    ("Each voter signs his or her name.", ["Each voter signs their name."]),
    ("Hey guys, it rained.", ["Hey everyone, it rained.", "Hey all, it rained."]),
    ("He is wheelchair-bound.", ["He uses a wheelchair."]),
    ("It is a third world country.", ["It is a low-income country."]),
    ("The Democrat Party met.", ["The Democratic Party met."]),
]

MIRRORED = [
    ("The radical left lost.", "The left lost.", "The radical right lost.", "The right lost."),
    (
        "The pro-choice march began.",
        "The abortion-rights march began.",
        "The pro-life march began.",
        "The anti-abortion march began.",
    ),
    (
        "A pro-choice group met.",
        "An abortion-rights group met.",
        "A pro-life group met.",
        "An anti-abortion group met.",
    ),
]

NOTHING_OFFERED = [
    "A whopping 61 percent agreed.",
    "A far-left group met.",
    "A far-right group met.",
    "A climate alarmist spoke.",
    "A climate denier spoke.",
    "The council met on Monday.",
    "He slammed the door.",
    "She filed a claim in May.",
]


@pytest.mark.parametrize(("text", "expected"), EDITED)
def test_the_sentence_after_each_edit(text: str, expected: list[str]) -> None:
    assert edited_by(text) == expected


@pytest.mark.parametrize(("left", "left_after", "right", "right_after"), MIRRORED)
def test_both_sides_are_edited_alike(left: str, left_after: str, right: str, right_after: str) -> None:
    assert edited_by(left) == [left_after]
    assert edited_by(right) == [right_after]


@pytest.mark.parametrize("text", NOTHING_OFFERED)
def test_nothing_is_offered(text: str) -> None:
    assert edited_by(text) == []
