"""Words for groups of people: what a style guide advises against, and the same words in another sense."""

from __future__ import annotations

import pytest

from tests.rules.of_rule import found_by, marked

FOUND = [
    ("demographic/gendered-role", "The [[chairman]] opened the session."),
    ("demographic/gendered-role", "Two [[firemen]] were hurt."),
    ("demographic/gendered-role", "The [[spokeswoman]] declined to comment."),
    ("demographic/gendered-role", "A [[policeman]] took notes."),
    ("demographic/generic-man", "It changed [[mankind]]."),
    ("demographic/generic-man", "The lake is [[man-made]]."),
    ("demographic/generic-man", "They lack [[manpower]]."),
    ("demographic/gendered-address", "[[Hey guys]], the meeting is at noon."),
    ("demographic/paired-pronoun", "Each voter signs [[his or her]] ballot."),
    ("demographic/paired-pronoun", "[[He or she]] must sign."),
    ("demographic/gendered-diminutive", "[[The fairer sex]] came late."),
    ("demographic/wife-as-appendage", "They are [[man and wife]]."),
    ("demographic/wife-as-appendage", "He came with [[his lovely wife]]."),
    ("demographic/age-terms", "[[The elderly]] pay less."),
    ("demographic/age-terms", "[[Senior citizens]] pay less."),
    ("demographic/age-slur", "An [[old geezer]] sat there."),
    ("demographic/disability-terms", "[[The disabled]] pay less."),
    ("demographic/disability-terms", "[[The blind]] pay less."),
    ("demographic/disability-metaphor", "It was a [[crazy idea]]."),
    ("demographic/disability-as-suffering", "[[Despite her disability]], she won."),
    ("demographic/addiction-terms", "A [[drug addict]] was found."),
    ("demographic/conviction-terms", "The [[ex-con]] found work."),
    ("demographic/suicide-wording", "He [[committed suicide]] in 1999."),
    ("demographic/sex-work-terms", "A [[prostitute]] testified."),
    ("demographic/transgender-terms", "A [[transgendered]] pilot spoke."),
    ("demographic/sexuality-terms", "The [[homosexual lifestyle]] was discussed."),
    ("demographic/orientation-as-choice", "He [[chose to be gay]]."),
    ("demographic/orientation-as-secret", "She [[admitted she was gay]]."),
    ("demographic/migration-metaphor", "They speak of [[a flood of migrants]]."),
    ("demographic/migration-metaphor", "They speak of [[a swarm of refugees]]."),
    ("demographic/migration-terms", "The [[queue jumpers]] were sent back."),
    ("demographic/nationality-terms", "It is a [[third world country]]."),
    ("demographic/ethnicity-idiom", "He is at the [[bottom of the totem pole]]."),
    ("demographic/race-terms", "An [[oriental]] sat there."),
    ("demographic/race-proxy", "The film is about [[inner city crime]]."),
    ("demographic/race-idiom", "The firm [[sold them down the river]]."),
    ("demographic/religion-extremism", "It warns of [[radical Islam]]."),
    ("demographic/religion-extremism", "It warns of [[radical Christians]]."),
    ("demographic/class-scorn", "They called them [[white trash]]."),
    ("demographic/class-terms", "She is [[just a housewife]]."),
    ("demographic/body-terms", "He was called a [[fatso]]."),
    ("demographic/outcast-terms", "He was called a [[scumbag]]."),
    ("demographic/gender-generalisation", "[[Women are too emotional]]."),
    ("demographic/gender-generalisation", "[[Men are all lazy]]."),
    ("demographic/nationality-generalisation", "[[Germans are lazy]]."),
    ("demographic/religion-generalisation", "[[Christians are violent]]."),
    ("demographic/religion-generalisation", "[[Muslims are violent]]."),
    ("demographic/religion-generalisation", "[[Atheists are violent]]."),
    ("demographic/unneeded-gender", "A [[female doctor]] came."),
    ("demographic/unneeded-gender", "A [[male nurse]] came."),
    ("demographic/heteronormative", "They are a [[normal family]]."),
]

LEFT_ALONE = [
    ("demographic/gendered-role", "The chair opened the session."),
    ("demographic/gendered-role", "Chairman Mao was born in 1893."),
    ("demographic/generic-man", "The man made a table."),
    ("demographic/age-terms", "The elderly man crossed the street."),
    ("demographic/disability-terms", "The disabled valve was replaced."),
    ("demographic/disability-terms", "The blind was drawn."),
    ("demographic/disability-metaphor", "The Crazy Horse Memorial is in Dakota."),
    ("demographic/addiction-terms", "She is a person with an addiction."),
    ("demographic/suicide-wording", "He died by suicide in 1999."),
    ("demographic/sexuality-terms", "A gay couple moved in."),
    ("demographic/migration-metaphor", "The flood of 1953 hit the coast."),
    ("demographic/nationality-terms", "The third world war never came."),
    ("demographic/race-terms", "The Oriental Institute is in Chicago."),
    ("demographic/religion-extremism", "The radical preacher was Christian."),
    ("demographic/gender-generalisation", "Women are eligible to vote."),
    ("demographic/gender-generalisation", "The women are members of the union."),
    ("demographic/nationality-generalisation", "Germans are voting on Sunday."),
    ("demographic/religion-generalisation", "Muslims are fasting this month."),
    ("demographic/religion-generalisation", "Christians are fasting this month."),
    ("demographic/class-terms", "She is a housewife and a poet."),
    ("demographic/conviction-terms", "The pros and cons were listed."),
    ("demographic/unneeded-gender", "The female of the species is larger."),
]


@pytest.mark.parametrize(("rule", "sentence"), FOUND)
def test_found(rule: str, sentence: str) -> None:
    text, words = marked(sentence)
    assert found_by(rule, text) == words


@pytest.mark.parametrize(("rule", "sentence"), LEFT_ALONE)
def test_left_alone(rule: str, sentence: str) -> None:
    assert found_by(rule, sentence) == []
